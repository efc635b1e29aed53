//! What recorded summaries left out and later answers used all the same.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use strata_engine::{Call, EventLog, Experiment, FlowKind, LoggedEvent};
use strata_model::app::IncludeContents;
use strata_model::{EventIndex, Str};

use super::regained::{Regained, ResultLines, regained};
use super::summary_spans::{SummarySpan, summary_spans};
use super::uses::{PromptValues, Use, Uses};
use super::words::{Phrase, Words};
use crate::analysis::{CallAnalysis, SessionAnalysis};

/// Digits of a name that is an id and no word.
const TELLING_NAME_DIGITS: usize = 3;

/// A value that a recorded summary stands for and does not tell, and that a later answer used.
///
/// Values are those of [`Regret`](super::Regret). The agent's last prompt before the summary held it, or an event since
/// did; its first prompt behind the summary does not, in no spelling: neither do file name or digits of it stand there.
/// Of several answers the first counts. What a user or a tool said anew by itself is no loss: it was due anyway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedRegret {
    /// As the answer says it.
    pub value: String,
    /// The newest event that held it and is summarised.
    pub event: EventIndex,
    pub summary: EventIndex,
    /// The call whose answer used it, by number.
    pub call: u32,
    /// The tool in whose arguments it stands; `None`: in the answer's text.
    pub tool: Option<Str>,
    /// How the model came by it again.
    pub regained: Regained,
}

/// What later answers used of that which recorded summaries no longer tell, in the order of the calls. Summaries that
/// nobody can read, as those that a provider encrypts, are not judged.
pub fn recorded_regrets(experiment: &Experiment, analysis: &SessionAnalysis) -> Vec<RecordedRegret> {
    let summaries = summary_spans(experiment.log());
    if summaries.iter().all(|summary| !summary.is_readable) {
        return Vec::new();
    }
    let mut first = EventIndex(u32::MAX);
    let mut firsts: Vec<EventIndex> = summaries
        .iter()
        .rev()
        .map(|summary| {
            first = first.min(summary.first);
            first
        })
        .collect();
    firsts.reverse();
    let mut reading = Reading {
        experiment,
        analysis,
        uses: Uses::of(experiment),
        summaries,
        firsts,
        askers: HashMap::new(),
        followed: HashMap::new(),
        around: HashMap::new(),
        regretted: HashSet::new(),
        lines: ResultLines::default(),
    };
    let calls = experiment.calls().iter().zip(analysis.calls());
    calls.flat_map(|(call, result)| reading.of_call(call, result)).collect()
}

struct Reading<'r> {
    experiment: &'r Experiment,
    analysis: &'r SessionAnalysis,
    uses: Uses,
    summaries: Vec<SummarySpan<'r>>,
    /// For each summary, the first event that it or a later one stands for.
    firsts: Vec<EventIndex>,
    /// Agents with the scopes they work in.
    askers: HashMap<(Str, Option<Str>), u32>,
    /// What became of a value for an asker.
    followed: HashMap<(u32, u32), Followed>,
    /// What an asker knew before and behind a summary, by its place.
    around: HashMap<(u32, usize), Option<Rc<Around>>>,
    /// Values with the summary that lost them.
    regretted: HashSet<(u32, EventIndex)>,
    lines: ResultLines,
}

/// What became of a value, as far as summaries were looked at.
#[derive(Debug, Clone, Copy, Default)]
struct Followed {
    n_summaries: usize,
    /// The summary that lost it, and the newest event that held it.
    lost: Option<(EventIndex, EventIndex)>,
}

/// The prompts of an asker around a summary.
struct Around {
    /// The answer to the last one before it.
    answer: EventIndex,
    /// They are of different turns.
    is_other_turn: bool,
    /// What they hold.
    before: PromptValues,
    behind: PromptValues,
}

