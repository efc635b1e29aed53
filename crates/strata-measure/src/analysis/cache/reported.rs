//! What providers reported, beside what was predicted.

use std::collections::BTreeSet;

use strata_engine::{Experiment, FlowKind, is_gemini};
use strata_model::marks::CACHE_WRITE;
use strata_model::{Event, Object, SharedList, Str, Usage};
use strata_wire::{CacheRule, Machine};

use super::entries::IN_FLIGHT_S;
use super::simulate::Prediction;
use crate::analysis::call::CallAnalysis;
use crate::analysis::difference::Difference;
use crate::analysis::matches::{Match, PromptMatches, SentElsewhere};
use crate::prices::ChargedTokens;

/// Field of [`CACHE_WRITE`]: what of it is kept for an hour.
const LONG_WRITE: &str = "ephemeral1h";

/// Token counts of a call as its provider reported them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportedCounts {
    /// The whole prompt; what was cached or written is part of it.
    pub prompt: u32,
    /// `None`: the report says nothing of a cache.
    pub cached: Option<u32>,
    pub written: Option<u32>,
    /// Of these, written for the longer of the provider's lifetimes.
    pub written_long: u32,
    /// Seconds for which what was written is kept, where the provider says so.
    pub lifetime_s: Option<u32>,
}

/// A report beside the prediction for it, in the provider's own tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comparison {
    /// The prediction, measured by the sizes that the provider reported of this and earlier prompts.
    pub predicted: u32,
    pub reported: u32,
    /// Why they differ by more than a block; `None` where they do not.
    pub difference: Option<Difference>,
}

impl ReportedCounts {
    /// What was reported for a call.
    pub(super) fn of_call(experiment: &Experiment, analysed: &CallAnalysis) -> Option<Self> {
        let call = experiment.call(analysed.number)?;
        let answer = experiment.session().events.get(call.answer.as_usize())?;
        Self::of(call.usage.as_ref(), answer)
    }

    /// `None` when the prompt's size is not reported.
    pub fn of(usage: Option<&Usage>, answer: &Event) -> Option<Self> {
        Self::of_answer(usage, answer.custom_metadata.as_ref())
    }

    /// Of an answer with this usage and these custom metadata. `None` when the prompt's size is not reported.
    pub fn of_answer(usage: Option<&Usage>, metadata: Option<&Object>) -> Option<Self> {
        let usage = usage?;
        let tokens = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        let mark = metadata.and_then(|metadata| metadata.get(CACHE_WRITE));
        let of_mark = |field: &str| mark.and_then(|write| u32::try_from(write.get(field)?.as_i64()?).ok());
        let written_long = of_mark(LONG_WRITE).unwrap_or(0);
        Some(Self {
            // No prompt is empty: where the cache is left out of an input, all of it may have been read from there.
            prompt: tokens(usage.prompt_token_count.filter(|count| *count > 0)?),
            cached: usage.cached_content_token_count.map(tokens),
            written: of_mark("tokens"),
            written_long,
            lifetime_s: if written_long > 0 {
                Some(3600)
            } else {
                of_mark("ephemeral5m").filter(|tokens| *tokens > 0).map(|_| 300)
            },
        })
    }

    /// As a provider means it that leaves out a zero.
    pub(super) fn with_omitted_zero(self) -> Self {
        Self { cached: self.cached.or(Some(0)), ..self }
    }

    /// Written to the cache for the provider's shorter lifetime, and for the longer one.
    pub(super) fn written_tokens(&self) -> (u32, u32) {
        let written = self.written.unwrap_or(0);
        let long = self.written_long.min(written);
        (written - long, long)
    }

    /// What of the prompt is paid for. A report that says nothing of a cache charges all of it.
    pub fn charged(&self) -> ChargedTokens {
        let (written, written_long) = self.written_tokens();
        ChargedTokens {
            prompt: self.prompt.into(),
            cached: self.cached.unwrap_or(0).into(),
            written: written.into(),
            written_long: written_long.into(),
            output: 0,
        }
    }

