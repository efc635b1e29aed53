//! Recovering sessions from requests.
//!
//! A request carries the whole conversation so far, so requests that continue one another share a beginning. Each
//! request is laid beside the conversations known: what is shared is already there, what is behind it is new and becomes
//! events, what is gone or was put in the place of something else is counted with the request. Thoughts and empty texts
//! are left out of the comparison, because clients drop them when they send an answer back.
//!
//! A request that shares nothing begins a conversation. It is that of a sub-agent when a tool call of a known conversation
//! holds its prompt and is unanswered, or was made just before with no other. One that shares all may be that of a
//! sub-agent, too: it is when what is new in it repeats the prompt of a call.

mod anew;
mod calls;
mod conversation;
mod elsewhere;
mod fork;
mod known;
mod lane;
mod plan;
mod summary;
mod unit;

use std::collections::HashMap;

use strata_model::Str;

use crate::draft::Draft;
use crate::exchange::Exchange;
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::kept::KeptAnswers;
use conversation::joined;
use elsewhere::{SentPrompts, is_same_head};
use known::KnownConversations;
use lane::Fit;
use unit::{Unit, units_of};

/// Something a request log tells, in the order of time.
#[derive(Debug)]
pub(crate) enum Step {
    Exchange(Box<Exchange>),
    /// The client summarised what lies between two times, in epoch seconds.
    Compaction {
        session: Option<Str>,
        span: (f64, f64),
        say: Box<crate::draft::EventDraft>,
    },
}

impl Step {
    fn time(&self) -> Option<f64> {
        match self {
            Self::Exchange(exchange) => exchange.time,
            Self::Compaction { say, .. } => say.time,
        }
    }
}

/// Makes sessions of steps. `reading` is what the exchanges were read with; what it could not map goes to the first.
pub(crate) fn sessions(
    mut steps: Vec<Step>,
    reading: Draft,
    format: Format,
    findings: &mut Findings,
) -> Vec<ImportedSession> {
    if steps.iter().all(|step| step.time().is_some()) {
        steps.sort_by(|a, b| a.time().unwrap_or(0.0).total_cmp(&b.time().unwrap_or(0.0)));
    }
    let mut reading = reading;
    let steps = distinct(steps, &mut reading);
    let mut known = KnownConversations::default();
    let mut sent = SentPrompts::default();
    for step in steps {
        match step {
            Step::Exchange(exchange) => add(*exchange, &mut known, &mut sent, &reading),
            Step::Compaction { session, span, say } => match known.of_session(session.as_ref()) {
                Some(at) => known.conversations[at].compacted(span, *say),
                None => {
                    let message = "a compaction belongs to a session that has no requests; it was left out";
                    findings.warning("lost-compaction", "", message);
                }
            },
        }
    }
    say_kept(&reading.kept, findings);
    let mut unmapped = Some(reading.unmapped);
    let mut counts = Some(reading.counts);
    let mut sessions = Vec::new();
    for conversation in joined(known.conversations) {
        let mut draft = conversation.finish();
        if let Some(unmapped) = unmapped.take() {
            draft.unmapped.add(unmapped);
        }
        draft.counts.extend(counts.take().unwrap_or_default());
        sessions.extend(draft.finish(format, findings));
    }
    sessions
}

/// Every exchange once: loggers that hear of a call in two ways write it twice, with the same request and answer.
fn distinct(steps: Vec<Step>, reading: &mut Draft) -> Vec<Step> {
    let mut seen: HashMap<Str, Vec<usize>> = HashMap::new();
    let mut kept: Vec<Step> = Vec::with_capacity(steps.len());
    for step in steps {
        if let Step::Exchange(exchange) = &step
            && let Some(id) = exchange.answer.as_ref().and_then(|answer| answer.id.as_ref())
            && !id.is_empty()
        {
            let places = seen.entry(id.clone()).or_default();
            let is_same =
                |at: &usize| matches!(&kept[*at], Step::Exchange(known) if known.body == exchange.body);
            if places.iter().any(is_same) {
                reading.unmapped.record("repeated exchange", exchange.source.clone());
                continue;
            }
            places.push(kept.len());
        }
        kept.push(step);
    }
    kept
}