impl Reading<'_> {
    fn of_call(&mut self, call: &Call, result: &CallAnalysis) -> Vec<RecordedRegret> {
        let scope = call.invocation.isolation_scope.as_deref();
        let before = self.summaries.partition_point(|summary| summary.at.as_usize() < call.n_events());
        let mut found = Vec::new();
        if !self.summaries[..before].iter().any(|summary| summary.scope == scope) {
            return found;
        }
        for at in 0..self.uses.of_call(call.number).len() {
            let Use { value, tool } = self.uses.of_call(call.number)[at].clone();
            let Some((summary, event)) = self.lost_by(value, call, before) else { continue };
            if self.regretted.contains(&(value, summary)) {
                continue;
            }
            let log = self.experiment.log();
            let held = self.uses.value(value);
            let places = (event, summary, call.answer);
            let Some(regained) = regained(log, held, places, &mut self.lines) else { continue };
            if regained == Regained::Nowhere
                && (!is_of_its_own(&held.text, self.experiment.kind())
                    || self.uses.is_told(value, &result.request))
            {
                continue;
            }
            self.regretted.insert((value, summary));
            let value = held.text.clone();
            found.push(RecordedRegret { value, event, summary, call: call.number, tool, regained });
        }
        found
    }

    /// The summary that a value was lost with before a call, and the newest event that held it.
    fn lost_by(&mut self, value: u32, call: &Call, before: usize) -> Option<(EventIndex, EventIndex)> {
        let asker = (call.invocation.agent.clone(), call.invocation.isolation_scope.clone());
        let next = self.askers.len() as u32;
        let asker = *self.askers.entry(asker).or_insert(next);
        let known = self.followed.get(&(value, asker)).copied();
        let known = known.filter(|known| known.n_summaries <= before).unwrap_or_default();
        let mut lost = known.lost;
        let mut at = known.n_summaries;
        while let Some((place, event)) = self.next_cover(value, at, before) {
            at = place + 1;
            let summary = &self.summaries[place];
            if !summary.is_readable || summary.scope != call.invocation.isolation_scope.as_deref() {
                continue;
            }
            let (summary, holders) = (summary.at, &self.uses.value(value).holders);
            let is_new = lost.is_none_or(|(known, _): (EventIndex, _)| {
                let since = holders.partition_point(|holder| *holder < known);
                holders.get(since).is_some_and(|holder| *holder < summary)
            });
            match self.is_lost_behind(value, event, place, (call, asker)) {
                Some(true) if is_new => lost = Some((summary, event)),
                Some(false) => lost = None,
                _ => {}
            }
        }
        self.followed.insert((value, asker), Followed { n_summaries: before, lost });
        lost
    }

    /// The next summary, of those at `from` and up to `before`, that stands for an event that held a value; with the newest
    /// such event.
    fn next_cover(&self, value: u32, from: usize, before: usize) -> Option<(usize, EventIndex)> {
        let sources = self.uses.value(value).sources();
        let mut at = from;
        while at < before {
            // No summary in between stands for anything that held it.
            let first = sources.partition_point(|event| *event < self.firsts[at]);
            let source = sources.get(first)?;
            at = at.max(self.summaries.partition_point(|summary| summary.at <= *source));
            let summary = self.summaries.get(at).filter(|_| at < before)?;
            let until = sources.partition_point(|event| *event < summary.at);
            let own = sources[..until].iter().rev().take_while(|event| **event >= summary.first);
            if let Some(event) = own.copied().find(|event| summary.covers(self.experiment.log(), *event)) {
                return Some((at, event));
            }
            at += 1;
        }
        None
    }

    /// Whether the agent of a call knew a value before a summary and not behind it. `None` where its prompts cannot tell.
    fn is_lost_behind(
        &mut self,
        value: u32,
        event: EventIndex,
        place: usize,
        (call, asker): (&Call, u32),
    ) -> Option<bool> {
        let known = self.around.get(&(asker, place)).cloned();
        let around = known.unwrap_or_else(|| {
            let around = self.prompts_around(place, call).map(Rc::new);
            self.around.insert((asker, place), around.clone());
            around
        })?;
        if around.is_other_turn && sees_one_turn(self.experiment, call) {
            return None;
        }
        if event < around.answer && !around.before.hold(value) {
            return None;
        }
        Some(!self.uses.is_told_in(value, &around.behind))
    }

    /// The prompts of the agent of a call around a summary. `None` where it has none on either side.
    fn prompts_around(&self, place: usize, call: &Call) -> Option<Around> {
        let summary = self.summaries[place].at;
        let calls = self.experiment.calls();
        let is_own = |other: &&Call| {
            other.invocation.agent == call.invocation.agent
                && other.invocation.isolation_scope == call.invocation.isolation_scope
        };
        let until = calls.partition_point(|other| other.answer < summary);
        let last = calls.range(0..until).rev().find(|other| is_own(other))?;
        let first = calls.range(until..calls.len()).find(|other| is_own(other))?;
        let values = |call: &Call| Some(self.uses.in_prompt(&self.analysis.call(call.number)?.request));
        Some(Around {
            answer: last.answer,
            is_other_turn: first.turn != last.turn,
            before: values(last)?,
            behind: values(first)?,
        })
    }
}

/// Whether nobody puts a value together from other things. A name of a program follows from how others are called, and
/// where not all that is sent is recorded, a path follows from a folder that is.
fn is_of_its_own(value: &str, kind: FlowKind) -> bool {
    let n_digits = value.bytes().filter(u8::is_ascii_digit).count();
    let is_name = value.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    let is_path = value.contains(['/', '\\', '@']);
    (n_digits >= TELLING_NAME_DIGITS || !is_name) && (kind == FlowKind::Adk || !is_path)
}

fn sees_one_turn(experiment: &Experiment, call: &Call) -> bool {
    let index = experiment.index();
    let own = index.find(&call.invocation.agent).and_then(|id| index.agent(id).include_contents);
    call.invocation.include_contents.or(own) == Some(IncludeContents::None)
}

/// Whether google-adk's summariser was shown a value of an event, of whose calls and results it is shown the beginning.
pub fn was_shown_to_summarizer(log: &EventLog, event: EventIndex, value: &str) -> bool {
    let Some(phrase) = Phrase::of(value) else { return true };
    let lines = |logged: &LoggedEvent| strata_engine::turn::compaction::summarizer_lines(logged);
    log.get(event).is_none_or(|logged| Words::of(&lines(logged)).hold(&phrase))
}
