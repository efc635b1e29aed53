//! Contexts as they are stored.

use rusqlite::{Connection, OptionalExtension, Row, params};
use strata_context::{
    Command, Context, ContextError, ContextId, Held, Message, Millis, Principal, Task, TaskId,
    UnreadableContext, checked,
};
use strata_model::{Json, json};

use super::failure::ContextFailure;
use crate::{Store, StoreError};

/// A context in lists: what it holds, and how many messages, without them.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextEntry {
    pub context: Context,
    pub n_messages_kept: u64,
    /// Of all messages that are kept.
    pub message_bytes: u64,
}

/// A context that expired.
#[derive(Debug, Clone, PartialEq)]
pub struct ArchivedContext {
    pub id: ContextId,
    pub principal: Principal,
    pub expired_at: Millis,
    pub archived_at: Millis,
    /// With its messages. `None` where there was nothing in it to keep.
    pub context: Option<Context>,
}

/// A task, and whose it is.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskEntry {
    pub principal: Principal,
    pub task: Task,
}

/// What was stored by a version that this one does not understand, or was damaged.
fn unreadable(error: &UnreadableContext) -> StoreError {
    StoreError::Corrupt { detail: error.to_string() }
}

fn id(text: &str) -> Result<ContextId, StoreError> {
    ContextId::parse(text).map_err(|error| StoreError::Corrupt { detail: error.to_string() })
}

fn context(text: &str) -> Result<Context, StoreError> {
    Context::from_text(text).map_err(|error| unreadable(&error))
}

impl Store {
    /// All contexts that have not been archived or deleted, the latest used first.
    pub fn contexts(&self) -> Result<Vec<ContextEntry>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT c.document, count(m.number), coalesce(sum(length(CAST(m.message ->> 'content' AS BLOB))), 0)
             FROM contexts c LEFT JOIN context_messages m ON m.context = c.id
             GROUP BY c.id ORDER BY c.updated_at_ms DESC, c.id",
        )?;
        let entry = |row: &Row<'_>| -> Result<ContextEntry, StoreError> {
            Ok(ContextEntry {
                context: context(&row.get::<_, String>(0)?)?,
                n_messages_kept: row.get::<_, i64>(1)? as u64,
                message_bytes: row.get::<_, i64>(2)? as u64,
            })
        };
        statement.query_and_then([], entry)?.collect()
    }

    /// A context with its messages and all its tasks, whosever it is.
    pub fn context(&self, id: &ContextId) -> Result<Option<Held>, StoreError> {
        let snapshot = self.connection.unchecked_transaction()?;
        let Some(mut held) = held(&snapshot, id, &[])? else { return Ok(None) };
        held.tasks = tasks_of(&snapshot, id)?.into_iter().map(|task| (task.task_id.clone(), task)).collect();
        Ok(Some(held))
    }

    /// A context for the one it belongs to, as [`Store::obey_context`] finds it.
    pub fn context_of(
        &self,
        id: &ContextId,
        principal: &Principal,
        now: Millis,
    ) -> Result<Held, ContextFailure> {
        let snapshot = self.connection.unchecked_transaction()?;
        if let Some((owner, expired_at)) = archived_at(&snapshot, id)?
            && owner == *principal
        {
            return Err(ContextError::Expired { id: id.clone(), expired_at: Some(expired_at) }.into());
        }
        let found = held(&snapshot, id, &[])?;
        Ok(checked(id, found.as_ref(), principal, now)?.clone())
    }

    /// A task, whether or not its context is still there.
    pub fn context_task(&self, id: &TaskId) -> Result<Option<TaskEntry>, StoreError> {
        let mut statement =
            self.connection.prepare_cached("SELECT principal, document FROM context_tasks WHERE id = ?1")?;
        let row = |row: &Row<'_>| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?));
        let Some((principal, text)) = statement.query_row([id.as_str()], row).optional()? else {
            return Ok(None);
        };
        let task = Task::from_text(&text).map_err(|error| unreadable(&error))?;
        Ok(Some(TaskEntry { principal: Principal::new(&principal), task }))
    }

    /// Tasks of a context in the order in which they began, whether or not it is still there.
    pub fn context_tasks(&self, id: &ContextId) -> Result<Vec<Task>, StoreError> {
        tasks_of(&self.connection, id)
    }

    /// A value that was put away.
    pub fn context_artifact(
        &self,
        id: &ContextId,
        name: &str,
        version: u32,
    ) -> Result<Option<Json>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT value FROM context_artifacts WHERE context = ?1 AND name = ?2 AND version = ?3",
        )?;
        let value: Option<String> =
            statement.query_row(params![id.as_str(), name, version], |row| row.get(0)).optional()?;
        let parse = |text: String| json::parse(text.as_bytes());
        let value = value.map(parse).transpose();
        value.map_err(|error| StoreError::Corrupt { detail: error.to_string() })
    }

    /// Contexts that expired, the latest first.
    pub fn archived_contexts(&self) -> Result<Vec<ArchivedContext>, StoreError> {
        let snapshot = self.connection.unchecked_transaction()?;
        let mut statement = snapshot.prepare_cached(
            "SELECT id, principal, expired_at_ms, archived_at_ms, document FROM archived_contexts
             ORDER BY expired_at_ms DESC, id",
        )?;
        let rows = statement.query_and_then([], |row| archived(&snapshot, row))?;
        rows.collect()
    }

    /// A context that expired. `None` where it has not, or never was.
    pub fn archived_context(&self, id: &ContextId) -> Result<Option<ArchivedContext>, StoreError> {
        let snapshot = self.connection.unchecked_transaction()?;
        let mut statement = snapshot.prepare_cached(
            "SELECT id, principal, expired_at_ms, archived_at_ms, document FROM archived_contexts WHERE id = ?1",
        )?;
        let mut rows = statement.query_and_then([id.as_str()], |row| archived(&snapshot, row))?;
        rows.next().transpose()
    }
}

