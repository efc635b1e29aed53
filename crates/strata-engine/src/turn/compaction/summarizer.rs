//! What a summariser is asked.

use strata_model::app::EventsCompactionConfig;
use strata_model::{Content, Json, python};

use super::format::{PromptError, format_template};
use super::window::Window;
use crate::adk_text::{REQUEST_CREDENTIAL, SUMMARY_PROMPT};
use crate::log::LoggedEvent;

/// Longest rendering of a call's arguments or a response, in characters.
pub const MAX_TOOL_CHARACTERS: usize = 2000;

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

/// How much of an event its summariser is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SummarizerReach {
    /// Characters (Unicode code points) of the texts, arguments and results, as a summariser's prompt spells them.
    pub characters: u64,
    /// Of these, the ones that are cut off before anybody reads them.
    pub unread: u64,
    /// Calls and results that are cut.
    pub n_cut: u32,
}

impl std::iter::Sum for SummarizerReach {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            characters: sum.characters + one.characters,
            unread: sum.unread + one.unread,
            n_cut: sum.n_cut + one.n_cut,
        })
    }
}

/// What of an event reaches a summariser: texts do as a whole, arguments and results up to [`MAX_TOOL_CHARACTERS`] each.
pub fn summarizer_reach(logged: &LoggedEvent) -> SummarizerReach {
    let Some(content) = logged.event.content.as_ref().filter(|_| !asks_for_credentials(logged)) else {
        return SummarizerReach::default();
    };
    let mut reach = SummarizerReach::default();
    let mut add = |characters: usize, most: usize| {
        reach.characters += characters as u64;
        reach.unread += characters.saturating_sub(most) as u64;
        reach.n_cut += u32::from(characters > most);
    };
    for part in content.parts() {
        if let Some(text) = part.text.as_deref() {
            add(python::len(text), usize::MAX);
        }
        if let Some(call) = &part.function_call {
            add(python::len(&spelled(call.args.as_deref())), MAX_TOOL_CHARACTERS);
        }
        if let Some(response) = &part.function_response {
            add(python::len(&spelled(response.response.as_deref())), MAX_TOOL_CHARACTERS);
        }
    }
    reach
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

fn spelled(object: Option<&strata_model::Object>) -> String {
    object.map_or_else(|| python::repr(&Json::Null), python::repr_object)
}

fn rendered(object: Option<&strata_model::Object>) -> String {
    let text = spelled(object);
    let n_characters = python::len(&text);
    if n_characters <= MAX_TOOL_CHARACTERS {
        return text;
    }
    let kept: String = text.chars().take(MAX_TOOL_CHARACTERS).collect();
    format!("{kept}... [truncated {} chars]", n_characters - MAX_TOOL_CHARACTERS)
}
