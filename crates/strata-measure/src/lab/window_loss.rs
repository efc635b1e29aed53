//! What became of everything in a window: its facts, what tools gave, and what never reached a summariser.

use std::collections::BTreeSet;

use strata_engine::turn::compaction::{SummarizerReach, summarizer_reach};
use strata_engine::{EventLog, LoggedEvent};
use strata_model::EventIndex;

use super::facts::FactReader;
use super::loss::{Generation, LossReport, loss, surviving_windows};
use super::plan::{Replayed, WindowPlan};
use super::result_values::{Coverage, coverage};

/// What the summary of a window no longer tells.
#[derive(Debug, Clone, Default)]
pub struct WindowLoss {
    pub facts: LossReport,
    pub told: Told,
}

/// How much of some events can be read in summaries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Told {
    /// Facts, and those that are still told, be it in other words.
    pub facts: u32,
    pub facts_told: u32,
    /// Of the results of tools.
    pub coverage: Coverage,
    /// What google-adk's summariser is shown of the events.
    pub reach: SummarizerReach,
}

/// What each summary of a replay no longer tells; nothing for those that were not written or not used.
pub fn window_losses(reader: &FactReader, replayed: &Replayed, log: &EventLog) -> Vec<Option<WindowLoss>> {
    let all: Vec<&LoggedEvent> = log.events().iter().collect();
    let of_window = |window: &WindowPlan| {
        window.event.as_ref()?;
        let events = events_of(&window.events, log);
        let last = window.events.last()?.as_usize();
        let later = reader.uses(&all[(last + 1).min(all.len())..]);
        let summary = window.summary_text();
        let facts = loss(reader, &reader.read(&events, &all), &summary, &later);
        let told = Told {
            facts: facts.items.len() as u32,
            facts_told: facts.kept + facts.paraphrased,
            coverage: coverage(reader, &events, &[&summary]),
            reach: reach(&events),
        };
        Some(WindowLoss { facts, told })
    };
    replayed.windows.iter().map(of_window).collect()
}

/// How much of all that a replay summarises can be read at its end, in the summaries that are still in the prompt.
/// `generations` are those of [`survival`](super::survival).
pub fn told_at_end(
    reader: &FactReader,
    replayed: &Replayed,
    log: &EventLog,
    generations: &[Generation],
) -> Told {
    let laid = replayed.windows.iter().filter(|window| window.is_laid());
    let events: BTreeSet<EventIndex> = laid.flat_map(|window| window.events.iter().copied()).collect();
    let events = events_of(&events.into_iter().collect::<Vec<_>>(), log);
    let summaries: Vec<String> =
        surviving_windows(replayed).into_iter().map(|at| replayed.windows[at].summary_text()).collect();
    let summaries: Vec<&str> = summaries.iter().map(String::as_str).collect();
    let last = generations.last();
    Told {
        facts: last.map_or(0, |last| last.facts),
        facts_told: last.map_or(0, |last| last.alive),
        coverage: coverage(reader, &events, &summaries),
        reach: reach(&events),
    }
}

/// What google-adk's summariser is shown of the events of a window, whoever summarises it.
pub fn window_reach(window: &WindowPlan, log: &EventLog) -> Told {
    Told { reach: reach(&events_of(&window.events, log)), ..Told::default() }
}

fn reach(events: &[&LoggedEvent]) -> SummarizerReach {
    events.iter().map(|logged| summarizer_reach(logged)).sum()
}

fn events_of<'l>(events: &[EventIndex], log: &'l EventLog) -> Vec<&'l LoggedEvent> {
    events.iter().filter_map(|event| log.get(*event)).collect()
}
