//! The ledger entry by entry, for those who add up something of their own.

use std::collections::HashMap;
use std::sync::Arc;

use strata_model::Fingerprint;

use super::sent::{Cut, Run, SentItem, SentItems};
use crate::analysis::weigh::{Piece, WeighedBlock, WeighedChunk, WeighedPieces};

/// Pieces of prompts that are always sent together, and the calls that sent them: a head, a content, or a chunk of
/// contents. A piece may be sent with others later than at first; no call is counted twice for that.
#[derive(Debug, Clone)]
pub struct SentTogether<'l> {
    pub pieces: Vec<SentPiece<'l>>,
    /// In the order of their first calls.
    pub runs: Vec<SentRun>,
}

impl SentTogether<'_> {
    /// The same in its calls from one to another; nothing where it has none there.
    pub(super) fn within(mut self, first: u32, last: u32) -> Option<Self> {
        self.runs.retain(|run| run.first_call <= last && run.last_call >= first);
        for run in &mut self.runs {
            *run = run.within(first, last);
        }
        (!self.runs.is_empty()).then_some(self)
    }
}

/// A piece of prompts.
#[derive(Debug, Clone, Copy)]
pub struct SentPiece<'l> {
    pub piece: &'l Piece,
    /// The content it is a part of; `None` for tools and the system instruction.
    pub content: Option<&'l WeighedPieces>,
    /// Its content among those sent together, and its place in that content.
    place: (usize, usize),
    /// In a head: tokens before it.
    start: u32,
}

impl SentPiece<'_> {
    /// Whether both are parts of one content, or stand before the first.
    pub(super) fn is_in_same_content(&self, other: &Self) -> bool {
        self.place.0 == other.place.0
    }
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

    /// Its calls from one to another, some of which it has.
    #[must_use]
    pub(crate) fn within(self, first: u32, last: u32) -> Self {
        Self { first_call: self.first_call.max(first), last_call: self.last_call.min(last), ..self }
    }

    /// Tokens of a piece that a call had sent before.
    pub fn matched(&self, sent: &SentPiece<'_>) -> u32 {
        match self.matched {
            UpTo::Tokens(tokens) => tokens.saturating_sub(sent.start).min(sent.piece.tokens),
            UpTo::Cut(cut) => cut.of(sent.place.0, sent.place.1, sent.piece),
        }
    }
}

/// Contents that are sent together, before their runs are put together.
struct Group<'l> {
    order: u64,
    contents: &'l [Arc<WeighedPieces>],
    /// Of the contents by themselves.
    own: &'l [Run],
    /// Blocks they stand in, each with how many contents of it stand before them.
    blocks: Vec<(&'l SentItem<WeighedBlock>, usize)>,
}

/// All things that were sent, when so many calls were made.
#[derive(Clone, Copy)]
pub(super) struct Entries<'l> {
    pub heads: &'l SentItems<WeighedPieces>,
    pub contents: &'l SentItems<WeighedPieces>,
    pub chunks: &'l SentItems<WeighedChunk>,
    pub blocks: &'l SentItems<WeighedBlock>,
    pub n_calls: u32,
}

