//! Which turn of one session is which of the other.

use std::collections::HashMap;

use similar::{Algorithm, DiffOp, capture_diff_slices};
use strata_engine::Experiment;
use strata_model::{Fingerprint, Str};

use super::cause::Side;

/// The turns of two sessions, numbered in common: those in which the user says the same are one turn, and between them
/// those that are left in their order. What is in no turn is in the turn 0.
pub(super) struct AlignedTurns {
    /// By side and invocation.
    common: [HashMap<Str, u32>; 2],
    /// By side and common number: the number of the turn there.
    own: [HashMap<u32, u32>; 2],
}

impl AlignedTurns {
    pub(super) fn of(experiments: [&Experiment; 2]) -> Self {
        let [before, after] = experiments.map(turns);
        let texts = |turns: &[Turn]| turns.iter().map(|turn| turn.said).collect::<Vec<_>>();
        // The same pairs, whichever side is first.
        let (a, b) = (texts(&before), texts(&after));
        let numbers = if a <= b { numbered(&a, &b) } else { swapped(numbered(&b, &a)) };
        let mut aligned = Self { common: Default::default(), own: Default::default() };
        for (side, turns) in Side::BOTH.into_iter().zip([before, after]) {
            for ((at, turn), number) in (1..).zip(turns).zip(&numbers[side as usize]) {
                aligned.common[side as usize].insert(turn.invocation, *number);
                aligned.own[side as usize].insert(*number, at);
            }
        }
        aligned
    }

    /// The common number of the turn of an invocation.
    pub(super) fn common(&self, side: Side, invocation: &str) -> u32 {
        self.common[side as usize].get(invocation).copied().unwrap_or(0)
    }

    /// The number that a turn has on a side, if it is there.
    pub(super) fn on(&self, side: Side, common: u32) -> Option<u32> {
        self.own[side as usize].get(&common).copied()
    }
}

struct Turn {
    invocation: Str,
    /// What the user said first in it.
    said: Fingerprint,
}

/// In the order in which they began. Summaries begin no turn.
fn turns(experiment: &Experiment) -> Vec<Turn> {
    let mut known: HashMap<&Str, usize> = HashMap::new();
    let mut turns: Vec<(&Str, Option<String>)> = Vec::new();
    for logged in experiment.log().events() {
        let event = &*logged.event;
        let at = match known.get(&event.invocation_id) {
            Some(at) => *at,
            None if event.is_compaction() => continue,
            None => {
                known.insert(&event.invocation_id, turns.len());
                turns.push((&event.invocation_id, None));
                turns.len() - 1
            }
        };
        if event.is_from_user() && turns[at].1.is_none() {
            let texts = event.parts().iter().filter_map(|part| part.text.as_deref());
            turns[at].1 = Some(texts.collect::<Vec<_>>().join("\n"));
        }
    }
    let turn = |(invocation, said): (&Str, Option<String>)| Turn {
        invocation: invocation.clone(),
        said: Fingerprint::of(said.unwrap_or_default().trim().as_bytes()),
    };
    turns.into_iter().map(turn).collect()
}

/// Numbers for the turns of both, from 1 and in their order; those that are the same have the same number.
fn numbered(a: &[Fingerprint], b: &[Fingerprint]) -> [Vec<u32>; 2] {
    let (mut of_a, mut of_b) = (Vec::with_capacity(a.len()), Vec::with_capacity(b.len()));
    let mut next = 1;
    for op in capture_diff_slices(Algorithm::Myers, a, b) {
        let (n_a, n_b) = match op {
            DiffOp::Equal { len, .. } => (len, len),
            DiffOp::Delete { old_len, .. } => (old_len, 0),
            DiffOp::Insert { new_len, .. } => (0, new_len),
            DiffOp::Replace { old_len, new_len, .. } => (old_len, new_len),
        };
        of_a.extend((next..).take(n_a));
        of_b.extend((next..).take(n_b));
        next += n_a.max(n_b) as u32;
    }
    [of_a, of_b]
}

fn swapped([a, b]: [Vec<u32>; 2]) -> [Vec<u32>; 2] {
    [b, a]
}
