//! What an event is, as far as the session alone tells it.

use strata_measure::analysis::Kind;
use strata_model::{Event, FunctionCall, FunctionResponse, Json, Part, Str, json, marks};

use crate::show::{tool_words, words};

/// A row as far as the session alone tells it.
pub(crate) struct EventFacts {
    pub kind: Kind,
    pub agent: Str,
    /// The call that produced it, or asked for it.
    pub call: Option<u32>,
    /// Tools it calls or answers, in order.
    pub tools: Vec<Str>,
    /// In one line, without the tool's name.
    pub what: String,
    pub error: Option<String>,
    /// It holds nothing a model could read.
    pub is_silent: bool,
}

/// `call` produced the event, or asked for it; `asked` finds the call of a tool by its id.
pub(super) fn facts<'e>(
    event: &Event,
    call: Option<u32>,
    asked: impl Fn(&str) -> Option<&'e FunctionCall>,
) -> EventFacts {
    let part = main_part(event);
    let calls = event.function_calls().filter_map(|call| call.name.clone());
    let tools: Vec<Str> =
        calls.chain(event.function_responses().filter_map(|response| response.name.clone())).collect();
    let is_silent = event.parts().is_empty() && !event.is_compaction();
    EventFacts {
        kind: Kind::of_event_part(event, part),
        agent: event.author.clone(),
        call,
        what: what(event, part, tools.len(), |response| asked(response.id.as_deref()?)),
        tools,
        error: error(event),
        is_silent,
    }
}

/// The part that says what the event is: a tool call or result, else the first text that is no thought.
fn main_part(event: &Event) -> Option<&Part> {
    let parts = || event.parts().iter().map(|part| &**part);
    let is_tool = |part: &&Part| part.function_call.is_some() || part.function_response.is_some();
    parts().find(is_tool).or_else(|| parts().find(|part| !part.is_thought())).or_else(|| parts().next())
}

fn what<'e>(
    event: &Event,
    part: Option<&Part>,
    n_tools: usize,
    call_of: impl Fn(&FunctionResponse) -> Option<&'e FunctionCall>,
) -> String {
    if let Some(compaction) = &event.actions.compaction {
        let content = compaction.compacted_content.as_ref();
        let text = content.and_then(|content| content.parts().first()?.text.clone()).unwrap_or_default();
        return format!("Summary: {}", words::first_line(&text));
    }
    let line = match part {
        Some(part) => match (&part.function_call, &part.function_response) {
            (Some(call), _) => words::arguments(call),
            (_, Some(response)) => tool_words::answered(call_of(response), response),
            _ => words::plain_line(part),
        },
        None => return silent(event),
    };
    if n_tools > 1 { format!("{line} and {} more", n_tools - 1) } else { line }
}

/// What an event without content is there for.
fn silent(event: &Event) -> String {
    let actions = &event.actions;
    if let Some(code) = &event.error_code {
        return words::first_line(&format!("{code}: {}", event.error_message.as_deref().unwrap_or_default()));
    }
    if marks::has(event, marks::UNANSWERED) {
        return "No answer recorded".to_owned();
    }
    if marks::has(event, marks::PENDING) {
        return "Held, not sent".to_owned();
    }
    if let Some(invocation) = &actions.rewind_before_invocation_id {
        return format!("Rewind to before {invocation}");
    }
    if !actions.state_delta.is_empty() {
        let keys: Vec<&str> = actions.state_delta.keys().map(|key| &**key).collect();
        return words::cut(&format!("State: {}", keys.join(", ")), 240);
    }
    if !actions.artifact_delta.is_empty() {
        let names: Vec<&str> = actions.artifact_delta.keys().map(|key| &**key).collect();
        return words::cut(&format!("Artifacts: {}", names.join(", ")), 240);
    }
    if let Some(agent) = &actions.transfer_to_agent {
        return format!("Transfer to {agent}");
    }
    "No content".to_owned()
}

/// What failed: the model's answer, or a tool.
fn error(event: &Event) -> Option<String> {
    if let Some(code) = &event.error_code {
        let message = event.error_message.as_deref().unwrap_or_default();
        return Some(format!("{code}: {message}").trim_end_matches([':', ' ']).to_owned());
    }
    event.function_responses().find_map(|response| {
        let object = response.response.as_deref()?;
        let is_flagged =
            ["isError", "is_error"].iter().any(|key| object.get(key).is_some_and(Json::is_truthy));
        let failed = object.get("error").filter(|error| error.is_truthy());
        let failed = failed.or_else(|| object.get("result").filter(|_| is_flagged));
        let name = response.name.as_deref().unwrap_or("The tool");
        if failed.is_none() && !is_flagged {
            // Some clients only write how a command ended.
            let (code, said) = tool_words::failed_command(response)?;
            return Some(
                format!("{name} ended with exit code {code}: {said}").trim_end_matches([':', ' ']).to_owned(),
            );
        }
        Some(match failed {
            Some(Json::String(message)) => format!("{name} failed: {}", words::first_line(message)),
            Some(other) => format!("{name} failed: {}", words::row(&json::to_compact(other), 240)),
            None => format!("{name} failed"),
        })
    })
}
