//! What every source cost over a whole session: in which calls its tokens were sent, and how many of them a provider
//! had seen before.

mod pieces;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use strata_model::{EventIndex, Fingerprint, Origin};

use super::call_rates::{CallRates, PicoDollars, dollars};
use super::kind::Kind;
use super::prefix::{CommonPrefix, Matched, PrefixEnd};
use super::weigh::{Piece, Weighed, WeighedChunk, WeighedPrompt};
pub use pieces::{SentPiece, SentRun, SentTogether};

/// The prompts of all calls, by what they share.
#[derive(Default)]
pub struct Ledger {
    heads: Shared<Arc<Weighed>, u32>,
    chunks: Shared<Arc<WeighedChunk>, Cut>,
}

/// Things that calls share, in the order in which they were first sent.
struct Shared<T, M> {
    all: Vec<Sent<T, M>>,
    places: HashMap<Fingerprint, usize>,
}

/// Something that was sent in several calls.
struct Sent<T, M> {
    what: T,
    runs: Vec<Run<M>>,
}

/// Consecutive calls, both ends included, and how much of it a provider had seen before.
struct Run<M> {
    from: u32,
    to: u32,
    matched: M,
}

/// Where in a chunk a matched prefix ends: after whole contents, whole parts of the next, tokens of the part after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cut {
    contents: usize,
    parts: usize,
    tokens: u32,
}

/// What a source cost over all calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Use {
    /// Calls that carried it.
    pub calls: u32,
    /// The first and the last of them; 0 if there is none.
    pub first_call: u32,
    pub last_call: u32,
    /// Tokens over all of them.
    pub lifetime: u64,
    /// Of these, tokens in a prefix that was sent before.
    pub matched: u64,
}

/// What a source cost in one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Carried {
    pub call: u32,
    pub tokens: u32,
    pub matched: u32,
}

/// What a source that is not an event cost.
#[derive(Debug, Clone)]
pub struct SourceUse {
    pub origin: Origin,
    pub kind: Kind,
    /// Tokens in the last call that carried it.
    pub tokens: u32,
    pub usage: Use,
}

/// What everything with one key cost.
#[derive(Debug, Clone, PartialEq)]
pub struct LedgerSum {
    /// Tokens in the last call that carried it.
    pub tokens: u32,
    pub usage: Use,
    /// US dollars over all calls. `None` when one of their models has no price.
    pub cost_usd: Option<f64>,
}

impl<T, M> Default for Shared<T, M> {
    fn default() -> Self {
        Self { all: Vec::new(), places: HashMap::new() }
    }
}

impl<T: Clone, M: PartialEq> Shared<T, M> {
    fn in_call(&mut self, key: Fingerprint, what: &T, call: u32, matched: M) {
        let place = *self.places.entry(key).or_insert(self.all.len());
        if place == self.all.len() {
            self.all.push(Sent { what: what.clone(), runs: Vec::new() });
        }
        self.all[place].in_call(call, matched);
    }
}

impl<T, M: PartialEq> Sent<T, M> {
    fn in_call(&mut self, call: u32, matched: M) {
        match self.runs.last_mut() {
            Some(run) if run.to + 1 == call && run.matched == matched => run.to = call,
            _ => self.runs.push(Run { from: call, to: call, matched }),
        }
    }
}

impl<M> Run<M> {
    fn calls(&self) -> u32 {
        self.to - self.from + 1
    }
}

impl Ledger {
    /// Enters a call's prompt. Calls are entered in their order; `prefix` is what the prompt shares with the call
    /// before it in its lineage.
    pub(super) fn enter(
        &mut self,
        call: u32,
        prompt: &WeighedPrompt,
        prefix: Option<(&CommonPrefix, Matched)>,
    ) {
        let matched = prefix.map_or(0, |(_, matched)| matched.head);
        self.heads.in_call(prompt.head_key, &prompt.head, call, matched);
        let mut left = prefix.filter(|(common, _)| common.ends_in > PrefixEnd::System);
        let mut before = 0;
        for (key, chunk) in &prompt.chunks {
            let len = chunk.contents.len();
            let nothing = Cut { contents: 0, parts: 0, tokens: 0 };
            let cut = match left {
                None => nothing,
                Some((common, _)) if common.contents >= before + len => Cut { contents: len, ..nothing },
                Some((common, matched)) => {
                    left = None;
                    Cut { contents: common.contents - before, parts: common.parts, tokens: matched.in_part }
                }
            };
            before += len;
            self.chunks.in_call(*key, chunk, call, cut);
        }
    }

