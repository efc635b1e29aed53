//! Thoughts that providers leave out of prompts by themselves.

use strata_model::Str;

use super::carried::CarriedPiece;
use super::evidence::Evidence;
use super::finding::CallRange;
use super::tally::Tally;
use crate::tokens::Tokenizer;

/// The calls of a session in which some models are not shown what they thought before the user's last words.
pub(super) struct ForgettingCalls {
    /// These models.
    pub models: Vec<Str>,
    /// Calls to other models; in order, none touching the next.
    remembering: Vec<CallRange>,
    /// The turn of each call, and the event that answers it.
    turns: Vec<(u32, u32)>,
}

impl ForgettingCalls {
    /// `None` where no model forgets.
    pub(super) fn of(evidence: &Evidence<'_>) -> Option<Self> {
        let names = evidence.models.names().iter();
        let models: Vec<Str> =
            names.filter(|model| Tokenizer::of_model(model).forgets_thoughts()).cloned().collect();
        if models.is_empty() {
            return None;
        }
        let calls = &evidence.calls;
        let others = calls.iter().filter(|call| !models.contains(&call.result.model));
        Some(Self {
            remembering: Tally::of_calls(others.map(|call| call.call.number)).calls(),
            turns: calls.iter().map(|call| (call.call.turn, call.call.answer.0)).collect(),
            models,
        })
    }

    /// The calls that were shown a thought, as far as they carried it: those of its own turn, and those to other models.
    pub(super) fn calls_with(&self, thought: &CarriedPiece<'_>) -> Vec<CallRange> {
        let Some(event) = thought.piece.origin.event() else { return self.remembering.clone() };
        let at = self.turns.partition_point(|(_, answer)| *answer < event.0);
        let Some((turn, _)) = self.turns.get(at) else { return self.remembering.clone() };
        let first = self.turns.partition_point(|(other, _)| other < turn) as u32 + 1;
        let last = self.turns.partition_point(|(other, _)| other <= turn) as u32;
        let own = CallRange { first, last };
        let outside = |range: &CallRange| {
            let before = CallRange { first: range.first, last: range.last.min(first - 1) };
            let after = CallRange { first: range.first.max(last + 1), last: range.last };
            [before, after].into_iter().filter(|range| range.first <= range.last)
        };
        let mut ranges: Vec<CallRange> = self.remembering.iter().flat_map(outside).chain([own]).collect();
        ranges.sort_unstable();
        ranges
    }
}
