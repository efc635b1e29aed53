//! What every source cost over a whole session: in which calls its tokens were sent, and how many of them a provider
//! had seen before.

mod call_set;
mod pieces;
mod sent;
mod sums;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use strata_model::{EventIndex, Fingerprint};

use super::call_rates::CallRates;
use super::prefix::{CommonPrefix, MatchedPrefix, PrefixEnd};
use super::weigh::{Piece, WeighedBlock, WeighedChunk, WeighedPieces, WeighedPrompt};
use call_set::CallSet;
use pieces::Entries;
pub use pieces::{SentPiece, SentRun, SentTogether};
use sent::{Cut, SentItems};
use sums::{CarriedSums, PieceGroup, PricedSum, Sums};
pub use sums::{CarriedTokens, LedgerSum, SourceUse, UseTotals};

/// The prompts of all calls, by what they share. A copy is cheap, and stays as it is while the other grows.
///
/// A prompt is a head, full blocks of contents, the full chunks behind them and the contents behind those. Mostly a
/// call sends what the one before it sent, and a few contents more: only what differs is touched.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    heads: SentItems<WeighedPieces>,
    contents: SentItems<WeighedPieces>,
    chunks: SentItems<WeighedChunk>,
    blocks: SentItems<WeighedBlock>,
    n_calls: u32,
    /// What the last call sent, in the order of its prompt.
    open: Arc<Vec<Open>>,
    /// How many things were sent.
    order: u64,
}

/// A thing of a prompt.
enum PromptNode<'p> {
    Head(&'p Arc<WeighedPieces>),
    Content(&'p Arc<WeighedPieces>),
    Chunk(&'p Arc<WeighedChunk>),
    Block(&'p Arc<WeighedBlock>),
}

/// A thing that the last call sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Open {
    kind: Kind,
    key: Fingerprint,
    matched: Cut,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Head,
    Content,
    Chunk,
    Block,
}

impl PromptNode<'_> {
    fn open(&self, matched: Cut) -> Open {
        let (kind, key) = match self {
            Self::Head(head) => (Kind::Head, head.key),
            Self::Content(content) => (Kind::Content, content.key),
            Self::Chunk(chunk) => (Kind::Chunk, chunk.key),
            Self::Block(block) => (Kind::Block, block.key),
        };
        Open { kind, key, matched }
    }

    fn n_contents(&self) -> usize {
        match self {
            Self::Head(_) => 0,
            Self::Content(_) => 1,
            Self::Chunk(chunk) => chunk.contents.len(),
            Self::Block(block) => block.n_contents,
        }
    }
}

/// What a prompt is made of, behind its head.
fn things(prompt: &WeighedPrompt) -> impl Iterator<Item = PromptNode<'_>> {
    prompt.blocks.iter().flat_map(|block| {
        let (whole, rest) =
            if block.is_full { (Some(PromptNode::Block(block)), &[][..]) } else { (None, &block.chunks[..]) };
        let rest = rest.iter().flat_map(|chunk| {
            let (whole, rest) = if chunk.is_full {
                (Some(PromptNode::Chunk(chunk)), &[][..])
            } else {
                (None, &chunk.contents[..])
            };
            whole.into_iter().chain(rest.iter().map(PromptNode::Content))
        });
        whole.into_iter().chain(rest)
    })
}

impl Ledger {
    /// Enters a call's prompt. Calls are entered in their order; `prefix` is what the prompt shares with the call
    /// before it in its lineage.
    pub(super) fn enter(
        &mut self,
        call: u32,
        prompt: &WeighedPrompt,
        prefix: Option<(&CommonPrefix, MatchedPrefix)>,
    ) {
        let head = Cut { tokens: prefix.map_or(0, |(_, matched)| matched.head), ..Cut::default() };
        let prefix = prefix.filter(|(common, _)| common.ends_in > PrefixEnd::System);
        let mut before = 0;
        let sent = things(prompt).map(|thing| {
            let len = thing.n_contents();
            let cut = prefix.map_or(Cut::default(), |(common, matched)| cut(common, matched, before, len));
            before += len;
            (thing, cut)
        });
        let last = std::mem::take(&mut self.open);
        let mut open: Vec<Open> = Vec::with_capacity(last.len() + 2);
        // What both begin with goes on; everything of the earlier call behind it ends before anything begins.
        let mut goes_on = true;
        let mut begins = Vec::new();
        for (thing, cut) in std::iter::once((PromptNode::Head(&prompt.head), head)).chain(sent) {
            let now = thing.open(cut);
            goes_on &= last.get(open.len()) == Some(&now);
            if !goes_on {
                begins.push((thing, cut));
            }
            open.push(now);
        }
        for ended in &last[open.len() - begins.len()..] {
            self.close(ended);
        }
        self.n_calls = call;
        for (thing, cut) in begins {
            match thing {
                PromptNode::Head(head) => self.heads.open(head, call, cut, &mut self.order),
                PromptNode::Content(content) => self.contents.open(content, call, cut, &mut self.order),
                PromptNode::Chunk(chunk) => self.chunks.open(chunk, call, cut, &mut self.order),
                PromptNode::Block(block) => self.blocks.open(block, call, cut, &mut self.order),
            }
        }
        self.open = Arc::new(open);
    }