    /// What each of a session's events cost.
    pub fn events(&self, n_events: usize) -> Vec<Use> {
        let mut places: Vec<Vec<&Sent<Arc<WeighedChunk>, Cut>>> = vec![Vec::new(); n_events];
        let mut uses = vec![Use::default(); n_events];
        for sent in &self.chunks.all {
            for (at, part, piece) in sent.what.pieces() {
                let Some(event) = piece.origin.event().filter(|event| event.as_usize() < n_events) else {
                    continue;
                };
                let of_event = &mut uses[event.as_usize()];
                for run in &sent.runs {
                    let calls = u64::from(run.calls());
                    of_event.lifetime += calls * u64::from(piece.tokens);
                    of_event.matched += calls * u64::from(run.matched.of(at, part, piece));
                }
                let known = &mut places[event.as_usize()];
                if known.last().is_none_or(|last| !std::ptr::eq(*last, sent)) {
                    known.push(sent);
                }
            }
        }
        for (of_event, sent) in uses.iter_mut().zip(&places) {
            let runs = sent.iter().flat_map(|sent| &sent.runs).map(|run| (run.from, run.to));
            of_event.set_calls(runs.collect());
        }
        uses
    }

    /// What everything else cost, the costliest first: tools, instructions, state in templates, the runtime's own words.
    pub fn sources(&self) -> Vec<SourceUse> {
        let mut known = Sums::default();
        self.for_each_run(|piece, matched, run| {
            if piece.origin.event().is_none() {
                known.of(piece).add(piece, matched, run);
            }
        });
        let mut sources: Vec<SourceUse> =
            known.all.into_iter().map(|((origin, kind), sum)| sum.finish(origin.clone(), kind)).collect();
        sources.sort_by_key(|source| std::cmp::Reverse(source.usage.lifetime));
        sources
    }

    /// What all pieces cost, summed up by `key`; those without one are left out.
    pub fn sums_by<K: Ord>(
        &self,
        rates: &CallRates,
        key: impl Fn(&Piece) -> Option<K>,
    ) -> BTreeMap<K, LedgerSum> {
        let mut known: BTreeMap<K, (Sum, Option<PicoDollars>)> = BTreeMap::new();
        self.for_each_run(|piece, matched, run| {
            let Some(key) = key(piece) else { return };
            let (sum, cost) = known.entry(key).or_insert_with(|| (Sum::default(), Some(0)));
            sum.add(piece, matched, run);
            *cost = cost.zip(rates.cost(run, piece.tokens, matched)).map(|(sum, more)| sum + more);
        });
        let finish = |(key, (sum, cost)): (K, (Sum, Option<PicoDollars>))| {
            let (tokens, usage) = sum.totals();
            (key, LedgerSum { tokens, usage, cost_usd: cost.map(dollars) })
        };
        known.into_iter().map(finish).collect()
    }

    /// Shows every piece with the runs of calls that carried it (the first and the last call), and how many of its
    /// tokens a provider had seen before.
    fn for_each_run<'l>(&'l self, mut visit: impl FnMut(&'l Piece, u32, (u32, u32))) {
        for sent in &self.heads.all {
            let mut before = 0;
            for piece in &sent.what.pieces {
                for run in &sent.runs {
                    let matched = run.matched.saturating_sub(before).min(piece.tokens);
                    visit(piece, matched, (run.from, run.to));
                }
                before += piece.tokens;
            }
        }
        for sent in &self.chunks.all {
            for (at, part, piece) in sent.what.pieces() {
                for run in &sent.runs {
                    visit(piece, run.matched.of(at, part, piece), (run.from, run.to));
                }
            }
        }
    }

