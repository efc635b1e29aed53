//! What summaries take away.

mod left_out;
mod summary;
mod turn;

use std::collections::{BTreeMap, HashMap};

use strata_engine::{Facts, LoggedEvent};
use strata_model::app::AdkRelease;
use strata_model::{EventIndex, Severity, Str};

use super::carried::PieceKind;
use super::evidence::Evidence;
use super::finding::FindingKind;
use super::rule::{Family, Observation, Rule};
use super::tally::Tally;
use crate::phrases::{count, event_name, events, listed};
use summary::{Summary, summaries};

pub(super) const FAMILY: Family = Family {
    title: "Lost in summaries",
    rules: &[
        Rule {
            code: "question-summarised",
            surprises: &["S21"],
            kind: FindingKind::Loss,
            title: "The question was summarised away",
            meaning: "The token threshold is checked before every call, also in the middle of a turn, and may \
                      summarise the message that is being answered. With `event_retention_size: 0` nothing but the \
                      summary is sent.",
            advice: "Raise `event_retention_size` above the events of a turn, or compact after turns only, with the \
                     sliding window.",
            look: turn::question_summarised,
        },
        Rule {
            code: "turn-is-a-summary",
            surprises: &["S22"],
            kind: FindingKind::Loss,
            title: "The current turn is a summary",
            meaning: "With `include_contents: none` the turn begins with the last event of a user, and a summary is \
                      stored as one. Written after the question, it is all that is sent: no question, no calls, no \
                      results.",
            advice: "Do not combine `include_contents: none` with the token threshold.",
            look: turn::turn_is_a_summary,
        },
        Rule {
            code: "covered-without-summary",
            surprises: &["S23"],
            kind: FindingKind::Loss,
            title: "Covered by a summary that does not tell of it",
            meaning: "A summary stands for a span of time, over all agents and branches. An event that arrives later \
                      with a time in that span is left out, and no summary holds it.",
            advice: "Do not compact while parallel branches or long-running tools are at work.",
            look: covered_without_summary,
        },
        Rule {
            code: "summary-in-anothers-name",
            surprises: &["S23"],
            kind: FindingKind::Trap,
            title: "Another agent's work as one's own words",
            meaning: "A summary is shown to every agent as its own message. An agent that had no part in what is \
                      summarised reads it as something it said and did.",
            advice: "Have the summarizer name who did what.",
            look: summary_in_anothers_name,
        },
        Rule {
            code: "summary-ends-early",
            surprises: &["S24"],
            kind: FindingKind::Loss,
            title: "Summarised and still sent",
            meaning: "A summary ends at the time of the last event in order, not at the latest time. Events of parallel \
                      branches with a later time are summarised and sent as well.",
            advice: "Compact when no branches run in parallel.",
            look: summary_ends_early,
        },
        Rule {
            code: "summary-lost-facts",
            surprises: &[],
            kind: FindingKind::Loss,
            title: "A summary without what was used later",
            meaning: "A summary stands for events whose names and numbers it does not tell. Where a later answer needs one, \
                      the model asks a tool or the user for it again, or makes it up.",
            advice: "Have summaries keep ids, paths and numbers word for word, and keep what is needed to the end outside of \
                     the history: in state, in a file.",
            look: left_out::summary_lost_facts,
        },
    ],
};

fn covered_without_summary(evidence: &Evidence<'_>) -> Vec<Observation> {
    let summaries = summaries(evidence);
    let mut next = summaries.iter().peekable();
    let mut before: Vec<&Summary<'_>> = Vec::new();
    let mut latest_end = f64::NEG_INFINITY;
    let mut lost: Vec<EventIndex> = Vec::new();
    for (at, logged) in evidence.live_events() {
        while let Some(summary) = next.next_if(|summary| summary.at < at) {
            latest_end = latest_end.max(summary.end);
            before.push(summary);
        }
        // Events usually come after every summary written before them, which one comparison tells.
        let is_late = logged.event.timestamp <= latest_end && !logged.is(Facts::EMPTY);
        if is_late && before.iter().any(|summary| summary.covers(logged)) {
            lost.push(at);
        }
    }
    let Some(first) = lost.first() else { return Vec::new() };
    let tally = evidence.calls_after(*first);
    let message = format!(
        "{} came in after a summary that covers their time: they are neither sent nor summarised.",
        events(&lost)
    );
    vec![Observation::new(Severity::Error, message, tally).of_events(lost)]
}

/// When each agent worked, in order of time.
struct WorkTimes<'e> {
    by_agent: BTreeMap<&'e str, Vec<f64>>,
}

impl<'e> WorkTimes<'e> {
    fn of(evidence: &Evidence<'e>) -> Self {
        let mut by_agent: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for (_, logged) in evidence.live_events().filter(|(_, logged)| !logged.is(Facts::FROM_USER)) {
            by_agent.entry(&logged.event.author).or_default().push(logged.event.timestamp);
        }
        for times in by_agent.values_mut() {
            times.sort_by(f64::total_cmp);
        }
        Self { by_agent }
    }

