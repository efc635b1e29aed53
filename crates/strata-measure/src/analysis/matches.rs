//! Which earlier prompts a prompt begins with, whoever sent them.
//!
//! What a provider may find again depends on its rules and on the time that has passed; what there is to find does
//! not. So it is found once, when a call is compiled, and every simulation reads it.

use std::cmp::Reverse;
use std::sync::Arc;

use imbl::Vector;
use strata_engine::Experiment;
use strata_model::marks::{self, SENT_ELSEWHERE};
use strata_model::{CacheMetadata, EventIndex, Fingerprint, Json, LlmRequest};

use super::marked::MarkedPrefixes;
use super::prefix::{CommonPrefix, PrefixEnd, PrefixFinder, definitions_fingerprint};
use super::weigh::{Scale, WeighedPrompt};
use strata_wire::CacheRule;

/// Prompts that are compared with each new one: the latest of those that none has continued.
const MAX_TIPS: usize = 256;

/// What a prompt shares with one that was sent before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    /// The number of the earlier call.
    pub call: u32,
    /// Of the later prompt, overhead included.
    pub tokens: u32,
    /// The later prompt begins with all of the earlier one.
    pub is_whole: bool,
}

/// A prompt's size, and what it shares with those before it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PromptMatches {
    /// The latest first; each shares more than all before it in the list.
    pub candidates: Vec<Match>,
    /// The longest earlier prompt that this one begins with, by the number of its call. It may have one of its own.
    pub parent: Option<u32>,
    /// What it shares with prompts of other sessions: the latest first, each more than all before it.
    pub elsewhere: Vec<SentElsewhere>,
    /// All of the prompt.
    pub tokens: u32,
    /// Up to the end of the tools, and of the instruction.
    pub tools_tokens: u32,
    pub head_tokens: u32,
    /// Parts of the conversation.
    pub n_parts: u32,
    /// The prefix that a cache object of the provider holds for this call, and whether the call made it.
    pub explicit: Option<ExplicitCache>,
    /// What its client marks to be kept; `None` where that is not known, or its provider keeps prefixes unasked.
    pub marked: Option<MarkedPrefixes>,
    /// Text behind all that later prompts can find again; no part of `tokens`.
    pub tail_tokens: u32,
    /// Thoughts, counted in `tokens`, that the provider leaves out of the prompt by itself.
    pub forgotten_tokens: u32,
}

/// What a prompt shares with one of another session of the same source. Tools and instruction are the same.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SentElsewhere {
    /// When that session last sent it, in epoch seconds.
    pub at_s: Option<f64>,
    /// Of the later prompt, overhead included.
    pub tokens: u32,
    /// The later prompt begins with all of the earlier one.
    pub is_whole: bool,
    /// Parts of the conversation behind what is shared.
    pub parts_behind: u32,
}

impl SentElsewhere {
    /// What the source says of other sessions, with the answer to a call.
    pub(crate) fn of(experiment: &Experiment, answer: EventIndex, prompt: &WeighedPrompt) -> Vec<Self> {
        let answer = experiment.session().events.get(answer.as_usize());
        let said =
            answer.and_then(|answer| marks::of(answer, SENT_ELSEWHERE)?.as_array()).unwrap_or_default();
        said.iter().filter_map(|said| Self::read(said, prompt)).collect()
    }

    fn read(said: &Json, prompt: &WeighedPrompt) -> Option<Self> {
        let n_contents = usize::try_from(said.get("contents")?.as_i64()?).ok()?;
        let parts_behind = prompt.n_parts() - prompt.parts_of_first(n_contents);
        Some(Self {
            at_s: said.get("at").and_then(Json::as_f64),
            // With all contents it is all of the prompt.
            tokens: if parts_behind == 0 { prompt.total().tokens } else { prompt.first_contents(n_contents) },
            is_whole: said.get("isWhole").and_then(Json::as_bool) == Some(true),
            parts_behind,
        })
    }
}

