//! What a summariser is asked.

use strata_model::app::EventsCompactionConfig;
use strata_model::{Content, Json, python};

use super::format::{PromptError, format_template};
use super::window::Window;
use crate::adk_text::{REQUEST_CREDENTIAL, SUMMARY_PROMPT};
use crate::log::LoggedEvent;

/// Longest rendering of a call's arguments or a response, in characters.
const MAX_TOOL_CHARACTERS: usize = 2000;

/// The prompt for a window: the template with the conversation in it.
pub fn summarizer_prompt(
    window: &Window<'_>,
    config: &EventsCompactionConfig,
) -> Result<String, PromptError> {
    let template = config.summarizer.as_ref().and_then(|summarizer| summarizer.prompt_template.as_deref());
    let template = template.filter(|template| !template.is_empty()).unwrap_or(SUMMARY_PROMPT);
    format_template(template, &conversation(window))
}

fn conversation(window: &Window<'_>) -> String {
    let mut lines = Vec::new();
    let seed =
        window.seed.and_then(|seed| seed.event.actions.compaction.as_ref()?.compacted_content.as_ref());
    if let Some(summary) = seed {
        add_lines(&mut lines, "model", summary);
    }
    for logged in window.events.iter().filter(|logged| !asks_for_credentials(logged)) {
        if let Some(content) = &logged.event.content {
            add_lines(&mut lines, &logged.event.author, content);
        }
    }
    lines.join("\n")
}

/// What an event adds to a summariser's prompt, without the line break behind it.
pub fn summarizer_lines(logged: &LoggedEvent) -> String {
    let mut lines = Vec::new();
    if let Some(content) = logged.event.content.as_ref().filter(|_| !asks_for_credentials(logged)) {
        add_lines(&mut lines, &logged.event.author, content);
    }
    lines.join("\n")
}

fn asks_for_credentials(logged: &LoggedEvent) -> bool {
    let request = Some(REQUEST_CREDENTIAL);
    logged.event.function_calls().any(|call| call.name.as_deref() == request)
        || logged.event.function_responses().any(|response| response.name.as_deref() == request)
}

fn add_lines(lines: &mut Vec<String>, author: &str, content: &Content) {
    for part in content.parts() {
        if let Some(text) = part.text.as_deref().filter(|text| !text.is_empty()) {
            let manner = if part.is_thought() { " (thought)" } else { "" };
            lines.push(format!("{author}{manner}: {text}"));
        }
        if let Some(call) = &part.function_call {
            let name = call.name.as_deref().unwrap_or("None");
            lines.push(format!("{author} called tool: {name}({})", rendered(call.args.as_deref())));
        }
        if let Some(response) = &part.function_response {
            let name = response.name.as_deref().unwrap_or("None");
            lines.push(format!("Tool response from {name}: {}", rendered(response.response.as_deref())));
        }
    }
}

fn rendered(object: Option<&strata_model::Object>) -> String {
    let text = object.map_or_else(|| python::repr(&Json::Null), python::repr_object);
    let n_characters = python::len(&text);
    if n_characters <= MAX_TOOL_CHARACTERS {
        return text;
    }
    let kept: String = text.chars().take(MAX_TOOL_CHARACTERS).collect();
    format!("{kept}... [truncated {} chars]", n_characters - MAX_TOOL_CHARACTERS)
}