    /// The size of a prompt that begins as this one does, by our counts of both: what the provider counts beyond ours is in
    /// it too, and where we count too much, we go on doing so. Of a cache nothing is said.
    pub(super) fn grown(&self, ours: u32, now: u32) -> Self {
        let prompt = if self.prompt >= ours {
            now.saturating_add(self.prompt - ours)
        } else {
            (u64::from(now) * u64::from(self.prompt) / u64::from(ours.max(1))) as u32
        };
        Self { prompt, cached: None, written: None, written_long: 0, lifetime_s: None }
    }

    /// Something was found in a cache, or written to one.
    pub(super) fn has_cache(&self) -> bool {
        self.cached.is_some_and(|tokens| tokens > 0) || self.written.is_some_and(|tokens| tokens > 0)
    }

    /// How much of the prompt can be found later: what was read or written where that is said, else all.
    fn stored(&self) -> u32 {
        match self.written {
            Some(written) => self.cached.unwrap_or(0).saturating_add(written),
            None => self.prompt,
        }
    }
}

/// Models whose reports say what was found in a cache wherever anything was: those that say it of one call, and Gemini's
/// as google-adk writes them, which leave out a zero.
pub(super) fn telling_models(experiment: &Experiment, calls: &SharedList<CallAnalysis>) -> BTreeSet<Str> {
    let tells = |call: &&CallAnalysis| {
        (experiment.kind() == FlowKind::Adk && is_gemini(&call.sent_to))
            || ReportedCounts::of_call(experiment, call).is_some_and(|report| report.cached.is_some())
    };
    calls.iter().filter(tells).map(|call| call.sent_to.clone()).collect()
}

/// A prompt in the provider's tokens: what it counts beyond what was recorded stands at the beginning. Of it and those
/// before, our counts and what was reported are given.
pub(super) fn anchored<'p>(
    at: usize,
    counted: impl Fn(usize) -> &'p PromptMatches,
    reported: impl Fn(usize) -> Option<ReportedCounts>,
) -> PromptMatches {
    let measure = |at: usize, tokens: u32| match reported(at) {
        None => tokens,
        Some(_) if tokens == 0 => 0,
        Some(report) => report.grown(counted(at).tokens, tokens).prompt,
    };
    let prompt = counted(at);
    // No more can be found than is sent.
    let all = reported(at).map_or(prompt.tokens, |report| report.prompt);
    let candidates = prompt.candidates.iter().map(|found| {
        let of = found.call as usize - 1;
        let stored = reported(of).filter(|_| found.is_whole).map(|report| report.stored());
        // What was sent whole before has a size that was reported; only what lies behind it is measured by us.
        let on_parent = || {
            let parent = prompt.parent? as usize - 1;
            let behind = found.tokens.checked_sub(counted(parent).tokens)?;
            Some(reported(parent)?.stored().saturating_add(behind))
        };
        // It is a part of both prompts: the shorter one's report says best how large.
        let shorter = if prompt.tokens < counted(of).tokens && reported(at).is_some() { at } else { of };
        let tokens = stored.or_else(on_parent).unwrap_or_else(|| measure(shorter, found.tokens));
        Match { tokens: tokens.min(all), ..*found }
    });
    let elsewhere = prompt.elsewhere.iter();
    let elsewhere =
        elsewhere.map(|found| SentElsewhere { tokens: measure(at, found.tokens).min(all), ..*found });
    let marked = prompt.marked.as_ref().map(|marked| {
        // What was read and written is all up to the last mark.
        let up_to_last = reported(at).filter(ReportedCounts::has_cache).map(|report| report.stored());
        marked.measured(
            up_to_last,
            |tokens| if tokens == prompt.tokens { all } else { measure(at, tokens).min(all) },
        )
    });
    PromptMatches {
        marked,
        candidates: candidates.collect(),
        elsewhere: elsewhere.collect(),
        tokens: reported(at).map_or(prompt.tokens, |report| report.stored()),
        head_tokens: measure(at, prompt.head_tokens),
        ..prompt.clone()
    }
}

/// What the reports of a session tell together.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ReportsTogether {
    /// One of them says that something was found in a cache, or written to one.
    pub is_cache_used: bool,
    /// What first calls found: nothing of it was sent before, so it is what the client always sends first.
    pub heads: Vec<u32>,
    /// Models whose reports tell of the cache.
    pub telling: BTreeSet<Str>,
}

