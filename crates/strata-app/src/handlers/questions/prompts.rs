//! Questions about what became of events, state and other things on their way into prompts.

use std::collections::BTreeMap;

use strata_engine::{EventLog, explain_omissions};
use strata_measure::analysis::{Kind, SessionAnalysis};
use strata_model::{EventIndex, Origin, Str};

use super::words::said;
use crate::api::palette::Answer;
use crate::error::AppError;
use crate::handlers::stages::CompiledCall;
use crate::show::breaks;
use crate::show::words::{self, counted, listed, whole};

/// Reasons and names that an answer lists.
const NAMED: usize = 4;

/// The events that a prompt leaves out, by the rule that left them out.
pub(super) fn left_out(compiled: &CompiledCall) -> Result<Answer, AppError> {
    let number = compiled.number;
    let mut by_reason: BTreeMap<String, Vec<EventIndex>> = BTreeMap::new();
    for omission in explain_omissions(&compiled.context()?) {
        if omission.part.is_none() {
            by_reason.entry(omission.reason.explanation()).or_default().push(omission.event);
        }
    }
    let mut reasons: Vec<(String, Vec<EventIndex>)> = by_reason.into_iter().collect();
    reasons.sort_by_key(|(_, events)| std::cmp::Reverse(events.len()));
    let all: usize = reasons.iter().map(|(_, events)| events.len()).sum();
    if all == 0 {
        return Ok(said(format!("C{number} was shown all events before it.")));
    }
    let named = reasons.iter().take(NAMED).map(|(reason, events)| {
        let first = events.first().map_or(0, |event| event.number());
        format!("{} {reason}, such as E{first}", events.len())
    });
    let text =
        format!("C{number} leaves out {}: {}", counted(all, "event"), named.collect::<Vec<_>>().join("; "));
    Ok(Answer { address: Some(format!("C{number}/contents")), ..said(text) })
}

/// Messages of the user that somebody else wrote.
pub(super) fn reframed(compiled: &CompiledCall) -> Answer {
    let number = compiled.number;
    let request = compiled.compilation.working_context();
    let log = compiled.open.experiment.log();
    let mut by_author: BTreeMap<Str, usize> = BTreeMap::new();
    for content in request.contents.iter().filter(|content| content.role.as_deref() == Some("user")) {
        let events: Vec<EventIndex> =
            content.parts.iter().filter_map(|part| part.main_origin().event()).collect();
        for author in events.iter().filter_map(|event| Some(&log.get(*event)?.event.author)).take(1) {
            let is_result = content.parts.iter().any(|part| part.part.function_response.is_some());
            if &**author != "user" && !is_result {
                *by_author.entry(author.clone()).or_default() += 1;
            }
        }
    }
    let all: usize = by_author.values().sum();
    if all == 0 {
        return said(format!("In C{number} every message of the user is the user's, or a tool's result."));
    }
    let authors: Vec<String> =
        by_author.into_iter().map(|(author, count)| format!("{author} ({count})")).collect();
    let text = format!(
        "C{number} tells {} of other agents as the user's, in words such as “For context: [agent] said”: {}",
        counted(all, "message"),
        listed(&authors)
    );
    Answer { address: Some(format!("C{number}/contents")), ..said(text) }
}

/// The state values in a prompt's instruction, with the events that wrote them.
pub(super) fn state_shown(compiled: &CompiledCall) -> Result<Answer, AppError> {
    let number = compiled.number;
    let request = compiled.compilation.working_context();
    let mut keys: Vec<Str> = Vec::new();
    for span in request.system_instruction.iter().flat_map(|text| text.spans()) {
        if let Origin::State { key } = &span.origin
            && !keys.contains(key)
        {
            keys.push(key.clone());
        }
    }
    if keys.is_empty() {
        return Ok(said(format!("C{number} shows no state in its instruction.")));
    }
    let states = compiled.open.experiment.states();
    let n_events = compiled.call()?.n_events();
    let known = compiled.context()?;
    let named = keys.iter().take(NAMED).map(|key| {
        let value = known.state.known().get(key).map(|value| breaks::value(&value_text(value)));
        let writer = states
            .writer(key, n_events)
            .map_or("at the beginning".to_owned(), |event| format!("written by E{}", event.number()));
        format!("{key} = {}, {writer}", value.unwrap_or_default())
    });
    let text = format!("C{number} shows {}", named.collect::<Vec<_>>().join("; "));
    let address = states.writer(&keys[0], n_events).map(|event| format!("E{}", event.number()));
    Ok(Answer { address, ..said(text) })
}

fn value_text(value: &strata_model::Json) -> String {
    value.as_str().map_or_else(|| strata_model::json::to_compact(value), str::to_owned)
}

/// What memory and artifacts put into prompts, and for how long it stayed there.
pub(super) fn looked_up(log: &EventLog, analysis: &SessionAnalysis) -> Answer {
    let mut found: Vec<_> = analysis
        .ledger()
        .sources()
        .into_iter()
        .filter(|source| source.kind == Kind::Memory && source.usage.lifetime > 0)
        .collect();
    found.sort_by_key(|source| std::cmp::Reverse(source.usage.lifetime));
    if found.is_empty() {
        return said("No memory and no artifact was put into a prompt.");
    }
    let named = found.iter().take(NAMED).map(|source| {
        let usage = source.usage;
        let where_ = if usage.first_call == usage.last_call {
            format!("in C{}", usage.first_call)
        } else {
            format!(
                "in {}, C{} to C{}",
                counted(usage.calls as usize, "call"),
                usage.first_call,
                usage.last_call
            )
        };
        format!("{}, {} tokens {where_}", words::source(&source.origin, log), whole(usage.lifetime as i64))
    });
    let text = named.collect::<Vec<_>>().join("; ");
    Answer { filter: Some("kind:memory".to_owned()), ..said(text) }
}
