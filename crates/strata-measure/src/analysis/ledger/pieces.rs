//! The ledger entry by entry, for those who add up something of their own.

use super::{Cut, Ledger};
use crate::analysis::weigh::{Piece, Weighed};

/// Pieces of prompts that are always sent together, and the calls that sent them: a head, or a chunk of contents.
#[derive(Debug, Clone)]
pub struct SentTogether<'l> {
    pub pieces: Vec<SentPiece<'l>>,
    /// In the order of calls.
    pub runs: Vec<SentRun>,
}

/// A piece of prompts.
#[derive(Debug, Clone, Copy)]
pub struct SentPiece<'l> {
    pub piece: &'l Piece,
    /// The content it is a part of; `None` for tools and the system instruction.
    pub content: Option<&'l Weighed>,
    /// Its content among those sent together, and its place in that content.
    place: (usize, usize),
    /// In a head: tokens before it.
    start: u32,
}

/// Consecutive calls, both ends included, that had sent as much of something before.
#[derive(Debug, Clone, Copy)]
pub struct SentRun {
    pub first_call: u32,
    pub last_call: u32,
    matched: UpTo,
    /// Everything sent together lies in the prefix that was sent before.
    pub is_matched_whole: bool,
    /// Nothing of it does.
    pub is_fresh: bool,
}

/// Where a prefix ends.
#[derive(Debug, Clone, Copy)]
enum UpTo {
    Tokens(u32),
    Cut(Cut),
}

impl SentRun {
    pub fn n_calls(&self) -> u32 {
        self.last_call - self.first_call + 1
    }

    /// Tokens of a piece that a call had sent before.
    pub fn matched(&self, sent: &SentPiece<'_>) -> u32 {
        match self.matched {
            UpTo::Tokens(tokens) => tokens.saturating_sub(sent.start).min(sent.piece.tokens),
            UpTo::Cut(cut) => cut.of(sent.place.0, sent.place.1, sent.piece),
        }
    }
}

impl Ledger {
    /// Everything that was sent: tools and instructions, then the conversations, each in the order in which they
    /// were first sent.
    pub fn sent(&self) -> impl Iterator<Item = SentTogether<'_>> {
        let heads = self.heads.all.iter().map(|sent| {
            let mut start = 0;
            let pieces = sent.what.pieces.iter().map(|piece| {
                let before = start;
                start += piece.tokens;
                SentPiece { piece, content: None, place: (0, 0), start: before }
            });
            let pieces: Vec<SentPiece<'_>> = pieces.collect();
            let runs = sent.runs.iter().map(|run| SentRun {
                first_call: run.from,
                last_call: run.to,
                matched: UpTo::Tokens(run.matched),
                is_matched_whole: run.matched >= start,
                is_fresh: run.matched == 0,
            });
            SentTogether { runs: runs.collect(), pieces }
        });
        let chunks = self.chunks.all.iter().map(|sent| {
            let pieces = sent.what.pieces().map(|(at, part, piece)| SentPiece {
                piece,
                content: Some(&sent.what.contents[at]),
                place: (at, part),
                start: 0,
            });
            let runs = sent.runs.iter().map(|run| SentRun {
                first_call: run.from,
                last_call: run.to,
                matched: UpTo::Cut(run.matched),
                is_matched_whole: run.matched.contents >= sent.what.contents.len(),
                is_fresh: run.matched == Cut { contents: 0, parts: 0, tokens: 0 },
            });
            SentTogether { runs: runs.collect(), pieces: pieces.collect() }
        });
        heads.chain(chunks)
    }
}
