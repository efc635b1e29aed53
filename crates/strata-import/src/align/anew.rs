//! Messages that are told anew: the same ones in other words, such as with another time in front, or at another place.

use super::summary::is_summary_of_client;
use super::unit::{Overlap, Unit};

/// Bytes by which a message has to have grown to tell of others beside itself.
const TOLD_BESIDES: usize = 200;
/// Bytes of the longest value, such as a time with its name.
const OF_VALUE: usize = 64;
/// Messages that are gone and among which the one that is told anew is looked for.
const WINDOW: usize = 16;

/// A message with its text.
pub(super) struct Said<'t> {
    /// Its place, in the lane or in the request.
    pub place: usize,
    pub unit: &'t Unit,
    pub text: &'t str,
}

/// Pairs of places: what is gone, and what tells it anew. Each is in one pair at most.
pub(super) fn told_anew(gone: &[Said<'_>], new: &[Said<'_>]) -> Vec<(usize, usize)> {
    let mut open: Vec<&Said<'_>> = gone.iter().collect();
    let mut pairs = Vec::new();
    for said in new {
        let moved = open.iter().position(|old| old.unit.is_same(said.unit));
        let found = moved.or_else(|| open.iter().take(WINDOW).position(|old| is_version(old, said)));
        if let Some(at) = found {
            pairs.push((open.remove(at).place, said.place));
        }
    }
    pairs
}

/// The same of messages of which another stands in the very place, between the same neighbours: a person asks otherwise.
pub(super) fn asked_otherwise(overlap: &Overlap, gone: &[Said<'_>], new: &[Said<'_>]) -> Vec<(usize, usize)> {
    let mut before = (overlap.shared, overlap.shared);
    let mut pairs = Vec::new();
    for (old_end, new_end) in &overlap.kept {
        let (old, asked) = before;
        before = (old_end + 1, new_end + 1);
        if (old + 1, asked + 1) != (*old_end, *new_end) {
            continue;
        }
        let is_asked = |said: &&Said<'_>| !said.unit.is_model && !is_summary_of_client(said.text);
        let is_gone = gone.iter().filter(is_asked).any(|said| said.place == old);
        if is_gone && new.iter().filter(is_asked).any(|said| said.place == asked) {
            pairs.push((old, asked));
        }
    }
    pairs
}

/// Whether half of the shorter text is the beginning or the end of both, and little was added.
fn is_version(old: &Said<'_>, new: &Said<'_>) -> bool {
    let (begin, end) = common_ends(old.text, new.text);
    let shorter = old.text.len().min(new.text.len());
    old.unit.is_model == new.unit.is_model
        && shorter > 0
        && (begin + end) * 2 >= shorter
        && new.text.len() < old.text.len() + TOLD_BESIDES
}

/// Whether a text is the same but for one value, which may be missing in one of them.
pub(super) fn is_other_value(old: &str, new: &str) -> bool {
    let (begin, end) = common_ends(old, new);
    let (longer, shorter) = (old.len().max(new.len()), old.len().min(new.len()));
    longer - begin - end <= OF_VALUE && (begin + end) * 2 >= shorter && begin + end > 0
}

/// Bytes at the beginning and behind them at the end that are the same in two texts.
fn common_ends(a: &str, b: &str) -> (usize, usize) {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let shorter = a.len().min(b.len());
    let begin = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let end = a.iter().rev().zip(b.iter().rev()).take(shorter - begin).take_while(|(a, b)| a == b).count();
    (begin, end)
}
