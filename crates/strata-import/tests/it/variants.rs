//! Files as other versions and other writers leave them.

mod aider;
mod captured;
mod claude;
mod codex;
mod coding;
mod compactions;
mod content;
mod editors;
mod frameworks;
mod gemini;
mod inspect;
mod lines;
mod nothing_lost;
mod openai_agents;
mod provider;
mod recording;
mod repeated;
mod several;
mod stores;
mod talk;
mod telemetry;
mod totals;
mod zeros;

use crate::counted::check_cuts;
use strata_import::{Format, Import, ImportedSession, import, marks};
use strata_model::Event;

fn joined(lines: &[&str]) -> String {
    lines.join("\n")
}

/// The only session of a text, which is of this format.
#[track_caller]
fn session(format: Format, text: &str) -> ImportedSession {
    let Import { mut sessions, diagnostics } = import(text.as_bytes());
    assert_eq!(sessions.len(), 1, "{diagnostics:?}");
    let session = sessions.remove(0);
    assert_eq!(session.format, format);
    check_cuts(text.as_bytes());
    session
}

/// What every event is: who speaks, as what, and its first words or tools.
fn told(session: &ImportedSession) -> Vec<String> {
    session.session.events.iter().map(|event| event_told(event)).collect()
}

fn event_told(event: &Event) -> String {
    let mut what = Vec::new();
    for part in event.parts() {
        if let Some(call) = &part.function_call {
            what.push(format!("call {}", call.name.as_deref().unwrap_or("?")));
        } else if let Some(response) = &part.function_response {
            what.push(format!("result of {}", response.name.as_deref().unwrap_or("?")));
        } else if let Some(text) = &part.text {
            what.push(if part.is_thought() { format!("({text})") } else { text.to_string() });
        } else {
            what.push("…".to_owned());
        }
    }
    if event.is_compaction() {
        let content = event.actions.compaction.as_ref().and_then(|it| it.compacted_content.as_ref());
        let words = content.and_then(|content| content.parts().first()?.text.as_deref()).unwrap_or_default();
        what.push(format!("compaction {words}"));
    }
    if event.actions.rewind_before_invocation_id.is_some() {
        what.push("rewind".to_owned());
    }
    if let Some(code) = &event.error_code {
        what.push(format!("error {code}"));
    }
    let injected = marks::injected(event).map(|kind| format!(" [{kind}]")).unwrap_or_default();
    let tokens = event.usage_metadata.as_ref().map(|usage| {
        let output = usage.output_tokens().unwrap_or(0);
        format!(" {}+{output}", usage.prompt_token_count.unwrap_or(0))
    });
    format!("{}{injected}: {}{}", event.author, what.join(", "), tokens.unwrap_or_default())
}

#[track_caller]
fn check_counts(session: &ImportedSession, turns: u64, calls: u64, input: u64, cached: u64, output: u64) {
    let facts = &session.facts;
    let found = (
        facts.user_turns,
        facts.model_responses,
        facts.input_tokens,
        facts.cached_tokens,
        facts.output_tokens + facts.thoughts_tokens,
    );
    assert_eq!(found, (turns, calls, input, cached, output), "{:?}", told(session));
}

fn unmapped(session: &ImportedSession) -> Vec<&str> {
    session.unmapped.records.keys().map(|key| &**key).collect()
}
