//! Answers in columns of numbers, for charts.

use std::ops::RangeInclusive;

use strata_engine::Call;
use strata_measure::analysis::{
    BilledCalls, CacheAnalysis, CallAnalysis, CallCache, Nature, Piece, SessionAnalysis,
};

use super::session::agent_names;
use crate::Strata;
use crate::api::call::{ColumnFlag, Columns, Map};
use crate::api::common::Kind;
use crate::command::{Bytes, Handler};
use crate::error::AppError;
use crate::open::OpenSession;
use crate::show::buckets;
use crate::tables::Tables;

pub(super) const VERSION: u32 = 1;
const COLUMNS_VERSION: u32 = 2;
pub(super) const NOT_KNOWN: u32 = u32::MAX;

/// Numbers of one width, one array after the other.
#[derive(Default)]
pub(super) struct Layout {
    bytes: Vec<u8>,
}

impl Layout {
    pub(super) fn words(&mut self, words: impl IntoIterator<Item = u32>) {
        self.bytes.extend(words.into_iter().flat_map(u32::to_le_bytes));
    }

    pub(super) fn halves(&mut self, halves: impl IntoIterator<Item = u16>) {
        self.bytes.extend(halves.into_iter().flat_map(u16::to_le_bytes));
    }

    fn single(&mut self, bytes: impl IntoIterator<Item = u8>) {
        self.bytes.extend(bytes);
    }

    pub(super) fn finish(self) -> Bytes {
        Bytes(self.bytes)
    }
}

struct Column {
    first: u32,
    peak: u32,
    tokens: u32,
    cached: u32,
    hidden: u32,
    by_kind: [u32; Kind::ALL.len()],
    agent: u16,
    flags: u16,
}

impl Handler for Columns {
    fn run(self, strata: &Strata) -> Result<Bytes, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let analysis = open.analysis();
        let caches = open.caches(&analysis, &strata.tables)?;
        let last = open.experiment.calls().len() as u32;
        let flags = Flags::of(&open, self.from..=self.to);
        let columns: Vec<Column> = buckets(self.from, self.to, last, self.max_columns)
            .into_iter()
            .map(|calls| column((&analysis, &caches), &flags, calls))
            .collect();
        let mut layout = Layout::default();
        layout.words([COLUMNS_VERSION, columns.len() as u32]);
        let mut words = |number: &dyn Fn(&Column) -> u32| layout.words(columns.iter().map(number));
        words(&|column| column.first);
        words(&|column| column.peak);
        words(&|column| column.tokens);
        words(&|column| column.cached);
        words(&|column| column.hidden);
        for kind in 0..Kind::ALL.len() {
            words(&|column| column.by_kind[kind]);
        }
        layout.halves(columns.iter().map(|column| column.agent));
        layout.halves(columns.iter().map(|column| column.flags));
        Ok(layout.finish())
    }
}

fn column(
    (analysis, caches): (&SessionAnalysis, &CacheAnalysis),
    flags: &Flags,
    calls: RangeInclusive<u32>,
) -> Column {
    let first = *calls.start();
    let paid = largest(caches, calls.clone());
    let number = paid.map_or(first, |paid| paid.call);
    let peak = analysis.call(number);
    Column {
        first,
        peak: number,
        tokens: paid.map_or(0, |paid| paid.bill.prompt_tokens),
        cached: paid.map_or(NOT_KNOWN, |paid| paid.bill.cached_tokens),
        hidden: paid.map_or(0, |paid| paid.bill.hidden_tokens()),
        by_kind: peak.map_or([0; Kind::ALL.len()], |peak| peak.by_kind),
        agent: flags.agent(number),
        flags: calls
            .map(|call| flags.of_call(call, analysis.call(call), caches.call(call)))
            .fold(0, |all, flags| all | flags),
    }
}

