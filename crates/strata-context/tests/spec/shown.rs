//! What a story shows of a context.

use strata_context::{Context, ContextError, Fate, Held, Message, Millis, Task, expires_at, state_at};
use strata_model::{Json, json};

/// Longer texts are cut.
const MAX_LETTERS: usize = 72;

/// `00:05`, with seconds where there are some.
pub(crate) fn clock(at: Millis) -> String {
    let seconds = at.0 / 1_000;
    let (hours, minutes, rest) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if rest == 0 { format!("{hours:02}:{minutes:02}") } else { format!("{hours:02}:{minutes:02}:{rest:02}") }
}

pub(crate) fn life(context: &Context, now: Millis) -> String {
    let expires = match expires_at(context) {
        Some(at) => format!("expires {}", clock(at)),
        None => "expires by no clock".to_owned(),
    };
    format!("{}, {expires}", state_at(context, now).name())
}

pub(crate) fn messages(context: &Context) -> Vec<String> {
    let line = |message: &Message| {
        let task = message.task.as_ref().map(|task| format!(" ({task})")).unwrap_or_default();
        format!("{} {}{task}: {}", message.number, message.role.name(), short(&message.content))
    };
    or_nothing(context.messages.iter().map(line).collect())
}

pub(crate) fn state(context: &Context) -> Vec<String> {
    let rows = context.working_state.iter();
    or_nothing(rows.map(|(key, value)| format!("{key} = {}", short(&json::to_compact(value)))).collect())
}

pub(crate) fn tasks(held: &Held) -> Vec<String> {
    let line = |task: &Task| {
        let inherited = short(&json::to_compact(&Json::Object(task.inherited_state.clone())));
        let changes = short(&json::to_compact(&Json::Object(task.changes.clone())));
        format!("{} {}: inherited {inherited}, changed {changes}", task.task_id, task.status.name())
    };
    or_nothing(held.tasks.values().map(line).collect())
}

pub(crate) fn doors(context: &Context) -> Vec<String> {
    let rows = context.doors.iter();
    let line = rows.map(|door| {
        format!(
            "{}: {} since {}, last {}",
            door.door.name(),
            door.n_requests,
            clock(door.first_at),
            clock(door.last_at)
        )
    });
    or_nothing(line.collect())
}

pub(crate) fn artifacts(context: &Context) -> Vec<String> {
    let rows = context.artifacts.iter();
    let line = rows
        .map(|artifact| format!("{} version {}, {} bytes", artifact.name, artifact.version, artifact.bytes));
    or_nothing(line.collect())
}

pub(crate) fn refused(error: &ContextError) -> Vec<String> {
    let expired = match error {
        ContextError::Expired { expired_at: Some(at), .. } => format!(" (expired {})", clock(*at)),
        _ => String::new(),
    };
    vec![format!("{}{expired}: {}", error.code(), error)]
}

pub(crate) fn fate(fate: Fate) -> String {
    match fate {
        Fate::Stays => "stays".to_owned(),
        Fate::Idle => "marked idle".to_owned(),
        Fate::ArchivedAndGone { at } => format!("archived, then deleted; expired {}", clock(at)),
        Fate::Gone { at } => format!("deleted, nothing in it to archive; expired {}", clock(at)),
    }
}

fn or_nothing(lines: Vec<String>) -> Vec<String> {
    if lines.is_empty() { vec!["nothing".to_owned()] } else { lines }
}

fn short(text: &str) -> String {
    let n_letters = text.chars().count();
    if n_letters <= MAX_LETTERS {
        return text.to_owned();
    }
    let start: String = text.chars().take(MAX_LETTERS).collect();
    format!("{start}… ({} bytes)", text.len())
}