    fn close(&mut self, ended: &Open) {
        let Open { kind, key, matched } = *ended;
        match kind {
            Kind::Head => self.heads.close(key, self.n_calls, matched),
            Kind::Content => self.contents.close(key, self.n_calls, matched),
            Kind::Chunk => self.chunks.close(key, self.n_calls, matched),
            Kind::Block => self.blocks.close(key, self.n_calls, matched),
        }
    }

    /// Everything that was sent: tools and instructions, then the conversations, each in the order in which they
    /// were first sent.
    pub fn sent(&self) -> impl Iterator<Item = SentTogether<'_>> {
        self.entries().sent()
    }

    /// What each of a session's events cost.
    pub fn events(&self, n_events: usize) -> Vec<UseTotals> {
        Self::sum_events(self.sent(), n_events)
    }

    /// What each of a session's events cost in some of the calls, from the first to the last of them.
    pub fn events_within(&self, n_events: usize, (first, last): (u32, u32)) -> Vec<UseTotals> {
        Self::sum_events(self.sent().filter_map(|sent| sent.within(first, last)), n_events)
    }

    fn sum_events<'l>(sent: impl Iterator<Item = SentTogether<'l>>, n_events: usize) -> Vec<UseTotals> {
        let groups: Vec<PieceGroup<'_>> = sent.enumerate().map(PieceGroup::of).collect();
        // The groups of each event.
        let mut places: Vec<Vec<u32>> = vec![Vec::new(); n_events];
        let mut uses = vec![UseTotals::default(); n_events];
        for (nth, group) in groups.iter().enumerate() {
            for sent in &group.pieces {
                let event = sent.piece.origin.event().map(EventIndex::as_usize);
                let Some(event) = event.filter(|event| *event < n_events) else { continue };
                group.add_to(&mut uses[event], sent);
                if places[event].last() != Some(&(nth as u32)) {
                    places[event].push(nth as u32);
                }
            }
        }
        let mut known: HashMap<Vec<u32>, CallSet> = HashMap::new();
        for (of_event, mut places) in uses.iter_mut().zip(places) {
            // Contents are sent in a chunk for most of their time, and those of a chunk share its calls.
            let alone = places.extract_if(.., |nth| groups[*nth as usize].is_alone);
            let alone = CallSet::of(alone.flat_map(|nth| groups[nth as usize].calls()).collect::<Vec<_>>());
            let calls = known.entry(places).or_insert_with_key(|places| {
                CallSet::of(places.iter().flat_map(|nth| groups[*nth as usize].calls()))
            });
            of_event.set_calls(&[calls, &alone]);
        }
        uses
    }

    /// What everything else cost, the costliest first: tools, instructions, state in templates, the runtime's own words.
    pub fn sources(&self) -> Vec<SourceUse> {
        let is_source = |sent: &&SentPiece<'_>| sent.piece.origin.event().is_none();
        let mut known = Sums::default();
        for (nth, group) in self.sent().enumerate() {
            if !group.pieces.iter().any(|sent| is_source(&sent)) {
                continue;
            }
            let group = PieceGroup::of((nth, group));
            group.pieces.iter().filter(is_source).for_each(|sent| known.add(&group, sent));
        }
        let mut sources: Vec<SourceUse> = known.finish().collect();
        sources.sort_by_key(|source| std::cmp::Reverse(source.usage.lifetime));
        sources
    }

    /// What all pieces cost, summed up by `key`; those without one are left out.
    pub fn sums_by<K: Ord>(
        &self,
        rates: &CallRates,
        key: impl Fn(&Piece) -> Option<K>,
    ) -> BTreeMap<K, LedgerSum> {
        let mut known: BTreeMap<K, PricedSum> = BTreeMap::new();
        for group in self.sent().enumerate().map(PieceGroup::of) {
            let priced = group.priced(rates);
            for sent in &group.pieces {
                if let Some(key) = key(sent.piece) {
                    known.entry(key).or_default().add(&group, priced.as_ref(), sent);
                }
            }
        }
        known.into_iter().map(|(key, sum)| (key, sum.finish())).collect()
    }

    /// What an event cost, call by call: runs of calls in which it came to the same.
    pub fn carriers(&self, event: EventIndex) -> Vec<CarriedTokens> {
        let mut sums = CarriedSums::default();
        let is_of_event = |piece: &Piece| piece.origin.event() == Some(event);
        for group in self.entries().sent_with(is_of_event) {
            for sent in group.pieces.iter().filter(|sent| is_of_event(sent.piece)) {
                group.runs.iter().for_each(|run| sums.add(run, sent));
            }
        }
        sums.finish()
    }

    fn entries(&self) -> Entries<'_> {
        let Self { heads, contents, chunks, blocks, n_calls, .. } = self;
        Entries { heads, contents, chunks, blocks, n_calls: *n_calls }
    }
}

/// Where the prefix ends in a thing of so many contents that stands behind others.
fn cut(common: &CommonPrefix, matched: MatchedPrefix, before: usize, len: usize) -> Cut {
    match common.contents.checked_sub(before) {
        None => Cut::default(),
        Some(contents) if contents >= len => Cut { contents: len as u16, ..Cut::default() },
        Some(contents) => {
            Cut { contents: contents as u16, parts: common.parts as u32, tokens: matched.in_part }
        }
    }
}
