//! Summaries written in the middle of the turn they take away.

use strata_model::{EventIndex, Severity};

use super::summary::{Summary, summaries};
use crate::findings::evidence::{Evidence, SeenCall};
use crate::findings::rule::Observation;
use crate::findings::tally::Tally;
use crate::phrases::{event_name, listed};

/// A call whose question a summary was written behind, in the same turn.
struct Overtaken<'c, 'e> {
    call: &'c SeenCall<'e>,
    question: EventIndex,
    summary: &'c Summary<'e>,
}

fn overtaken<'c, 'e>(evidence: &'c Evidence<'e>, summaries: &'c [Summary<'e>]) -> Vec<Overtaken<'c, 'e>> {
    let mut found = Vec::new();
    for call in &evidence.calls {
        let Some(question) = evidence.question(call) else { continue };
        let from = summaries.partition_point(|summary| summary.at < question);
        let later =
            summaries[from..].iter().take_while(|summary| summary.at.as_usize() < call.call.n_events());
        let scope = call.call.invocation.isolation_scope.as_deref();
        if let Some(summary) = later.filter(|summary| summary.scope == scope).last() {
            found.push(Overtaken { call, question, summary });
        }
    }
    found
}

pub(super) fn question_summarised(evidence: &Evidence<'_>) -> Vec<Observation> {
    let summaries = summaries(evidence);
    let lost = overtaken(evidence, &summaries).into_iter().filter(|found| {
        let question = evidence.event(found.question);
        let is_lost = |question| found.summary.covers(question) && !found.summary.repeats(question);
        !found.call.sees_one_turn() && question.is_some_and(is_lost)
    });
    grouped(lost).into_iter().map(|(question, summary, tally)| {
        let message = format!(
            "{} summarised {}, the message that {} to answer: the model answers a summary of the question.",
            event_name(summary),
            event_name(question),
            if tally.n_calls() == 1 { "a call had yet" } else { "calls had yet" },
        );
        Observation::new(Severity::Error, message, tally).of_events([question, summary])
    })
    .collect()
}

pub(super) fn turn_is_a_summary(evidence: &Evidence<'_>) -> Vec<Observation> {
    let summaries = summaries(evidence);
    let lost = overtaken(evidence, &summaries).into_iter().filter(|found| found.call.sees_one_turn());
    grouped(lost)
        .into_iter()
        .map(|(question, summary, tally)| {
            let message = format!(
                "{} sees its current turn only, and since {} the turn begins with that summary: {} and what followed \
                 is not sent.",
                listed(&evidence.agents_of(&tally)),
                event_name(summary),
                event_name(question),
            );
            Observation::new(Severity::Error, message, tally).of_events([question, summary])
        })
        .collect()
}

/// The calls of each question and summary.
fn grouped<'c, 'e: 'c>(
    found: impl Iterator<Item = Overtaken<'c, 'e>>,
) -> Vec<(EventIndex, EventIndex, Tally)> {
    let mut groups: Vec<(EventIndex, EventIndex, Tally)> = Vec::new();
    for Overtaken { call, question, summary } in found {
        match groups.last_mut() {
            Some((known, by, tally)) if (*known, *by) == (question, summary.at) => {
                tally.add_call(call.call.number);
            }
            _ => {
                let mut tally = Tally::default();
                tally.add_call(call.call.number);
                groups.push((question, summary.at, tally));
            }
        }
    }
    groups
}