/// Where a request belongs: a conversation by its place, and what it is there.
enum Place {
    /// The prompt of a sub-agent, by the call and the tool it is for.
    SubAgent(usize, (Str, Str)),
    /// What somebody else goes on with from a lane, by the same.
    Fork(usize, usize, (Str, Str)),
    Lane(usize, usize, Fit),
    Thread(usize),
    New,
}

/// Lays a request beside what is known, and adds it where it fits best.
fn add(exchange: Exchange, known: &mut KnownConversations, sent: &mut SentPrompts, reading: &Draft) {
    let units = units_of(&exchange.turns);
    let place = place_of(&exchange, &units, known);
    let at = match place {
        Place::SubAgent(at, _) | Place::Fork(at, ..) | Place::Lane(at, ..) | Place::Thread(at) => at,
        Place::New => known.begin(&exchange, reading),
    };
    let elsewhere = sent.send(at, &exchange, &known.conversations);
    known.change(at, |conversation| {
        let new = match place {
            Place::SubAgent(_, (call_id, tool)) => conversation.sub_agent(&call_id, &tool, exchange, units),
            Place::Fork(_, lane, (call_id, tool)) => {
                conversation.fork(lane, &call_id, &tool, exchange, units)
            }
            Place::Lane(_, lane, fit) => conversation.append(lane, fit, exchange, units),
            Place::Thread(_) | Place::New => conversation.thread(exchange, units),
        };
        conversation.sent_elsewhere(elsewhere);
        new
    });
}

fn place_of(exchange: &Exchange, units: &[Unit], known: &KnownConversations) -> Place {
    let candidates = known.candidates(exchange, units);
    let mut best = None;
    for at in &candidates {
        for (lane, fit) in known.conversations[*at].fits(exchange, units) {
            // Later conversations win a draw: people go on with what they did last.
            if best.as_ref().is_none_or(|(_, _, best)| fit >= *best) {
                best = Some((*at, lane, fit));
            }
        }
    }
    // A call tells more than that the session is the same.
    let is_alike = |best: Option<(usize, usize, Fit)>| best.is_some_and(|(_, _, fit)| fit > Fit::Hinted);
    if !is_alike(best) {
        let restated = candidates.iter().rev().find_map(|at| {
            let (lane, n_same) = known.conversations[*at].restated(exchange, units)?;
            let before = known.conversations[*at].last_body()?;
            is_same_head(before, &exchange.body).then_some((*at, lane, Fit::Rewritten(n_same)))
        });
        best = restated.or(best);
    }
    let find_caller = || {
        known.conversations.iter().enumerate().rev().find_map(|(at, conversation)| {
            let call = conversation.may_hold(exchange).then(|| conversation.call_with(exchange))??;
            Some((at, call))
        })
    };
    if !is_alike(best)
        && let Some((at, call)) = find_caller()
    {
        return Place::SubAgent(at, call);
    }
    if let Some((at, lane, fit)) = best {
        return match known.conversations[at].forked_by(lane, exchange, units) {
            Some(call) => Place::Fork(at, lane, call),
            None => Place::Lane(at, lane, fit),
        };
    }
    let of_session = match &exchange.about.session {
        Some(session) => known.of_session(Some(session)),
        None => candidates.into_iter().rev().find(|at| known.conversations[*at].awaits(exchange, units)),
    };
    of_session.map_or(Place::New, Place::Thread)
}

/// Says what was made of requests that hold only what is new.
fn say_kept(kept: &KeptAnswers, findings: &mut Findings) {
    if kept.n_rebuilt > 0 {
        let message = format!(
            "{} from an answer that the provider keeps; what was sent and answered before it was put before them",
            going_on(kept.n_rebuilt)
        );
        findings.info("kept-by-provider", "", message);
    }
    if kept.n_unknown > 0 {
        let message = format!(
            "{} from an answer that is not recorded here: prompts that begin before the recording",
            going_on(kept.n_unknown)
        );
        findings.warning("begins-before", "", message);
    }
}

fn going_on(n: usize) -> String {
    if n == 1 { "1 request goes on".into() } else { format!("{n} requests go on") }
}

#[cfg(test)]
mod tests;