fn archived(connection: &Connection, row: &Row<'_>) -> Result<ArchivedContext, StoreError> {
    let id = id(&row.get::<_, String>(0)?)?;
    let document: Option<String> = row.get(4)?;
    let mut context = document.map(|text| context(&text)).transpose()?;
    if let Some(context) = &mut context {
        context.messages = messages(connection, &id)?;
    }
    Ok(ArchivedContext {
        id,
        principal: Principal::new(&row.get::<_, String>(1)?),
        expired_at: Millis(row.get(2)?),
        archived_at: Millis(row.get(3)?),
        context,
    })
}

/// A context with its open tasks, and those that are named.
pub(super) fn held(
    connection: &Connection,
    id: &ContextId,
    named: &[TaskId],
) -> Result<Option<Held>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT document FROM contexts WHERE id = ?1")?;
    let document: Option<String> = statement.query_row([id.as_str()], |row| row.get(0)).optional()?;
    let Some(document) = document else { return Ok(None) };
    let mut held = Held::new(context(&document)?);
    held.context.messages = messages(connection, id)?;
    let mut find = connection.prepare_cached("SELECT document FROM context_tasks WHERE id = ?1")?;
    for task in held.context.active_tasks.iter().chain(named) {
        let text: Option<String> = find.query_row([task.as_str()], |row| row.get(0)).optional()?;
        if let Some(text) = text {
            let task = Task::from_text(&text).map_err(|error| unreadable(&error))?;
            // Another context's are unknown here, whatever they are called.
            if task.context_id == *id {
                held.tasks.insert(task.task_id.clone(), task);
            }
        }
    }
    Ok(Some(held))
}

/// A task that is to begin under an id that a task of another context has.
pub(super) fn taken(
    connection: &Connection,
    id: &ContextId,
    commands: &[Command],
) -> Result<Option<TaskId>, StoreError> {
    let mut find =
        connection.prepare_cached("SELECT 1 FROM context_tasks WHERE id = ?1 AND context <> ?2")?;
    for command in commands {
        if let Command::BeginTask(new) = command
            && find.exists([new.task_id.as_str(), id.as_str()])?
        {
            return Ok(Some(new.task_id.clone()));
        }
    }
    Ok(None)
}

/// Whose an archived context was, and when it expired.
pub(super) fn archived_at(
    connection: &Connection,
    id: &ContextId,
) -> Result<Option<(Principal, Millis)>, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT principal, expired_at_ms FROM archived_contexts WHERE id = ?1")?;
    let row = |row: &Row<'_>| Ok((Principal::new(&row.get::<_, String>(0)?), Millis(row.get(1)?)));
    Ok(statement.query_row([id.as_str()], row).optional()?)
}

/// The summary is the first, whatever its number.
fn messages(connection: &Connection, id: &ContextId) -> Result<Vec<Message>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT message FROM context_messages WHERE context = ?1 ORDER BY summary DESC, number",
    )?;
    let message = |row: &Row<'_>| -> Result<Message, StoreError> {
        Message::from_text(&row.get::<_, String>(0)?).map_err(|error| unreadable(&error))
    };
    statement.query_and_then([id.as_str()], message)?.collect()
}

fn tasks_of(connection: &Connection, id: &ContextId) -> Result<Vec<Task>, StoreError> {
    let mut statement = connection
        .prepare_cached("SELECT document FROM context_tasks WHERE context = ?1 ORDER BY created_at_ms, id")?;
    let task = |row: &Row<'_>| -> Result<Task, StoreError> {
        Task::from_text(&row.get::<_, String>(0)?).map_err(|error| unreadable(&error))
    };
    statement.query_and_then([id.as_str()], task)?.collect()
}
