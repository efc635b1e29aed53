//! The prefixes of a prompt that a client marks to be kept, by what stands in them.
//!
//! A provider that keeps marked prefixes alone looks them up by a hash: at each mark, and at some blocks before it.

use std::sync::Arc;

use strata_model::{CacheMarks, Fingerprint, LlmRequest, MarkPlace};
use strata_wire::{CacheRule, Machine, Mark, definitions};

use super::weigh::WeighedPrompt;

/// The marked prefixes of a prompt. A copy is cheap.
#[derive(Debug, Clone, PartialEq)]
pub struct MarkedPrefixes {
    /// As the request has them, the shortest first.
    pub own: Arc<[MarkedPrefix]>,
    /// Those behind the tools, behind the system text, and of the whole prompt.
    usual: Arc<[(Mark, MarkedPrefix)]>,
    /// False where the request marks nothing, and somebody on the way may do so.
    pub is_sure: bool,
}

/// A prefix that is to be kept.
#[derive(Debug, Clone, PartialEq)]
pub struct MarkedPrefix {
    pub lifetime_s: Option<u32>,
    /// It ends in the conversation, which some settings empty.
    pub is_of_conversation: bool,
    /// The prefix itself, and those that end so many blocks before it.
    pub ends: Vec<PrefixAt>,
}

/// A prefix, by what stands in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PrefixAt {
    pub hash: Fingerprint,
    pub tokens: u32,
    /// Tools, blocks of the system text and parts.
    pub n_blocks: u32,
}

impl MarkedPrefix {
    pub fn whole(&self) -> &PrefixAt {
        &self.ends[0]
    }
}

impl MarkedPrefixes {
    /// `None` where the request does not say what is to be kept, or its provider keeps prefixes unasked.
    pub(super) fn of(request: &LlmRequest, prompt: &WeighedPrompt, rule: &CacheRule) -> Option<Self> {
        let marks = request.cache_marks.as_ref()?;
        let Machine::Breakpoints { lookback_blocks, .. } = rule.machine else { return None };
        Some(Ends::of(request, prompt, rule).marked(marks, lookback_blocks as usize))
    }

    /// The same in other tokens; the last of its own marks may be known better.
    pub(super) fn measured(&self, last: Option<u32>, size: impl Fn(u32) -> u32) -> Self {
        let measured = |prefix: &MarkedPrefix| {
            let mut prefix = prefix.clone();
            prefix.ends[0].tokens = size(prefix.ends[0].tokens);
            prefix
        };
        let mut own: Vec<MarkedPrefix> = self.own.iter().map(measured).collect();
        if let Some((last, tokens)) = own.last_mut().zip(last) {
            last.ends[0].tokens = tokens;
        }
        Self {
            own: own.into(),
            usual: self.usual.iter().map(|(mark, prefix)| (*mark, measured(prefix))).collect(),
            is_sure: self.is_sure,
        }
    }

    /// Whether the whole prompt is to be kept.
    pub(super) fn is_at_end(&self) -> bool {
        self.has(Mark::Last)
    }

    /// Whether the request has one of the usual marks.
    pub fn has(&self, mark: Mark) -> bool {
        let usual = self.usual.iter().find(|(known, _)| *known == mark).map(|(_, prefix)| prefix.whole());
        usual.is_some_and(|usual| self.own.iter().any(|own| own.whole().n_blocks == usual.n_blocks))
    }

    /// What would be kept with the usual marks up to this one.
    pub fn usual_to(&self, last: Mark) -> impl Iterator<Item = &MarkedPrefix> {
        self.usual.iter().filter(move |(mark, _)| *mark <= last).map(|(_, prefix)| prefix)
    }
}

/// The ends of all blocks of a prompt.
struct Ends {
    all: Vec<PrefixAt>,
    n_tools: usize,
    n_system: usize,
}

