//! Tokens around the place where two texts part.

use strata_measure::analysis::{Kind, Scale};

use crate::api::cache::TokenChip;

/// Tokens that are shown before and behind the difference.
const BEFORE: usize = 9;
const BEHIND: usize = 40;
/// Bytes that are cut into tokens before and behind it.
const LEAD: usize = 400;
const TAIL: usize = 900;

/// A text, and the byte at which it differs from the other.
pub(super) struct Edge {
    pub text: String,
    pub byte: usize,
    pub kind: Kind,
}

/// The tokens of both sides around their difference, and how many both begin with.
pub(super) fn chips(
    scale: Scale<'_>,
    (before, after): &(Edge, Edge),
) -> (Vec<TokenChip>, Vec<TokenChip>, u32) {
    let lead = common_lead(before, after);
    let (old, new) = (tokens(scale, before, lead), tokens(scale, after, lead));
    let common = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let from = common.saturating_sub(BEFORE);
    let shown = |tokens: &[String], kind: Kind| -> Vec<TokenChip> {
        let shown = tokens.iter().skip(from).take(common - from + BEHIND);
        shown.map(|text| TokenChip { text: text.clone(), kind: kind.into() }).collect()
    };
    (shown(&old, before.kind), shown(&new, after.kind), (common - from) as u32)
}

/// Bytes that both texts have in common right before the difference, at most [`LEAD`].
fn common_lead(before: &Edge, after: &Edge) -> usize {
    let (old, new) = (&before.text.as_bytes()[..before.byte], &after.text.as_bytes()[..after.byte]);
    let same = old.iter().rev().zip(new.iter().rev()).take(LEAD).take_while(|(a, b)| a == b).count();
    (0..=same).rev().find(|lead| before.text.is_char_boundary(before.byte - lead)).unwrap_or(0)
}

fn tokens(scale: Scale<'_>, edge: &Edge, lead: usize) -> Vec<String> {
    let from = edge.byte - lead;
    let to = (edge.byte + TAIL).min(edge.text.len());
    let to = (to..=edge.text.len()).find(|to| edge.text.is_char_boundary(*to)).unwrap_or(edge.text.len());
    let window = &edge.text[from..to];
    let mut tokens = Vec::new();
    let mut start = 0;
    for end in scale.weigher().token_ends(window) {
        // A token may end inside a character; then the next one shows it.
        let end = end as usize;
        if window.is_char_boundary(end) && end > start {
            tokens.push(window[start..end].to_owned());
            start = end;
        }
    }
    // What is cut off at the edges of the window is no token of the text.
    if from > 0 && tokens.len() > 1 {
        tokens.remove(0);
    }
    if to < edge.text.len() {
        tokens.pop();
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(text: &str, byte: usize) -> Edge {
        Edge { text: text.to_owned(), byte, kind: Kind::System }
    }

    #[test]
    fn the_lead_is_what_both_have_right_before() {
        assert_eq!(common_lead(&edge("Hits: 41", 6), &edge("Hits: 2318", 6)), 6);
        assert_eq!(common_lead(&edge("a\nHits: 41", 8), &edge("bc\nHits: 2", 9)), 7);
        assert_eq!(common_lead(&edge("é: 1", 4), &edge("è: 1", 4)), 2);
        assert_eq!(common_lead(&edge("", 0), &edge("x", 0)), 0);
    }
}
