//! What recorded summaries left out and later answers used all the same.

use std::collections::{HashMap, HashSet};

use strata_engine::{Call, EventLog, Experiment, FlowKind, LoggedEvent};
use strata_model::app::IncludeContents;
use strata_model::{EventIndex, Str};

use super::regained::{Regained, regained};
use super::summary_spans::{SummarySpan, summary_spans};
use super::uses::{Use, Uses};
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
    let mut reading = Reading {
        experiment,
        analysis,
        uses: Uses::of(experiment),
        summaries,
        judged: HashMap::new(),
        regretted: HashSet::new(),
    };
    let calls = experiment.calls().iter().zip(analysis.calls());
    calls.flat_map(|(call, result)| reading.of_call(call, result)).collect()
}

struct Reading<'r> {
    experiment: &'r Experiment,
    analysis: &'r SessionAnalysis,
    uses: Uses,
    summaries: Vec<SummarySpan<'r>>,
    /// Whether an agent lost a value with a summary.
    judged: HashMap<(u32, EventIndex, Str), Option<bool>>,
    /// Values with the summary that lost them.
    regretted: HashSet<(u32, EventIndex)>,
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
            let log = self.experiment.log();
            let held = self.uses.value(value);
            let Some(regained) = regained(log, held, (event, summary, call.answer)) else { continue };
            if regained == Regained::Nowhere
                && (!is_of_its_own(&held.text, self.experiment.kind())
                    || self.uses.is_told(value, &result.request))
            {
                continue;
            }
            if self.regretted.insert((value, summary)) {
                let value = held.text.clone();
                found.push(RecordedRegret { value, event, summary, call: call.number, tool, regained });
            }
        }
        found
    }

    /// The summary that a value was lost with before a call, and the newest event that held it.
    fn lost_by(&mut self, value: u32, call: &Call, before: usize) -> Option<(EventIndex, EventIndex)> {
        let mut lost = None;
        for at in 0..before {
            let summary = &self.summaries[at];
            if !summary.is_readable || summary.scope != call.invocation.isolation_scope.as_deref() {
                continue;
            }
            let is_covered =
                |event: &&EventIndex| **event < summary.at && summary.covers(self.experiment.log(), **event);
            let (place, used) = (summary.at, self.uses.value(value));
            let Some(event) = used.sources().iter().rev().find(is_covered).copied() else { continue };
            let is_new =
                lost.is_none_or(|(known, _)| used.holders.iter().any(|at| (known..place).contains(at)));
            let key = (value, place, call.invocation.agent.clone());
            let known = self.judged.get(&key).copied();
            let is_lost = known.unwrap_or_else(|| self.is_lost_behind(value, event, place, call));
            self.judged.insert(key, is_lost);
            match is_lost {
                Some(true) if is_new => lost = Some((place, event)),
                Some(false) => lost = None,
                _ => {}
            }
        }
        lost
    }

    /// Whether the agent of a call knew a value before a summary and not behind it. `None` where its prompts cannot tell.
    fn is_lost_behind(
        &mut self,
        value: u32,
        event: EventIndex,
        summary: EventIndex,
        call: &Call,
    ) -> Option<bool> {
        let calls = self.experiment.calls();
        let is_own = |other: &&Call| {
            other.invocation.agent == call.invocation.agent
                && other.invocation.isolation_scope == call.invocation.isolation_scope
        };
        let until = calls.partition_point(|other| other.answer < summary);
        let last = calls.range(0..until).rev().find(|other| is_own(other))?;
        let first = calls.range(until..calls.len()).find(|other| is_own(other))?;
        if first.turn != last.turn && sees_one_turn(self.experiment, call) {
            return None;
        }
        let prompt = |number: u32| self.analysis.call(number).map(|call| &call.request);
        let (last_prompt, first_prompt) = (prompt(last.number)?, prompt(first.number)?);
        let was_known = event >= last.answer || self.uses.is_in(value, last_prompt, &HashSet::new());
        if !was_known {
            return None;
        }
        Some(!self.uses.is_told(value, first_prompt))
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