/// A cache object that a call refers to by its name, as google-adk makes them for Gemini.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExplicitCache {
    /// Tools, instruction and the first contents, as many as the object holds.
    pub tokens: u32,
    /// The object was made for this call: its tokens were written, and read once.
    pub is_new: bool,
}

impl ExplicitCache {
    /// What the answer to a call says of its cache. `before` is what the one before it said.
    pub(super) fn of(
        answer: Option<&CacheMetadata>,
        before: Option<&CacheMetadata>,
        prompt: &WeighedPrompt,
    ) -> Option<Self> {
        let active = answer.filter(|metadata| metadata.is_active())?;
        let n_contents = usize::try_from(active.contents_count).unwrap_or(0);
        Some(Self {
            tokens: prompt.first_contents(n_contents),
            is_new: before.is_none_or(|before| before.cache_name != active.cache_name),
        })
    }
}

impl PromptMatches {
    /// The sizes of a prompt that shares nothing with another.
    pub(crate) fn alone(request: &LlmRequest, prompt: &WeighedPrompt) -> Self {
        let n_definitions = strata_wire::definitions(request).count();
        Self {
            tokens: prompt.total().tokens,
            tools_tokens: prompt.head.pieces.iter().take(n_definitions).map(|piece| piece.tokens).sum(),
            head_tokens: (prompt.head.tokens + prompt.head.overhead).tokens,
            n_parts: prompt.n_parts(),
            ..Self::default()
        }
    }
}

/// The prompts of a session so far, as far as later ones can continue them. A copy is cheap.
#[derive(Clone, Default)]
pub(crate) struct PromptTree {
    tips: Vec<Tip>,
    /// One for each prompt.
    nodes: Vector<Node>,
}

/// A prompt that no later one begins with.
#[derive(Clone)]
struct Tip {
    at: usize,
    /// Only prompts to the same model are compared.
    model: usize,
    /// Identifies its tools and answer schemas.
    definitions: Fingerprint,
    rule: Arc<CacheRule>,
    /// What it was found to share with the tips before it, in their order.
    shared: Arc<Vec<Shared>>,
}

/// What a prompt shares with an earlier tip.
#[derive(Clone, Copy)]
struct Shared {
    tip: usize,
    common: CommonPrefix,
}

#[derive(Clone)]
struct Node {
    parent: Option<usize>,
    n_contents: usize,
}

impl PromptTree {
    /// Enters the next prompt; `earlier` gives those that were entered before. Without a model it was not read, or not
    /// paid for: it shares nothing, and no later one continues it.
    pub(crate) fn enter<'r>(
        &mut self,
        model: Option<usize>,
        (request, prompt): (&'r LlmRequest, &WeighedPrompt),
        earlier: impl Fn(usize) -> &'r LlmRequest,
        (scale, rule): (&Scale<'_>, &'r CacheRule),
    ) -> PromptMatches {
        let Some(model) = model else {
            self.pass();
            let forgotten_tokens = scale.forgotten(prompt);
            return PromptMatches { forgotten_tokens, ..PromptMatches::alone(request, prompt) };
        };
        let mut candidates = Vec::new();
        let mut reach = None;
        let mut parent: Option<usize> = None;
        let mut continued = Vec::new();
        let mut prefixes = PrefixFinder::new(rule, request);
        let begun = self.begun(model, request, &earlier, &mut prefixes);
        let alike = begun.filter(|tip| *tip.rule == *rule && is_same_system(earlier(tip.at), request));
        let mut shared = Vec::with_capacity(self.tips.len());
        for tip in self.tips.iter().rev().filter(|tip| tip.model == model) {
            let found = alike.and_then(|begun| self.shared_beyond(begun, tip.at)).unwrap_or_else(|| {
                let common = prefixes.common(earlier(tip.at), tip.definitions);
                Shared { tip: tip.at, common }
            });
            let common = found.common;
            let is_whole = common.ends_in == PrefixEnd::Whole;
            if is_whole {
                continued.push(tip.at);
            } else {
                shared.push(found);
            }
            // No prompt that lies in a prefix is longer than it.
            if parent.is_none_or(|parent| self.nodes[parent].n_contents <= common.contents) {
                parent = self.longer(parent, self.within(tip.at, &common));
            }
            if reach < Some(common.reach()) {
                reach = Some(common.reach());
                let tokens = common.weigh(scale, request, prompt).tokens;
                candidates.push(Match { call: tip.at as u32 + 1, tokens, is_whole });
            }
        }
        candidates.retain(|candidate| candidate.tokens > 0);
        shared.reverse();
        let definitions = definitions_fingerprint(request);
        let kept_rule = alike.map_or_else(|| Arc::new(rule.clone()), |begun| begun.rule.clone());
        let tip = Tip { at: self.nodes.len(), model, definitions, rule: kept_rule, shared: Arc::new(shared) };
        self.tips.retain(|tip| !continued.contains(&tip.at));
        if self.tips.len() >= MAX_TIPS {
            self.tips.remove(0);
        }
        self.tips.push(tip);
        self.nodes.push_back(Node { parent, n_contents: request.contents.len() });
        let parent = parent.map(|at| at as u32 + 1);
        PromptMatches {
            candidates,
            parent,
            forgotten_tokens: scale.forgotten(prompt),
            marked: MarkedPrefixes::of(request, prompt, rule),
            ..PromptMatches::alone(request, prompt)
        }
    }