    /// The agents that worked on what a summary covers.
    fn workers(&self, summary: &Summary<'_>) -> Vec<&'e str> {
        let has_worked = |times: &Vec<f64>| {
            let next = times.get(times.partition_point(|time| *time < summary.start));
            next.is_some_and(|time| *time <= summary.end)
        };
        self.by_agent.iter().filter(|(_, times)| has_worked(times)).map(|(agent, _)| *agent).collect()
    }
}

fn summary_in_anothers_name(evidence: &Evidence<'_>) -> Vec<Observation> {
    if evidence.experiment.index().app().release() < AdkRelease::OWNS_SUMMARIES {
        return Vec::new();
    }
    let times = WorkTimes::of(evidence);
    let authors: HashMap<EventIndex, Vec<&str>> =
        summaries(evidence).iter().map(|summary| (summary.at, times.workers(summary))).collect();
    let mut found: Vec<(EventIndex, Str, Tally)> = Vec::new();
    for sent in evidence.sent([PieceKind::Summary]) {
        let strata_model::Origin::Summary { event, .. } = sent.piece.origin else { continue };
        let Some(workers) = authors.get(&event).filter(|workers| !workers.is_empty()) else { continue };
        let runs = evidence.carriers(sent).runs.iter();
        for number in runs.flat_map(|run| run.first_call..=run.last_call) {
            let Some(call) = evidence.call(number) else { continue };
            let reader = &call.call.invocation.agent;
            if workers.contains(&&**reader) {
                continue;
            }
            let place = found.iter().position(|(at, agent, _)| *at == event && agent == reader);
            let place = place.unwrap_or_else(|| {
                found.push((event, reader.clone(), Tally::default()));
                found.len() - 1
            });
            found[place].2.add_call(number);
        }
    }
    found
        .into_iter()
        .map(|(summary, reader, tally)| {
            let workers = authors.get(&summary).map(Vec::as_slice).unwrap_or_default();
            let message = format!(
                "{reader} read {} as its own words in {}; the work in it was done by {}.",
                event_name(summary),
                count(tally.n_calls(), "call"),
                listed(workers),
            );
            Observation::new(Severity::Info, message, tally).of_events([summary])
        })
        .collect()
}

/// A summary with events it tells of and that are sent as well.
struct EndsEarly {
    summary: EventIndex,
    last: EventIndex,
    beyond: Vec<EventIndex>,
    tally: Tally,
}

fn summary_ends_early(evidence: &Evidence<'_>) -> Vec<Observation> {
    let all = evidence.events();
    let mut found: Vec<EndsEarly> = Vec::new();
    // For each event that is sent twice: which finding it belongs to, and the first call after the summary.
    let mut sent_twice: HashMap<EventIndex, (usize, u32)> = HashMap::new();
    let mut searched_to = 0;
    for summary in summaries(evidence) {
        let until = summary.at.as_usize();
        let is_last = |logged: &LoggedEvent| {
            summary.covers(logged) && logged.event.timestamp.total_cmp(&summary.end).is_eq()
        };
        let from = searched_to.min(until);
        let Some(last) = all.range(from..until).rposition(is_last).map(|at| from + at) else { continue };
        searched_to = last + 1;
        let is_beyond = |logged: &&LoggedEvent| {
            let event = &logged.event;
            event.timestamp > summary.end
                && event.isolation_scope.as_deref() == summary.scope
                && !event.is_compaction()
                && !logged.is(Facts::EMPTY)
        };
        let beyond: Vec<EventIndex> =
            all.range(from..last).filter(is_beyond).filter_map(|logged| logged.index).collect();
        if beyond.is_empty() {
            continue;
        }
        let since = evidence.calls.partition_point(|call| call.call.n_events() <= until) as u32 + 1;
        sent_twice.extend(beyond.iter().map(|event| (*event, (found.len(), since))));
        let last = EventIndex(last as u32);
        found.push(EndsEarly { summary: summary.at, last, beyond, tally: Tally::default() });
    }
    for sent in evidence.sent(PieceKind::ALL).filter(|_| !sent_twice.is_empty()) {
        let twice = sent.piece.origin.event().and_then(|event| sent_twice.get(&event));
        if let Some((at, since)) = twice {
            evidence.add_from(&mut found[*at].tally, sent, *since);
        }
    }
    let observation = |early: EndsEarly| {
        let message = format!(
            "{} ends at the time of {}. Later by the clock and told in it: {}, sent as well.",
            event_name(early.summary),
            event_name(early.last),
            events(&early.beyond),
        );
        let concerned = early.beyond.into_iter().chain([early.summary]);
        Observation::new(Severity::Info, message, early.tally).of_events(concerned)
    };
    found.into_iter().map(observation).collect()
}
