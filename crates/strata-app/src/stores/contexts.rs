//! Contexts of served apps: how long each lasts, what takes its room, and what would be lost with it.

use strata_context::{
    Command, Context, ContextId, Held, Millis, Retention, RetentionStrategy, Task, expires_at, handle_of,
    state_at,
};
use strata_model::json;
use strata_store::{ArchivedContext, ContextEntry, ContextFailure, Store};

use super::retention_loss::retention_loss;
use super::state::shown;
use crate::api::stores_kept::{
    ContextCounts, ContextDetail, ContextFilter, ContextKey, ContextLine, ContextMessage, ContextTask,
    ContextsPage, PutAway, SeenContext,
};
use crate::error::{AppError, sentence};
use crate::message_summary::ExtractiveMessages;
use crate::show::words;

/// Characters of a value and of a message that are shown.
const LINE: usize = 120;
const MESSAGE: usize = 600;

/// All contexts at a time, the latest used first, then those that expired, then those that only the open session names.
/// `session`: the one that is open, with what it names.
pub(crate) fn contexts_page(
    store: &Store,
    session: Option<&str>,
    seen: &[SeenContext],
    filter: ContextFilter,
    now: Millis,
) -> Result<ContextsPage, AppError> {
    let mut rows: Vec<ContextLine> =
        store.contexts()?.iter().map(|entry| line(entry, session, now)).collect();
    rows.extend(store.archived_contexts()?.iter().map(|archived| archived_line(archived, session, now)));
    for row in &mut rows {
        row.seen = seen.iter().find(|seen| seen.id == row.id).map_or(0, |seen| seen.times);
    }
    let n_served = rows.len();
    let others = seen.iter().filter(|seen| rows.iter().all(|row| row.id != seen.id));
    let others: Vec<ContextLine> = others.map(seen_line).collect();
    rows.extend(others);
    let n_seen = (rows.len() - n_served) as u32;
    let open_tasks = rows.iter().map(|row| row.open_tasks).sum();
    let count = |filter| rows.iter().filter(|row| is_let_through(row, filter, now)).count() as u32;
    let counts = ContextCounts {
        all: rows.len() as u32,
        open_tasks: count(ContextFilter::OpenTasks),
        expiring: count(ContextFilter::Expiring),
        named: count(ContextFilter::Named),
    };
    rows.retain(|row| is_let_through(row, filter, now));
    if filter == ContextFilter::Expiring {
        let end = |row: &ContextLine| row.expires_ms.unwrap_or(f64::INFINITY);
        rows.sort_by(|one, other| end(one).total_cmp(&end(other)));
    }
    Ok(ContextsPage {
        total: rows.len() as u32,
        counts,
        open_tasks,
        seen: n_seen,
        state_limit: strata_context::MAX_STATE_BYTES as f64,
        gap: None,
        rows,
    })
}

/// A context expires soon that has less than this left, in milliseconds.
const SOON: f64 = 15.0 * 60_000.0;

fn is_let_through(row: &ContextLine, filter: ContextFilter, now: Millis) -> bool {
    match filter {
        ContextFilter::All => true,
        ContextFilter::OpenTasks => row.open_tasks > 0,
        ContextFilter::Expiring => row.expires_ms.is_some_and(|at| at - now.0 as f64 <= SOON),
        ContextFilter::Named => row.seen > 0,
    }
}