impl<'l> Entries<'l> {
    /// Heads, then the conversations, each in the order in which they were first sent.
    pub(super) fn sent(self) -> impl Iterator<Item = SentTogether<'l>> {
        let heads = self.heads.iter().map(move |sent| self.head(sent));
        heads.chain(self.groups(|_| true).into_iter().map(move |group| self.together(&group)))
    }

    /// The same, of what has such a piece.
    pub(super) fn sent_with(
        self,
        is_meant: impl Fn(&Piece) -> bool + Copy,
    ) -> impl Iterator<Item = SentTogether<'l>> {
        let has_one = move |content: &WeighedPieces| content.pieces.iter().any(is_meant);
        let heads = self.heads.iter().filter(move |sent| has_one(&sent.what));
        let groups = self.groups(move |contents| contents.iter().any(|content| has_one(content)));
        heads
            .map(move |sent| self.head(sent))
            .chain(groups.into_iter().map(move |group| self.together(&group)))
    }

    fn head(&self, sent: &'l SentItem<WeighedPieces>) -> SentTogether<'l> {
        let mut start = 0;
        let pieces = sent.what.pieces.iter().map(|piece| {
            let before = start;
            start += piece.tokens;
            SentPiece { piece, content: None, place: (0, 0), start: before }
        });
        let pieces = pieces.collect();
        let runs = sent.runs.iter().map(|run| run.until(self.n_calls)).map(|run| SentRun {
            first_call: run.from,
            last_call: run.to,
            matched: UpTo::Tokens(run.matched.tokens),
            is_matched_whole: run.matched.tokens >= start,
            is_fresh: run.matched.tokens == 0,
        });
        SentTogether { runs: runs.collect(), pieces }
    }

    /// Groups of contents that are meant.
    fn groups(&self, is_meant: impl Fn(&[Arc<WeighedPieces>]) -> bool) -> Vec<Group<'l>> {
        let contents = self.contents.iter().map(|sent| Group {
            order: sent.order,
            contents: std::slice::from_ref(&sent.what),
            own: &sent.runs,
            blocks: Vec::new(),
        });
        let mut groups: Vec<Group<'l>> = contents.filter(|group| is_meant(group.contents)).collect();
        let mut places: HashMap<Fingerprint, usize> = HashMap::new();
        for sent in self.chunks.iter().filter(|sent| is_meant(&sent.what.contents)) {
            places.insert(sent.what.key, groups.len());
            groups.push(Group {
                order: sent.order,
                contents: &sent.what.contents,
                own: &sent.runs,
                blocks: Vec::new(),
            });
        }
        for sent in self.blocks.iter() {
            let mut before = 0;
            for (nth, chunk) in sent.what.chunks.iter().enumerate() {
                let start = before;
                before += chunk.contents.len();
                if !is_meant(&chunk.contents) {
                    continue;
                }
                let at = *places.entry(chunk.key).or_insert(groups.len());
                let order = sent.order + nth as u64;
                if at == groups.len() {
                    groups.push(Group { order, contents: &chunk.contents, own: &[], blocks: Vec::new() });
                }
                groups[at].order = groups[at].order.min(order);
                groups[at].blocks.push((sent, start));
            }
        }
        groups.sort_by_key(|group| group.order);
        groups
    }

    fn together(&self, group: &Group<'l>) -> SentTogether<'l> {
        let len = group.contents.len();
        let of_blocks = group.blocks.iter().flat_map(|(block, before)| {
            let cut = move |run: &Run| Run { matched: run.matched.behind(*before).within(len), ..*run };
            block.runs.iter().map(cut)
        });
        let mut runs: Vec<Run> = group.own.iter().copied().chain(of_blocks).collect();
        runs.sort_by_key(|run| run.from);
        let mut joined: Vec<Run> = Vec::with_capacity(runs.len());
        for run in runs.into_iter().map(|run| run.until(self.n_calls)) {
            match joined.last_mut() {
                Some(last) if last.to + 1 == run.from && last.matched == run.matched => last.to = run.to,
                _ => joined.push(run),
            }
        }
        let runs = joined.into_iter().map(|run| SentRun {
            first_call: run.from,
            last_call: run.to,
            matched: UpTo::Cut(run.matched),
            is_matched_whole: usize::from(run.matched.contents) >= len,
            is_fresh: run.matched == Cut::default(),
        });
        let pieces = group.contents.iter().enumerate().flat_map(|(at, content)| {
            let pieces = content.pieces.iter().enumerate();
            pieces.map(move |(part, piece)| SentPiece {
                piece,
                content: Some(content),
                place: (at, part),
                start: 0,
            })
        });
        SentTogether { runs: runs.collect(), pieces: pieces.collect() }
    }
}
