//! Messages that are told anew: the same ones in other words, such as with another time in front, or at another place.

use super::unit::Unit;

/// Bytes by which a message has to have grown to tell of others beside itself.
const TOLD_BESIDES: usize = 200;
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

/// Whether half of the shorter text is the beginning or the end of both, and little was added.
fn is_version(old: &Said<'_>, new: &Said<'_>) -> bool {
    let (a, b) = (old.text.as_bytes(), new.text.as_bytes());
    let shorter = a.len().min(b.len());
    let begin = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let end = a.iter().rev().zip(b.iter().rev()).take(shorter - begin).take_while(|(a, b)| a == b).count();
    old.unit.is_model == new.unit.is_model
        && shorter > 0
        && (begin + end) * 2 >= shorter
        && b.len() < a.len() + TOLD_BESIDES
}
