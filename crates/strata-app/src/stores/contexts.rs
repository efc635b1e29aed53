//! Contexts of served apps: how long each lasts, what takes its room, and what would be lost with it.

use strata_context::{
    Context, ContextId, Held, Millis, Retention, RetentionStrategy, Task, expires_at, handle_of, state_at,
};
use strata_model::json;
use strata_store::{ContextEntry, Store};

use super::state::shown;
use crate::api::stores_kept::{
    ContextDetail, ContextKey, ContextLine, ContextMessage, ContextTask, ContextsPage, PutAway,
};
use crate::error::AppError;
use crate::show::words;

/// Characters of a value and of a message that are shown.
const LINE: usize = 120;
const MESSAGE: usize = 600;

/// All contexts at a time, the latest used first, then those that expired. `session`: the one that is open.
pub(crate) fn contexts_page(
    store: &Store,
    session: Option<&str>,
    now: Millis,
) -> Result<ContextsPage, AppError> {
    let mut rows: Vec<ContextLine> =
        store.contexts()?.iter().map(|entry| line(entry, session, now)).collect();
    let archived = store.archived_contexts()?;
    rows.extend(archived.iter().map(|archived| {
        let (id, principal) = (archived.id.to_string(), archived.principal.to_string());
        match &archived.context {
            Some(context) => ContextLine {
                state: "expired".to_owned(),
                expired_ms: Some(archived.expired_at.0 as f64),
                ..line(&entry_of(context), session, now)
            },
            None => ContextLine {
                id,
                principal,
                state: "expired".to_owned(),
                expired_ms: Some(archived.expired_at.0 as f64),
                ..ContextLine::default()
            },
        }
    }));
    Ok(ContextsPage {
        total: rows.len() as u32,
        open_tasks: rows.iter().map(|row| row.open_tasks).sum(),
        of_session: rows.iter().filter(|row| row.is_of_session).count() as u32,
        state_limit: strata_context::MAX_STATE_BYTES as f64,
        rows,
    })
}

/// One context, archived or not.
pub(crate) fn context_detail(
    store: &Store,
    id: &str,
    session: Option<&str>,
    now: Millis,
) -> Result<ContextDetail, AppError> {
    let missing = || AppError::not_found(format!("There is no context {id} any more."));
    let id = ContextId::parse(id).map_err(|_| missing())?;
    let tasks = store.context_tasks(&id)?;
    if let Some(Held { context, .. }) = store.context(&id)? {
        return Ok(detail(&context, line(&entry_of(&context), session, now), &tasks));
    }
    let archived = store.archived_context(&id)?.ok_or_else(missing)?;
    let expired_ms = Some(archived.expired_at.0 as f64);
    match &archived.context {
        Some(context) => {
            let row = ContextLine {
                state: "expired".to_owned(),
                expired_ms,
                ..line(&entry_of(context), session, now)
            };
            Ok(detail(context, row, &tasks))
        }
        None => Ok(ContextDetail {
            row: ContextLine {
                id: id.to_string(),
                principal: archived.principal.to_string(),
                state: "expired".to_owned(),
                expired_ms,
                ..ContextLine::default()
            },
            retention: String::new(),
            loss: "Nothing was ever said, remembered or done in it.".to_owned(),
            keys: Vec::new(),
            messages: Vec::new(),
            tasks: Vec::new(),
            put_away: Vec::new(),
        }),
    }
}

fn entry_of(context: &Context) -> ContextEntry {
    ContextEntry {
        n_messages_kept: context.messages.len() as u64,
        message_bytes: context.message_bytes() as u64,
        context: context.clone(),
    }
}

fn line(entry: &ContextEntry, session: Option<&str>, now: Millis) -> ContextLine {
    let context = &entry.context;
    let own = context.session.as_deref();
    ContextLine {
        id: context.context_id.to_string(),
        principal: context.principal_id.to_string(),
        state: state_at(context, now).name().to_owned(),
        ttl: context.ttl.class().replace('_', " "),
        ttl_seconds: context.ttl.seconds(),
        created_ms: context.created_at.0 as f64,
        updated_ms: context.updated_at.0 as f64,
        expires_ms: expires_at(context).map(|at| at.0 as f64),
        expired_ms: None,
        messages: entry.n_messages_kept as u32,
        messages_ever: context.n_messages as u32,
        has_summary: context.messages.first().is_some_and(strata_context::Message::is_summary),
        state_bytes: json::object_compact_len(&context.working_state) as f64,
        message_bytes: entry.message_bytes as f64,
        put_away_bytes: context.artifacts.iter().map(|artifact| artifact.bytes as f64).sum(),
        open_tasks: context.active_tasks.len() as u32,
        completed_tasks: context.n_completed as u32,
        doors: context.doors.iter().map(|door| door.door.name().to_owned()).collect(),
        session: own.map(str::to_owned),
        is_of_session: session.is_some() && own == session,
    }
}

