//! Edits in words.

use strata_engine::{Edit, PROCESSOR_KINDS};
use strata_model::{Json, Object, json};

/// Characters of a value that are shown.
const MAX_VALUE: usize = 60;

/// "Cap rows of tool results: max_rows 20".
pub(crate) fn title(edit: &Edit) -> String {
    let with_agent = |text: String, agent: &Option<strata_model::Str>| match agent {
        Some(agent) => format!("{text}, for {agent}"),
        None => text,
    };
    match edit {
        Edit::EnableProcessor { processor, agent } => with_agent(format!("Switch {processor} on"), agent),
        Edit::DisableProcessor { processor, agent } => with_agent(format!("Switch {processor} off"), agent),
        Edit::MoveProcessor { processor, before, agent } => {
            let text = match before {
                Some(before) => format!("Move {processor} before {before}"),
                None => format!("Move {processor} to the end"),
            };
            with_agent(text, agent)
        }
        Edit::InsertProcessor { kind, params, agent, .. } => {
            let known = PROCESSOR_KINDS.iter().find(|known| *known.name == **kind);
            let name = known.map_or_else(|| kind.to_string(), |known| known.title.to_owned());
            with_agent(with_params(name, params), agent)
        }
        Edit::ConfigureProcessor { processor, params, agent } => {
            with_agent(with_params(format!("Set {processor}"), params), agent)
        }
        Edit::RemoveProcessor { processor, agent } => with_agent(format!("Take {processor} out"), agent),
        Edit::SetInstruction { agent, text } => {
            format!("{} instruction of {agent}", changed(text.is_some()))
        }
        Edit::SetStaticInstruction { agent, text } => {
            format!("{} static instruction of {agent}", changed(text.is_some()))
        }
        Edit::SetGlobalInstruction { text } => format!("{} global instruction", changed(text.is_some())),
        Edit::SetTool { agent, tool, declaration } => match declaration {
            Some(_) => format!("Declare {tool} of {agent} differently"),
            None => format!("Take {tool} away from {agent}"),
        },
        Edit::SetOutputSchema { agent, schema } => {
            format!("{} output schema of {agent}", changed(schema.is_some()))
        }
        Edit::SetIncludeContents { agent, value } => format!("include_contents of {agent}: {value}"),
        Edit::DropEvent { event } => format!("Drop E{event}"),
        Edit::EditEvent { event, .. } => format!("Edit E{event}"),
        Edit::PinEvent { event } => format!("Pin E{event}"),
        Edit::SetCompaction { config } => match config {
            Some(config) => with_params("Compaction".to_owned(), config),
            None => "No compaction".to_owned(),
        },
        Edit::LaySummaries { config, summaries, .. } => {
            format!("{} for {config}", summaries_counted(summaries.len()))
        }
        Edit::SetCache { config } => match config {
            Some(config) => with_params("Context cache".to_owned(), config),
            None => "No context cache".to_owned(),
        },
        Edit::SetStateMap { key, fields } if fields.is_empty() => format!("Show all of state.{key}"),
        Edit::SetStateMap { key, fields } => format!("Show only {} of state.{key}", fields.join(", ")),
    }
}

fn summaries_counted(n: usize) -> String {
    if n == 1 { "1 summary".to_owned() } else { format!("{n} summaries") }
}

fn changed(is_set: bool) -> &'static str {
    if is_set { "Another" } else { "No" }
}

fn with_params(name: String, params: &Object) -> String {
    if params.is_empty() {
        return name;
    }
    let shown = params.iter().map(|(key, value)| match value {
        Json::String(text) if text.contains('\n') => key.to_string(),
        Json::Array(items) => {
            let items =
                items.iter().map(|item| item.as_str().map_or_else(|| json::to_compact(item), str::to_owned));
            format!("{key} {}", cut(&items.collect::<Vec<_>>().join(", ")))
        }
        Json::String(text) => format!("{key} {}", cut(text)),
        other => format!("{key} {}", cut(&json::to_compact(other))),
    });
    format!("{name}: {}", shown.collect::<Vec<_>>().join(", "))
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_VALUE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
