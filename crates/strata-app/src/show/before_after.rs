//! What makes the difference between two sessions, in shapes and words.

use std::ops::Range;

use strata_measure::analysis::{BilledCalls, CacheAnalysis, Kind};
use strata_measure::before_after::{
    AlignedCalls, BeforeAfter, BrokenPrefix, Cause, CauseKind, ComparedSession, Promise, Ranking, Side,
};
use strata_measure::phrases;
use strata_measure::prices::Prices;
use strata_measure::tokens::Basis;

use super::breaks::prefix_break;
use super::promise::kept_by;
use super::words;
use crate::api::comparison::{
    AlignedCall, AlignedSide, CauseBreak, CauseRanking, ComparedSide, DifferenceCause, EditsPromise,
    KindDifference, SessionComparison, SideName,
};

/// Breaks that a cause names.
const MAX_BREAKS: usize = 8;

/// One of two sessions, with what it is called.
pub(crate) struct NamedSession<'s> {
    pub id: String,
    pub title: String,
    pub format: String,
    pub session: ComparedSession<'s>,
    /// What it comes to without its edits, where it has some.
    pub unedited: Option<&'s CacheAnalysis>,
}

/// Compares `a`, how it was, with `b`, how it is. `rows` are those of the aligned calls.
pub(crate) fn session_comparison(
    [a, b]: [&NamedSession<'_>; 2],
    by: CauseRanking,
    rows: Range<usize>,
    prices: &Prices,
) -> SessionComparison {
    let sessions = [a.session, b.session];
    let found = BeforeAfter::of(a.session, b.session, prices);
    let total = found.calls.len();
    let rows = rows.start.min(total)..rows.end.min(total);
    SessionComparison {
        promise: promise(&found, [a, b]),
        notes: notes(&found, [a, b]),
        causes: causes(&found, sessions, by),
        calls: found.calls[rows].iter().map(|calls| aligned(calls, sessions)).collect(),
        total: total as u32,
        a: side(a),
        b: side(b),
    }
}

/// Nothing where no call was made again.
fn promise(found: &BeforeAfter, [a, b]: [&NamedSession<'_>; 2]) -> Option<EditsPromise> {
    let promise = Promise::of(a.unedited?, [a.session, b.session], &found.calls);
    (promise.really.calls > 0).then(|| EditsPromise {
        recorded: promise.recorded.into(),
        promised: promise.promised.into(),
        really: promise.really.into(),
        sentence: kept_by(&promise),
    })
}

/// What makes the difference between two sessions, ranked.
pub(crate) fn difference_causes(
    sessions: [ComparedSession<'_>; 2],
    by: CauseRanking,
    prices: &Prices,
) -> Vec<DifferenceCause> {
    let [before, after] = sessions;
    causes(&BeforeAfter::of(before, after, prices), sessions, by)
}

fn causes(found: &BeforeAfter, sessions: [ComparedSession<'_>; 2], by: CauseRanking) -> Vec<DifferenceCause> {
    let ranking = match by {
        CauseRanking::Tokens => Ranking::Tokens,
        CauseRanking::Cost => Ranking::Cost,
    };
    found.ranked(ranking).into_iter().map(|cause| row(cause, sessions)).collect()
}

fn side(named: &NamedSession<'_>) -> ComparedSide {
    let calls = &named.session.billed.caches.calls;
    ComparedSide {
        session: named.id.clone(),
        title: named.title.clone(),
        format: named.format.clone(),
        bill: named.session.billed.caches.bill().into(),
        breaks: calls.iter().filter(|call| call.broken().is_some()).count() as u32,
    }
}

fn row(cause: &Cause, sessions: [ComparedSession<'_>; 2]) -> DifferenceCause {
    let breaks = cause.breaks.iter().take(MAX_BREAKS);
    DifferenceCause {
        kind: cause.kind.code().to_owned(),
        what: cause.what.to_string(),
        turn: cause.turn,
        title: phrases::capitalised(&title(cause)),
        calls: cause.calls,
        tokens: cause.tokens,
        cached_tokens: cause.cached_tokens,
        output_tokens: cause.output_tokens,
        cost: cause.cost_usd,
        basis: cause.basis.into(),
        side: cause.place.side.into(),
        call: cause.place.call,
        breaks: breaks.filter_map(|broken| cause_break(broken, sessions)).collect(),
        total_breaks: cause.breaks.len() as u32,
    }
}

fn cause_break(broken: &BrokenPrefix, sessions: [ComparedSession<'_>; 2]) -> Option<CauseBreak> {
    let ComparedSession { experiment, billed } = sessions[broken.place.side as usize];
    Some(CauseBreak {
        side: broken.place.side.into(),
        call: broken.place.call,
        cause: prefix_break(experiment, billed.caches.call(broken.place.call)?)?.cause,
        tokens: broken.tokens,
        cost: broken.cost_usd,
    })
}

impl From<Side> for SideName {
    fn from(side: Side) -> Self {
        match side {
            Side::Before => Self::A,
            Side::After => Self::B,
        }
    }
}

/// `results of search`, `2 more calls of planner in turn 3`.
fn title(cause: &Cause) -> String {
    cause_title(cause.kind, &cause.what, cause.calls, cause.turn)
}

/// What makes a difference in a few words; `calls` are more or fewer, for calls.
pub(crate) fn cause_title(kind: CauseKind, what: &str, calls: i64, turn: Option<u32>) -> String {
    let of = |some: &str| if what.is_empty() { some.to_owned() } else { format!("{some} of {what}") };
    match kind {
        CauseKind::Declarations => of("declaration"),
        CauseKind::Instructions => what.to_owned(),
        CauseKind::Memory => "memories and artifacts".to_owned(),
        CauseKind::Summaries => "summaries".to_owned(),
        CauseKind::UserMessages => "messages of the user".to_owned(),
        CauseKind::Answers => "earlier answers".to_owned(),
        CauseKind::Thoughts => "thoughts".to_owned(),
        CauseKind::ToolCalls => of("arguments"),
        CauseKind::Results => of("results"),
        CauseKind::HandOff => format!("words of {what} that others are handed"),
        CauseKind::History => format!("history that {what} carries"),
        CauseKind::Framing => "framing of messages".to_owned(),
        CauseKind::Hidden => "what providers count and the session does not show".to_owned(),
        CauseKind::Counting => "the same texts, counted otherwise".to_owned(),
        CauseKind::Calls => {
            let turn = turn.map_or(String::new(), |turn| format!(" in turn {turn}"));
            format!("{} of {what}{turn}", more_calls(calls))
        }
        CauseKind::Turns => format!("{} in turns that only one side has", more_calls(calls)),
        CauseKind::Cache => of("cache"),
        CauseKind::Output => of("answers"),
        CauseKind::Price => of("price"),
        CauseKind::Unpaid => format!("calls of {what} that only one side is known to have paid for"),
    }
}

/// `2 more calls`, `1 fewer call`.
fn more_calls(n: i64) -> String {
    let counted = words::counted(n.unsigned_abs() as usize, "call");
    match (n.cmp(&0), counted.split_once(' ')) {
        (std::cmp::Ordering::Greater, Some((n, noun))) => format!("{n} more {noun}"),
        (std::cmp::Ordering::Less, Some((n, noun))) => format!("{n} fewer {noun}"),
        _ => "other calls".to_owned(),
    }
}

fn notes(found: &BeforeAfter, [a, b]: [&NamedSession<'_>; 2]) -> Vec<String> {
    let mut notes = Vec::new();
    for (name, bill) in [("A", &found.before), ("B", &found.after)] {
        if bill.calls == 0 {
            notes.push(format!("{name} has no calls: nothing of it can be compared."));
        }
    }
    if !notes.is_empty() {
        return notes;
    }
    let (was, now) = (found.before.basis, found.after.basis);
    if was != now {
        notes.push(format!(
            "The sizes of A's prompts are {}, and those of B are {}: a part of the difference may be that of the \
             figures.",
            basis(was),
            basis(now)
        ));
    }
    let is_reported = |billed: BilledCalls<'_>| {
        let bill = billed.caches.bill();
        bill.cache_reported_calls + bill.unpaid_calls >= bill.calls
    };
    let (was, now) = (is_reported(a.session.billed), is_reported(b.session.billed));
    if was != now {
        let [reported, predicted] = if was { ["A", "B"] } else { ["B", "A"] };
        notes.push(format!(
            "What {reported} read from caches is reported, and that of {predicted} is predicted for some calls."
        ));
    }
    let unpriced: Vec<&str> = [("A", &found.before), ("B", &found.after)]
        .iter()
        .filter(|(_, bill)| bill.cost.is_none())
        .map(|(name, _)| *name)
        .collect();
    if !unpriced.is_empty() {
        let has = if unpriced.len() == 1 { "has" } else { "have" };
        notes.push(format!(
            "{} {has} calls to a model without a known price, so no cause has a cost.",
            words::listed(&unpriced)
        ));
    }
    notes
}

fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Reported => "reported by its provider",
        Basis::Exact => "counted exactly",
        Basis::Calibrated => "counted, and calibrated by what was reported of other calls",
        Basis::Estimated => "estimated, at least in part",
    }
}

fn aligned(calls: &AlignedCalls, sessions: [ComparedSession<'_>; 2]) -> AlignedCall {
    let [a, b] = Side::BOTH.map(|side| aligned_side(calls.on(side), sessions[side as usize].billed));
    let by_kind = |side: Side| sessions[side as usize].billed.analysis.call(calls.on(side)?);
    let kinds = match (by_kind(Side::Before), by_kind(Side::After)) {
        (Some(a), Some(b)) => Kind::ALL
            .into_iter()
            .map(|kind| (kind, a.by_kind[kind as usize], b.by_kind[kind as usize]))
            .filter(|(_, a, b)| a != b)
            .map(|(kind, a, b)| KindDifference { kind: kind.into(), a, b })
            .collect(),
        _ => Vec::new(),
    };
    AlignedCall { turn: calls.turn, agent: calls.agent.to_string(), a, b, kinds }
}

fn aligned_side(call: Option<u32>, billed: BilledCalls<'_>) -> Option<AlignedSide> {
    let call = billed.caches.call(call?)?;
    let bill = &call.bill;
    Some(AlignedSide {
        call: call.call,
        model: call.model.to_string(),
        tokens: bill.prompt_tokens,
        basis: bill.basis.into(),
        cached_tokens: bill.cached_tokens,
        output_tokens: bill.output_tokens,
        cost: bill.cost_usd(),
    })
}