impl ReportsTogether {
    /// Of prompts and what was reported of each.
    pub(super) fn of<'r>(
        prompts: &[PromptMatches],
        reports: impl Iterator<Item = Option<&'r ReportedCounts>>,
        telling: BTreeSet<Str>,
    ) -> Self {
        let mut together = Self { telling, ..Self::default() };
        for (prompt, report) in prompts.iter().zip(reports) {
            let Some(report) = report else { continue };
            together.is_cache_used |= report.has_cache();
            let found = report.cached.filter(|cached| *cached > 0 && prompt.parent.is_none());
            together.heads.extend(found);
        }
        together
    }
}

/// The reports of a session, as its predictions are compared with them.
pub(super) struct Reports<'r> {
    pub calls: &'r SharedList<CallAnalysis>,
    /// In the provider's tokens.
    pub prompts: &'r [PromptMatches],
    pub together: &'r ReportsTogether,
}

/// Why a report differs from the prediction, if it does.
pub(super) fn compare(
    rule: &CacheRule,
    at: usize,
    prediction: &Prediction,
    Reports { calls, prompts, together }: &Reports<'_>,
    reported: &ReportedCounts,
    cached: u32,
) -> Comparison {
    let predicted = prediction.expected;
    let is_marked = matches!(rule.machine, Machine::Breakpoints { .. });
    // Counts of parts are not exact, and providers put tokens of their own between messages.
    let tolerance = rule.block_tokens().max(reported.prompt / 100).max(16);
    let is_near = |a: u32, b: u32| a.abs_diff(b) <= tolerance;
    let ends_with_an_earlier_one = || {
        let mut earlier = prompts[at].parent;
        while let Some(call) = earlier {
            let prompt = &prompts[call as usize - 1];
            if is_near(prompt.tokens, cached) || is_near(prompt.head_tokens, cached) {
                return true;
            }
            earlier = prompt.parent;
        }
        false
    };
    let longest_before = || prompts[..at].iter().map(|prompt| prompt.tokens).max().unwrap_or(0);
    let difference = if is_near(predicted, cached) {
        None
    } else if !together.is_cache_used {
        let marked = calls.get(at).and_then(|call| call.matches.marked.as_ref());
        let is_asked = !is_marked || marked.is_some_and(|marked| !marked.own.is_empty());
        Some(if is_asked { Difference::NeverKept } else { Difference::Unused })
    } else if cached > predicted && cached <= prediction.ceiling.saturating_add(tolerance) {
        Some(Difference::KeptLonger)
    } else if cached > predicted && cached <= longest_before().saturating_add(tolerance) {
        Some(Difference::MoreThanRule)
    } else if cached > predicted {
        Some(Difference::AnotherClient)
    } else if is_near(reported.prompt, rule.minimum_tokens()) {
        Some(Difference::NearMinimum)
    } else if cached > 0 && ends_with_an_earlier_one() {
        Some(Difference::OlderPrompt)
    } else if rule.lifetime_s.is_none() && prediction.idle_s.is_some_and(|idle_s| idle_s > 300.0) {
        Some(Difference::Expired)
    } else if is_marked
        && prediction.idle_s.is_some_and(|idle_s| idle_s < IN_FLIGHT_S)
        && !holds_answer(calls, at, prompts[at].parent)
    {
        Some(Difference::InFlight)
    } else if cached > 0 && together.heads.iter().any(|head| is_near(*head, cached)) {
        Some(Difference::HeadOnly)
    } else if rule.is_best_effort {
        Some(Difference::KeepsLess)
    } else {
        Some(Difference::Unexplained)
    };
    Comparison { predicted, reported: cached, difference }
}

/// Whether a prompt goes on with what a model answered to the one that it begins with: that one was answered by then.
fn holds_answer(calls: &SharedList<CallAnalysis>, at: usize, parent: Option<u32>) -> bool {
    let before = parent.and_then(|before| calls.get(before as usize - 1));
    before.is_some_and(|before| {
        let next = calls[at].request.contents.get(before.request.contents.len());
        next.is_some_and(|content| content.role.as_deref() == Some("model"))
    })
}
