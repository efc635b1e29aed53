//! Edits in words.

use strata_engine::{AppEdit, CompactionEdit, Edit, EventsEdit, FlowEdit, PROCESSOR_KINDS};
use strata_model::{Json, Object, json};

/// Characters of a value that are shown.
const MAX_VALUE: usize = 60;

/// "Cap rows of tool results: max_rows 20".
pub(crate) fn title(edit: &Edit) -> String {
    match edit {
        Edit::Flow(edit) => of_flow(edit),
        Edit::App(edit) => of_app(edit),
        Edit::Events(EventsEdit::Drop { event }) => format!("Drop E{event}"),
        Edit::Events(EventsEdit::Replace { event, .. }) => format!("Edit E{event}"),
        Edit::Events(EventsEdit::Pin { event }) => format!("Pin E{event}"),
        Edit::Compaction(CompactionEdit::Set { config: Some(config) }) => {
            with_params("Compaction".to_owned(), config)
        }
        Edit::Compaction(CompactionEdit::Set { config: None }) => "No compaction".to_owned(),
        Edit::Compaction(CompactionEdit::Lay { config, summaries, .. }) => {
            format!("{} for {config}", summaries_counted(summaries.len()))
        }
    }
}

fn of_flow(edit: &FlowEdit) -> String {
    let text = match edit {
        FlowEdit::Enable { processor, .. } => format!("Switch {processor} on"),
        FlowEdit::Disable { processor, .. } => format!("Switch {processor} off"),
        FlowEdit::Move { processor, before: Some(before), .. } => format!("Move {processor} before {before}"),
        FlowEdit::Move { processor, before: None, .. } => format!("Move {processor} to the end"),
        FlowEdit::Insert { kind, params, .. } => {
            let known = PROCESSOR_KINDS.iter().find(|known| *known.name == **kind);
            let name = known.map_or_else(|| kind.to_string(), |known| known.title.to_owned());
            with_params(name, params)
        }
        FlowEdit::Configure { processor, params, .. } => with_params(format!("Set {processor}"), params),
        FlowEdit::Remove { processor, .. } => format!("Take {processor} out"),
        FlowEdit::StateMap { key, fields } if fields.is_empty() => format!("Show all of state.{key}"),
        FlowEdit::StateMap { key, fields } => format!("Show only {} of state.{key}", fields.join(", ")),
    };
    match edit.agent() {
        Some(agent) => format!("{text}, for {agent}"),
        None => text,
    }
}

fn of_app(edit: &AppEdit) -> String {
    match edit {
        AppEdit::Instruction { agent, text } => {
            format!("{} instruction of {agent}", changed(text.is_some()))
        }
        AppEdit::StaticInstruction { agent, text } => {
            format!("{} static instruction of {agent}", changed(text.is_some()))
        }
        AppEdit::GlobalInstruction { text } => format!("{} global instruction", changed(text.is_some())),
        AppEdit::Tool { agent, tool, declaration: Some(_) } => {
            format!("Declare {tool} of {agent} differently")
        }
        AppEdit::Tool { agent, tool, declaration: None } => format!("Take {tool} away from {agent}"),
        AppEdit::OutputSchema { agent, schema } => {
            format!("{} output schema of {agent}", changed(schema.is_some()))
        }
        AppEdit::IncludeContents { agent, value } => format!("include_contents of {agent}: {value}"),
        AppEdit::Cache { config: Some(config) } => with_params("Context cache".to_owned(), config),
        AppEdit::Cache { config: None } => "No context cache".to_owned(),
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