/// The call with the largest prompt, the first of them.
fn largest(caches: &CacheAnalysis, calls: RangeInclusive<u32>) -> Option<&CallCache> {
    let paid = calls.filter_map(|call| caches.call(call));
    paid.max_by_key(|paid| (paid.bill.prompt_tokens, std::cmp::Reverse(paid.call)))
}

/// What the session alone says about some of its calls.
struct Flags {
    first: u32,
    agents: Vec<u16>,
    from_session: Vec<u16>,
}

impl Flags {
    /// Of the calls with these numbers.
    fn of(open: &OpenSession, numbers: RangeInclusive<u32>) -> Self {
        let names = agent_names(open);
        let agent = |name| names.iter().position(|known| known == name).unwrap_or(0) as u16;
        let first = (*numbers.start()).max(1);
        let calls = open.experiment.calls();
        let from = calls.len().min(first as usize - 1);
        let to = calls.len().min(*numbers.end() as usize).max(from);
        let agents: Vec<u16> = calls.range(from..to).map(|call| agent(&call.invocation.agent)).collect();
        let mut from_session = vec![0; agents.len()];
        // What comes of a call stands behind its answer.
        let since = calls.get(from).map_or(0, Call::n_events);
        let facts = open.events().facts().focus().narrow(since..).into_iter();
        for facts in facts.filter(|facts| facts.error.is_some()) {
            let place = facts.call.and_then(|call| (call as usize).checked_sub(from + 1));
            if let Some(flags) = place.and_then(|place| from_session.get_mut(place)) {
                *flags |= ColumnFlag::Error as u16;
            }
        }
        let mut before = from.checked_sub(1).and_then(|before| calls.get(before));
        let mut n_summaries =
            open.experiment.n_summaries_before(before.map_or(0, |before| before.answer.as_usize()));
        for (call, flags) in calls.range(from..to).zip(&mut from_session) {
            if before.is_some_and(|before| before.invocation.agent != call.invocation.agent) {
                *flags |= ColumnFlag::Handoff as u16;
            }
            let n_seen = open.experiment.n_summaries_before(call.n_events());
            if n_seen > n_summaries {
                *flags |= ColumnFlag::Compaction as u16;
            }
            (before, n_summaries) = (Some(call), n_seen);
        }
        Self { first, agents, from_session }
    }

    fn agent(&self, number: u32) -> u16 {
        self.agents[(number - self.first) as usize]
    }

    fn of_call(&self, number: u32, call: Option<&CallAnalysis>, cache: Option<&CallCache>) -> u16 {
        let from_session = self.from_session[(number - self.first) as usize];
        let Some(call) = call else { return from_session | ColumnFlag::NotCompiled as u16 };
        let mut flags = from_session;
        if let Some(loss) = cache.and_then(CallCache::broken) {
            flags |= match loss.cause.nature() {
                Nature::Avoidable => ColumnFlag::AvoidableBreak,
                Nature::Structural => ColumnFlag::StructuralBreak,
                Nature::Provider => ColumnFlag::ProviderBreak,
            } as u16;
        }
        if matches!(call.outcome, strata_engine::Outcome::Failed { .. }) {
            flags |= ColumnFlag::Error as u16 | ColumnFlag::NotCompiled as u16;
        }
        if cache.is_some_and(|cache| cache.bill.is_cache_reported) {
            flags |= ColumnFlag::ReportedCache as u16;
        }
        flags
    }
}

/// What the map shows of neighbouring pieces.
struct Segment {
    tokens: u32,
    event: u32,
    kind: u8,
    flags: u8,
}

const QUOTED: u8 = 1;
const MERGED: u8 = 2;
const THOUGHT: u8 = 4;
const HIDDEN: u8 = 8;

impl Handler for Map {
    fn run(self, strata: &Strata) -> Result<Bytes, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let analysis = open.analysis();
        let caches = open.caches(&analysis, &strata.tables)?;
        let billed = BilledCalls { analysis: &analysis, caches: &caches };
        let last = analysis.calls().len() as u32;
        let columns = buckets(self.from, self.to, last, self.max_columns).into_iter();
        let largest = columns.filter_map(|calls| largest(&caches, calls).map(|paid| paid.call));
        map_bytes(&open, billed, &strata.tables, largest, self.min_tokens)
    }
}

