//! The ledger entry by entry, for those who add up something of their own.

use super::Ledger;
use crate::analysis::weigh::{Piece, Weighed};

/// A piece of prompts, in consecutive calls that sent it at the same place.
#[derive(Debug, Clone, Copy)]
pub struct SentPiece<'l> {
    pub piece: &'l Piece,
    /// The content it is a part of; `None` for tools and the system instruction.
    pub content: Option<&'l Weighed>,
    pub first_call: u32,
    pub last_call: u32,
    /// Of its tokens in each of the calls, those in a prefix that was sent before.
    pub matched: u32,
}

impl Ledger {
    /// Everything that was sent: tools and instructions, then the conversations, each in the order in which they
    /// were first sent.
    pub fn pieces(&self) -> impl Iterator<Item = SentPiece<'_>> {
        let heads = self.heads.all.iter().flat_map(|sent| {
            let mut before = 0;
            let pieces = sent.what.pieces.iter().map(move |piece| {
                let start = before;
                before += piece.tokens;
                (start, piece)
            });
            pieces.flat_map(|(start, piece)| {
                sent.runs.iter().map(move |run| SentPiece {
                    piece,
                    content: None,
                    first_call: run.from,
                    last_call: run.to,
                    matched: run.matched.saturating_sub(start).min(piece.tokens),
                })
            })
        });
        let chunks = self.chunks.all.iter().flat_map(|sent| {
            sent.what.pieces().flat_map(move |(at, part, piece)| {
                sent.runs.iter().map(move |run| SentPiece {
                    piece,
                    content: Some(&sent.what.contents[at]),
                    first_call: run.from,
                    last_call: run.to,
                    matched: run.matched.of(at, part, piece),
                })
            })
        });
        heads.chain(chunks)
    }
}
