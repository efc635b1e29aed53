//! Calls that are sent with other prompts, and what these lose.

use strata_model::SharedList;

use super::CacheAnalysis;
use super::bill::CallBill;
use super::loss::Losses;
use super::simulate::Prediction;
use super::timeline::Timeline;
use crate::analysis::blame::{Cause, PrefixBreak};
use crate::analysis::call::CallAnalysis;
use crate::analysis::matches::PromptMatches;

/// What the calls of a session come to with other prompts, one for each of them.
pub(crate) struct TriedCalls {
    pub bills: Vec<CallBill>,
    /// In the provider's tokens.
    pub(super) prompts: Vec<PromptMatches>,
    pub(super) predictions: Vec<Prediction>,
}

impl CacheAnalysis {
    /// How many calls lose something of their prefix with other prompts, by the rule of [`Self::losses`]. A call that is
    /// sent and found as it was loses what it lost; of all others it is predicted. `prompts` are by our count.
    pub(crate) fn n_broken_with(
        &self,
        calls: &SharedList<CallAnalysis>,
        prompts: &[PromptMatches],
        tried: &TriedCalls,
        timeline: &Timeline,
    ) -> u32 {
        let sent = sent_with(calls, prompts);
        let found = |at: usize| (&tried.predictions[at], &tried.bills[at]);
        let missed_before = |at: usize| self.calls[at].comparison?.difference;
        let losses = Losses {
            calls: &sent,
            found: &found,
            prompts: &tried.prompts,
            timeline,
            missed_before: &missed_before,
        };
        let is_broken = |at: &usize| {
            let recorded = &self.calls[*at];
            if calls[*at].matches == prompts[*at] && recorded.prediction == tried.predictions[*at] {
                return recorded.broken().is_some();
            }
            let loss = losses.of(*at, None, None);
            loss.is_some_and(|loss| !matches!(loss.cause, Cause::BelowMinimum { .. }))
        };
        (0..prompts.len()).filter(is_broken).count() as u32
    }
}

/// The calls with other prompts, as far as losses look at these: why a prefix breaks is not found out.
fn sent_with(calls: &SharedList<CallAnalysis>, prompts: &[PromptMatches]) -> SharedList<CallAnalysis> {
    let parent = |call: u32| prompts.get(call as usize - 1).and_then(|prompt| prompt.parent);
    let continues = |call: u32, earlier: u32| {
        std::iter::successors(parent(call), |call| parent(*call)).any(|call| call == earlier)
    };
    let mut sent = SharedList::new();
    for (at, prompt) in prompts.iter().enumerate() {
        let Some(call) = calls.shared(at) else { break };
        let breaks = call.previous.is_some_and(|previous| !continues(call.number, previous));
        if call.matches == *prompt && breaks == call.prefix_break.is_some() {
            sent.push(call.clone());
            continue;
        }
        let prefix_break = breaks.then(|| call.prefix_break.clone().unwrap_or_else(somewhere));
        sent.push(CallAnalysis { matches: prompt.clone(), prefix_break, ..CallAnalysis::clone(call) });
    }
    sent
}

fn somewhere() -> PrefixBreak {
    PrefixBreak {
        path: String::new(),
        at_token: 0,
        cause: Cause::Unknown { origin: None },
        stage: None,
        origin: None,
        chain: Vec::new(),
    }
}