/// One context, archived or not, or one that only the open session names.
pub(crate) fn context_detail(
    store: &Store,
    id: &str,
    session: Option<&str>,
    seen: Option<SeenContext>,
    now: Millis,
) -> Result<ContextDetail, AppError> {
    let Ok(parsed) = ContextId::parse(id) else {
        return Ok(only_seen(seen.ok_or_else(|| missing(id))?));
    };
    let tasks = store.context_tasks(&parsed)?;
    if let Some(Held { context, .. }) = store.context(&parsed)? {
        let loss = retention_loss(store, &context)?;
        let known = detail(&context, line(&entry_of(&context), session, now), &tasks);
        return Ok(ContextDetail { seen, retention_loss: loss, ..known });
    }
    let Some(archived) = store.archived_context(&parsed)? else {
        return Ok(only_seen(seen.ok_or_else(|| missing(id))?));
    };
    let row = archived_line(&archived, session, now);
    match &archived.context {
        Some(context) => {
            let loss = retention_loss(store, context)?;
            Ok(ContextDetail { seen, retention_loss: loss, ..detail(context, row, &tasks) })
        }
        None => {
            let loss = "Nothing was ever said, remembered or done in it.".to_owned();
            Ok(ContextDetail { row, loss, seen, ..ContextDetail::default() })
        }
    }
}

fn missing(id: &str) -> AppError {
    AppError::not_found(format!("There is no context {id} any more."))
}

/// Puts a context away; the next request of its client takes it up again.
pub(crate) fn archive_context(store: &mut Store, id: &str, now: Millis) -> Result<(), AppError> {
    let parsed = ContextId::parse(id).map_err(|_| missing(id))?;
    let held = store.context(&parsed)?.ok_or_else(|| missing(id))?;
    let summariser = ExtractiveMessages::default();
    let archive = vec![Command::Archive];
    match store.obey_context(&parsed, &held.context.principal_id, archive, now, &summariser) {
        Ok(_) => Ok(()),
        Err(ContextFailure::Refused(error)) => Err(AppError::bad_input(sentence(&error.to_string()))),
        Err(ContextFailure::Store(error)) => Err(error.into()),
    }
}

/// Ends a context before its time.
pub(crate) fn end_context(store: &mut Store, id: &str, now: Millis) -> Result<(), AppError> {
    let parsed = ContextId::parse(id).map_err(|_| missing(id))?;
    store.expire_context(&parsed, now)?.ok_or_else(|| missing(id)).map(|_| ())
}

fn archived_line(archived: &ArchivedContext, session: Option<&str>, now: Millis) -> ContextLine {
    let row = match &archived.context {
        Some(context) => line(&entry_of(context), session, now),
        None => ContextLine {
            id: archived.id.to_string(),
            principal: archived.principal.to_string(),
            ..ContextLine::default()
        },
    };
    ContextLine {
        state: "expired".to_owned(),
        expired_ms: Some(archived.expired_at.0 as f64),
        expires_ms: None,
        ..row
    }
}

fn seen_line(seen: &SeenContext) -> ContextLine {
    ContextLine {
        id: seen.id.clone(),
        state: "seen".to_owned(),
        created_ms: seen.first_ms,
        updated_ms: seen.last_ms,
        doors: seen.doors.clone(),
        is_of_session: true,
        seen: seen.times,
        ..ContextLine::default()
    }
}

fn only_seen(seen: SeenContext) -> ContextDetail {
    ContextDetail {
        row: seen_line(&seen),
        loss: "It is kept elsewhere: what is in it, and when it expires, is not in this recording."
            .to_owned(),
        seen: Some(seen),
        ..ContextDetail::default()
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
        seen: 0,
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
        loss: expiry_loss(context, row.state == "expired"),
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
        seen: None,
        retention_loss: None,
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
        refused: task.conflicts.iter().map(|conflict| conflict.key.to_string()).collect(),
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
pub(crate) fn expiry_loss(context: &Context, has_expired: bool) -> String {
    let held = [
        (context.messages.len(), "message"),
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
    if has_expired {
        return format!(
            "It has expired with {held}. All of it is kept in the archive, by the next cleanup at the latest; no client can go on with it."
        );
    }
    let stays = match (context.active_tasks.len(), context.ttl.seconds()) {
        (0, None) => "It does not expire by the clock. ",
        (0, Some(_)) => "",
        (_, _) => "It does not expire while a task is open. ",
    };
    format!(
        "{stays}When it expires, it takes {held} out of clients’ reach: they are archived, its id is never given again, and \
         a client that comes back is told CONTEXT_EXPIRED."
    )
}