/// The parts of prompts, a column each, in the order in which their providers read them.
pub(super) fn map_bytes(
    open: &OpenSession,
    BilledCalls { analysis, caches }: BilledCalls<'_>,
    tables: &Tables,
    calls: impl Iterator<Item = u32>,
    min_tokens: u32,
) -> Result<Bytes, AppError> {
    let mut columns: Vec<(u32, usize)> = Vec::new();
    let mut segments: Vec<Segment> = Vec::new();
    for (call, paid) in calls.filter_map(|call| analysis.call(call).zip(caches.call(call))) {
        columns.push((call.number, segments.len()));
        let hidden = paid.bill.hidden_tokens();
        if hidden > 0 {
            segments.push(Segment { tokens: hidden, event: 0, kind: 0, flags: HIDDEN });
        }
        let prompt = open.scale(analysis, tables, call)?.prompt(&call.request);
        let first = segments.len();
        let mut column = MapColumn::new(min_tokens.max(1));
        for piece in prompt.pieces_in(analysis.rule_of(call).order).filter(|piece| piece.tokens > 0) {
            column.add(&mut segments, first, piece);
        }
        column.flush(&mut segments);
    }
    let mut layout = Layout::default();
    layout.words([VERSION, columns.len() as u32, segments.len() as u32]);
    layout.words(columns.iter().map(|(call, _)| *call));
    layout.words(columns.iter().map(|(_, first)| *first as u32).chain([segments.len() as u32]));
    layout.words(segments.iter().map(|segment| segment.tokens));
    layout.words(segments.iter().map(|segment| segment.event));
    layout.single(segments.iter().map(|segment| segment.kind));
    layout.single(segments.iter().map(|segment| segment.flags));
    Ok(layout.finish())
}

/// Makes segments of the pieces of one prompt.
///
/// What is too small to be seen is gathered by kind and shown as soon as it is large enough, the largest kind first:
/// where it stands is then off by less than can be seen, and how much there is of each kind is right.
struct MapColumn {
    min_tokens: u32,
    small: [u32; Kind::ALL.len()],
}

impl MapColumn {
    fn new(min_tokens: u32) -> Self {
        Self { min_tokens, small: [0; Kind::ALL.len()] }
    }

    fn add(&mut self, segments: &mut Vec<Segment>, first: usize, piece: &Piece) {
        let kind = piece.kind as u8;
        let event = piece.origin.event().map_or(0, |event| event.number());
        let flags = if piece.is_quoted { QUOTED } else { 0 } | if piece.is_thought { THOUGHT } else { 0 };
        if piece.tokens >= self.min_tokens {
            self.flush(segments);
            let last = segments[first..].last_mut().filter(|last| last.kind == kind && last.event == event);
            match last.filter(|_| event > 0) {
                // Parts of one event are one stratum.
                Some(last) => last.tokens += piece.tokens,
                None => segments.push(Segment { tokens: piece.tokens, event, kind, flags }),
            }
            return;
        }
        self.small[kind as usize] += piece.tokens;
        if self.small.iter().sum::<u32>() >= self.min_tokens {
            let largest = (0..self.small.len()).max_by_key(|kind| self.small[*kind]).unwrap_or(0);
            self.show(segments, largest);
        }
    }

    fn flush(&mut self, segments: &mut Vec<Segment>) {
        for kind in 0..self.small.len() {
            self.show(segments, kind);
        }
    }

    fn show(&mut self, segments: &mut Vec<Segment>, kind: usize) {
        let tokens = std::mem::take(&mut self.small[kind]);
        if tokens > 0 {
            segments.push(Segment { tokens, event: 0, kind: kind as u8, flags: MERGED });
        }
    }
}