fn detail(context: &Context, row: ContextLine, tasks: &[Task]) -> ContextDetail {
    let mut keys: Vec<ContextKey> = context
        .working_state
        .iter()
        .map(|(key, value)| ContextKey {
            key: key.to_string(),
            bytes: json::compact_len(value) as f64,
            value: shown(key, value, LINE),
            put_away: handle_of(value).map(|(name, version)| format!("{name} version {version}")),
        })
        .collect();
    keys.sort_by(|a, b| b.bytes.total_cmp(&a.bytes));
    ContextDetail {
        retention: retention(&context.message_retention),
        loss: loss(context, &row),
        keys,
        messages: context.messages.iter().map(message).collect(),
        tasks: tasks.iter().map(task).collect(),
        put_away: context
            .artifacts
            .iter()
            .map(|artifact| PutAway {
                name: artifact.name.clone(),
                version: artifact.version,
                bytes: artifact.bytes as f64,
            })
            .collect(),
        row,
    }
}

fn message(message: &strata_context::Message) -> ContextMessage {
    ContextMessage {
        number: message.number as u32,
        at_ms: message.at.0 as f64,
        role: message.role.name().to_owned(),
        is_summary: message.is_summary(),
        content: words::row(message.content.as_ref(), MESSAGE),
        bytes: message.bytes() as f64,
        door: message.door.map(|door| door.name().to_owned()),
    }
}

fn task(task: &Task) -> ContextTask {
    ContextTask {
        id: task.task_id.to_string(),
        operation: task.operation.to_string(),
        status: task.status.name().replace('_', " "),
        created_ms: task.created_at.0 as f64,
        updated_ms: task.updated_at.0 as f64,
        parent: task.parent.as_ref().map(ToString::to_string),
        inherited: task.inherited_state.keys().map(ToString::to_string).collect(),
        changed: task.changes.keys().map(ToString::to_string).collect(),
        told: task.told.as_deref().map(|told| words::row(told, LINE)),
    }
}

/// What of its messages a context keeps.
fn retention(retention: &Retention) -> String {
    let kept = match retention.strategy {
        RetentionStrategy::Count => {
            format!("the last {}", words::counted(retention.limit as usize, "message"))
        }
        RetentionStrategy::Time => {
            format!("messages of the last {}", words::counted(retention.limit as usize, "second"))
        }
        RetentionStrategy::Size => format!("{} of messages", words::size(retention.limit as usize)),
    };
    if retention.summarize_on_truncate { format!("{kept}; what goes is summarised") } else { kept }
}

/// When its time is up, and what nobody can go on with then.
fn loss(context: &Context, row: &ContextLine) -> String {
    let held = [
        (row.messages as usize, "message"),
        (context.working_state.len(), "key"),
        (context.artifacts.len(), "value that was put away"),
    ];
    let held: Vec<String> = held
        .iter()
        .filter(|(n, _)| *n > 0)
        .map(|(n, what)| match *what {
            "value that was put away" if *n > 1 => {
                format!("{} values that were put away", words::whole(*n as i64))
            }
            what => words::counted(*n, what),
        })
        .collect();
    let held = if held.is_empty() { "nothing".to_owned() } else { words::listed(&held) };
    if row.expired_ms.is_some() {
        return format!("It has expired with {held}. All of it is archived; no client can go on with it.");
    }
    let stays = match (row.open_tasks, row.ttl_seconds) {
        (0, None) => "It does not expire by the clock. ",
        (0, Some(_)) => "",
        (_, _) => "It does not expire while a task is open. ",
    };
    format!(
        "{stays}When it expires, it takes {held} out of clients’ reach: they are archived, its id is never given again, and \
         a client that comes back is told CONTEXT_EXPIRED."
    )
}