    /// What an event cost, call by call.
    pub fn carriers(&self, event: EventIndex) -> Vec<Carried> {
        let mut by_call: HashMap<u32, Carried> = HashMap::new();
        for sent in &self.chunks.all {
            for (at, part, piece) in
                sent.what.pieces().filter(|(_, _, piece)| piece.origin.event() == Some(event))
            {
                for run in &sent.runs {
                    for call in run.from..=run.to {
                        let carried = by_call.entry(call).or_insert(Carried { call, tokens: 0, matched: 0 });
                        carried.tokens += piece.tokens;
                        carried.matched += run.matched.of(at, part, piece);
                    }
                }
            }
        }
        let mut carriers: Vec<Carried> = by_call.into_values().collect();
        carriers.sort_by_key(|carried| carried.call);
        carriers
    }
}

impl WeighedChunk {
    /// The parts with the place of their content in the chunk and their own in the content.
    fn pieces(&self) -> impl Iterator<Item = (usize, usize, &Piece)> {
        let contents = self.contents.iter().enumerate();
        contents.flat_map(|(at, content)| {
            content.pieces.iter().enumerate().map(move |(part, piece)| (at, part, piece))
        })
    }
}

impl Cut {
    /// Tokens before the cut of the part at this place.
    fn of(self, content: usize, part: usize, piece: &Piece) -> u32 {
        match (content, part).cmp(&(self.contents, self.parts)) {
            std::cmp::Ordering::Less => piece.tokens,
            std::cmp::Ordering::Equal => self.tokens.min(piece.tokens),
            std::cmp::Ordering::Greater => 0,
        }
    }
}

impl Use {
    /// Runs may overlap: a source can stand in a prompt more than once.
    fn set_calls(&mut self, mut runs: Vec<(u32, u32)>) {
        runs.sort_unstable();
        self.first_call = runs.first().map_or(0, |(from, _)| *from);
        self.last_call = runs.iter().map(|(_, to)| *to).max().unwrap_or(0);
        let mut counted_to = 0;
        for (from, to) in runs {
            let from = from.max(counted_to + 1);
            if from <= to {
                self.calls += to - from + 1;
                counted_to = to;
            }
        }
    }
}

/// Sources in the order in which they were first sent.
#[derive(Default)]
struct Sums<'l> {
    all: Vec<((&'l Origin, Kind), Sum)>,
    places: HashMap<(&'l Origin, Kind), usize>,
}

impl<'l> Sums<'l> {
    fn of(&mut self, piece: &'l Piece) -> &mut Sum {
        let key = (&piece.origin, piece.kind);
        let place = *self.places.entry(key).or_insert(self.all.len());
        if place == self.all.len() {
            self.all.push((key, Sum::default()));
        }
        &mut self.all[place].1
    }
}

/// What several pieces cost, while it is summed up.
#[derive(Default)]
struct Sum {
    usage: Use,
    runs: Vec<(u32, u32)>,
    /// The last call, and the tokens in it.
    last: (u32, u32),
}

impl Sum {
    fn add(&mut self, piece: &Piece, matched: u32, (from, to): (u32, u32)) {
        let calls = u64::from(to - from + 1);
        self.usage.lifetime += calls * u64::from(piece.tokens);
        self.usage.matched += calls * u64::from(matched);
        self.runs.push((from, to));
        match self.last.0.cmp(&to) {
            std::cmp::Ordering::Less => self.last = (to, piece.tokens),
            std::cmp::Ordering::Equal => self.last.1 += piece.tokens,
            std::cmp::Ordering::Greater => {}
        }
    }

    /// Tokens in the last call, and what all calls come to.
    fn totals(mut self) -> (u32, Use) {
        self.usage.set_calls(self.runs);
        (self.last.1, self.usage)
    }

    fn finish(self, origin: Origin, kind: Kind) -> SourceUse {
        let (tokens, usage) = self.totals();
        SourceUse { origin, kind, tokens, usage }
    }
}