impl Ends {
    fn of(request: &LlmRequest, prompt: &WeighedPrompt, rule: &CacheRule) -> Self {
        let mut ends = Self { all: Vec::new(), n_tools: 0, n_system: 0 };
        let mut pieces = prompt.head.pieces.iter().map(|piece| piece.tokens);
        let model = request.model.as_deref().unwrap_or_default();
        let mut walk = Walk { hash: Fingerprint::of(model.as_bytes()), tokens: 0 };
        for definition in definitions(request) {
            walk.read(&definition.text());
            walk.tokens += pieces.next().unwrap_or_default();
            ends.push(&walk);
        }
        ends.n_tools = ends.all.len();
        for block in request.system_instruction.iter().flat_map(|text| text.blocks()) {
            let first = block.first().map_or("", |span| &*span.text);
            // What its client tells the provider is no part of the prefix.
            if !rule.unread.iter().any(|beginning| first.starts_with(&**beginning)) {
                for span in block {
                    walk.read(&span.text);
                }
            }
            walk.tokens += pieces.by_ref().take(block.len()).sum::<u32>();
            ends.push(&walk);
            ends.n_system += 1;
        }
        walk.tokens = (prompt.head.tokens + prompt.head.overhead).tokens;
        if let Some(last) = ends.all.last_mut() {
            last.tokens = walk.tokens;
        }
        for (content, weighed) in request.contents.iter().zip(prompt.contents()) {
            walk.read(content.role.as_deref().unwrap_or_default());
            let all = walk.tokens + (weighed.tokens + weighed.overhead).tokens;
            for (part, piece) in content.parts.iter().zip(&weighed.pieces) {
                walk.hash = walk.hash.then(part.fingerprint);
                walk.tokens += piece.tokens;
                ends.push(&walk);
            }
            walk.tokens = all;
            if let Some(last) = ends.all.last_mut().filter(|_| !content.parts.is_empty()) {
                last.tokens = all;
            }
        }
        ends
    }

    fn push(&mut self, walk: &Walk) {
        let n_blocks = self.all.len() as u32 + 1;
        self.all.push(PrefixAt { hash: walk.hash, tokens: walk.tokens, n_blocks });
    }

    fn marked(&self, marks: &CacheMarks, lookback: usize) -> MarkedPrefixes {
        let of_head = self.n_tools + self.n_system;
        let end = |place: MarkPlace| match place {
            MarkPlace::Tools(n) => (n as usize).min(self.n_tools),
            MarkPlace::System(n) => self.n_tools + (n as usize).min(self.n_system),
            MarkPlace::Conversation { blocks_behind } => {
                self.all.len().saturating_sub(blocks_behind as usize)
            }
        };
        let prefix = |n_blocks: usize, lifetime_s: Option<u32>| {
            let ends = self.all[..n_blocks].iter().rev().take(lookback + 1).copied().collect::<Vec<_>>();
            (!ends.is_empty()).then_some(MarkedPrefix {
                lifetime_s,
                is_of_conversation: n_blocks > of_head,
                ends,
            })
        };
        // What is kept for longer may be marked twice; the longer counts.
        let mut own: Vec<(usize, Option<u32>)> =
            marks.marks.iter().map(|mark| (end(mark.place), mark.lifetime_s)).collect();
        own.sort_by_key(|(n_blocks, lifetime_s)| (*n_blocks, std::cmp::Reverse(*lifetime_s)));
        own.dedup_by_key(|(n_blocks, _)| *n_blocks);
        let longest = marks.marks.iter().filter_map(|mark| mark.lifetime_s).max();
        let usual = [(Mark::Tools, self.n_tools), (Mark::System, of_head), (Mark::Last, self.all.len())];
        let usual = usual.into_iter().filter_map(|(mark, n_blocks)| Some((mark, prefix(n_blocks, longest)?)));
        MarkedPrefixes {
            own: own.into_iter().filter_map(|(n_blocks, lifetime_s)| prefix(n_blocks, lifetime_s)).collect(),
            usual: usual.collect(),
            is_sure: marks.is_sure,
        }
    }
}

struct Walk {
    hash: Fingerprint,
    tokens: u32,
}

impl Walk {
    fn read(&mut self, text: &str) {
        self.hash = self.hash.then(Fingerprint::of(text.as_bytes()));
    }
}
