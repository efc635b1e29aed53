//! How a model came by something again that its prompt no longer told.

use std::collections::HashMap;
use std::rc::Rc;

use strata_engine::{EventLog, LoggedEvent};
use strata_model::{EventIndex, Fingerprint, Str};

use super::uses::UsedValue;
use super::words::each_leaf;

/// Characters at the end of an answer in which a question stands.
const QUESTION_CHARACTERS: usize = 400;

/// Where a value came from that a summary had left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Regained {
    /// A tool was called that had given the same before.
    Tool { asked: EventIndex, result: EventIndex, tool: Str },
    /// The user was asked, and said it.
    User { asked: EventIndex, said: EventIndex },
    /// Nothing that is recorded says it again before the answer.
    Nowhere,
}

/// Where a value came from between a summary and an answer. `None` where somebody says it anew who was not asked for it:
/// that it was forgotten changed nothing. `held` is the event that held it and is summarised.
pub(super) fn regained(
    log: &EventLog,
    value: &UsedValue,
    (held, summary, answer): (EventIndex, EventIndex, EventIndex),
    lines: &mut ResultLines,
) -> Option<Regained> {
    let since = value.holders.partition_point(|event| *event < summary);
    let Some(event) = value.holders.get(since).filter(|event| **event < answer) else {
        return Some(Regained::Nowhere);
    };
    let logged = log.get(*event)?;
    let results: Vec<_> = logged.event.function_responses().collect();
    if results.is_empty() {
        let asked = logged.event.is_from_user().then(|| question_before(log, *event, summary)).flatten()?;
        return Some(Regained::User { asked, said: *event });
    }
    let tool = results.iter().find_map(|result| result.name.clone().filter(|name| gave(log, held, name)))?;
    let (known, lines) = (lines.of(log, held)?, lines.of(log, *event)?);
    // A file that was changed since is read anew, and so is anything else that has become another thing.
    let n_known = lines.iter().filter(|line| known.binary_search(line).is_ok()).count();
    if n_known * 2 < lines.len() || lines.is_empty() {
        return None;
    }
    let ids: Vec<&str> = results.iter().filter_map(|result| result.id.as_deref()).collect();
    let asked = log.events().range(summary.as_usize()..event.as_usize()).rev().find(|logged| {
        logged.event.function_calls().any(|call| call.id.as_deref().is_some_and(|id| ids.contains(&id)))
    })?;
    Some(Regained::Tool { asked: asked.index?, result: *event, tool })
}

/// Whether an event has a result of a tool.
fn gave(log: &EventLog, event: EventIndex, tool: &str) -> bool {
    log.get(event).is_some_and(|logged| {
        logged.event.function_responses().any(|response| response.name.as_deref() == Some(tool))
    })
}

/// What somebody was asked who said something in an event: the last words before it, where these end with a question.
fn question_before(log: &EventLog, event: EventIndex, summary: EventIndex) -> Option<EventIndex> {
    let mut before = log.events().range(summary.as_usize() + 1..event.as_usize()).rev();
    let said = |logged: &LoggedEvent| -> Option<String> {
        let texts = logged.event.parts().iter().filter(|part| !part.is_thought());
        texts.filter_map(|part| part.text.as_deref()).next_back().map(str::to_owned)
    };
    let last = before.find(|logged| !logged.event.is_from_user() && said(logged).is_some())?;
    let text = said(last)?;
    let end: Vec<char> = text.chars().rev().take(QUESTION_CHARACTERS).collect();
    end.iter().any(|letter| "?？".contains(*letter)).then_some(last.index?)
}

/// The lines of results, read once for each event.
#[derive(Default)]
pub(super) struct ResultLines(HashMap<EventIndex, Rc<Vec<Fingerprint>>>);

impl ResultLines {
    /// The lines of all results in an event, each once and in the order of their hashes, without the white space around
    /// them and those that are empty.
    fn of(&mut self, log: &EventLog, event: EventIndex) -> Option<Rc<Vec<Fingerprint>>> {
        if let Some(known) = self.0.get(&event) {
            return Some(known.clone());
        }
        let mut lines = Vec::new();
        let results = log.get(event)?.event.function_responses();
        for value in results.flat_map(|result| result.response.iter().flat_map(|object| object.values())) {
            each_leaf(value, false, &mut |text| {
                let own = text.lines().map(str::trim).filter(|line| !line.is_empty());
                lines.extend(own.map(|line| Fingerprint::of(line.as_bytes())));
            });
        }
        lines.sort_unstable();
        lines.dedup();
        let lines = Rc::new(lines);
        self.0.insert(event, lines.clone());
        Some(lines)
    }
}