    /// Enters a prompt that nothing weighs: no later one continues it.
    pub(crate) fn pass(&mut self) {
        self.nodes.push_back(Node { parent: None, n_contents: 0 });
    }

    /// A tip that a prompt begins with, if there is one.
    fn begun<'r>(
        &self,
        model: usize,
        request: &'r LlmRequest,
        earlier: &impl Fn(usize) -> &'r LlmRequest,
        prefixes: &mut PrefixFinder<'r>,
    ) -> Option<&Tip> {
        self.tips.iter().rev().filter(|tip| tip.model == model).find(|tip| {
            let before = earlier(tip.at);
            let last = before.contents.last();
            let now = before.contents.len().checked_sub(1).and_then(|last| request.contents.get(last));
            last.zip(now).is_some_and(|(last, now)| last.fingerprint == now.fingerprint)
                && prefixes.common(before, tip.definitions).ends_in == PrefixEnd::Whole
        })
    }

    /// What a prompt shares with a tip, where one that it begins with shared the same: the difference stands in what both
    /// have.
    fn shared_beyond(&self, begun: &Tip, tip: usize) -> Option<Shared> {
        let at = begun.shared.binary_search_by_key(&tip, |shared| shared.tip).ok()?;
        let shared = begun.shared[at];
        let n_contents = self.nodes[begun.at].n_contents;
        let stands_in_both =
            shared.common.ends_in < PrefixEnd::Contents || shared.common.contents < n_contents;
        stands_in_both.then_some(shared)
    }

    /// The longest prompt that lies in this prefix of a tip.
    fn within(&self, tip: usize, common: &CommonPrefix) -> Option<usize> {
        let mut at = (common.ends_in > PrefixEnd::System).then_some(tip);
        while let Some(node) = at.filter(|at| self.nodes[*at].n_contents > common.contents) {
            at = self.nodes[node].parent;
        }
        at
    }

    fn longer(&self, a: Option<usize>, b: Option<usize>) -> Option<usize> {
        let length = |at: &usize| (self.nodes[*at].n_contents, *at);
        [a, b].into_iter().flatten().min_by_key(|at| Reverse(length(at)))
    }
}

fn is_same_system(a: &LlmRequest, b: &LlmRequest) -> bool {
    let fingerprint =
        |request: &LlmRequest| request.system_instruction.as_ref().map(|text| text.fingerprint());
    fingerprint(a) == fingerprint(b)
}
