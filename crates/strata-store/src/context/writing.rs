//! What a command came to, written beside what was there.

use rusqlite::{Transaction, params};
use strata_context::{Context, Done, Message, expires_at};
use strata_model::json;

use crate::StoreError;
use crate::kept_secrets::Masking;

pub(super) fn insert(
    transaction: &Transaction<'_>,
    context: &Context,
    masking: &Masking,
) -> Result<(), StoreError> {
    let mut statement = transaction.prepare_cached(
        "INSERT INTO contexts (id, principal, state, created_at_ms, updated_at_ms, expires_at_ms, session, document)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
         ON CONFLICT (id) DO UPDATE SET state = excluded.state, updated_at_ms = excluded.updated_at_ms,
            expires_at_ms = excluded.expires_at_ms, session = excluded.session, document = excluded.document",
    )?;
    statement.execute(params![
        context.context_id.as_str(),
        context.principal_id.as_str(),
        context.state.name(),
        context.created_at.0,
        context.updated_at.0,
        expires_at(context).map(|at| at.0),
        context.session.as_deref(),
        masking.stored(&context.to_text()),
    ])?;
    Ok(())
}

/// Writes what differs from `before`.
pub(super) fn write(
    transaction: &Transaction<'_>,
    before: Option<&Context>,
    done: &Done,
    masking: &Masking,
) -> Result<(), StoreError> {
    let context = &done.held.context;
    insert(transaction, context, masking)?;
    write_messages(transaction, before.map_or(&[], |before| &before.messages), context, masking)?;
    let mut task = transaction.prepare_cached(
        "INSERT INTO context_tasks (id, context, principal, status, created_at_ms, updated_at_ms, document)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         ON CONFLICT (id) DO UPDATE SET status = excluded.status, updated_at_ms = excluded.updated_at_ms,
            document = excluded.document",
    )?;
    let own = done.held.tasks.values().filter(|task| task.context_id == context.context_id);
    for written in own {
        task.execute(params![
            written.task_id.as_str(),
            written.context_id.as_str(),
            context.principal_id.as_str(),
            written.status.name(),
            written.created_at.0,
            written.updated_at.0,
            masking.stored(&written.to_text()),
        ])?;
    }
    let mut artifact = transaction.prepare_cached(
        "INSERT INTO context_artifacts (context, name, version, value) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for put_away in &done.offloaded {
        artifact.execute(params![
            context.context_id.as_str(),
            put_away.artifact.name,
            put_away.artifact.version,
            masking.stored(&json::to_compact(&put_away.value)),
        ])?;
    }
    Ok(())
}

fn write_messages(
    transaction: &Transaction<'_>,
    before: &[Message],
    context: &Context,
    masking: &Masking,
) -> Result<(), StoreError> {
    let id = context.context_id.as_str();
    let mut remove =
        transaction.prepare_cached("DELETE FROM context_messages WHERE context = ?1 AND number = ?2")?;
    for gone in before.iter().filter(|message| !context.messages.contains(message)) {
        remove.execute(params![id, gone.number as i64])?;
    }
    let mut add = transaction.prepare_cached(
        "INSERT INTO context_messages (context, number, summary, message) VALUES (?1, ?2, ?3, ?4)",
    )?;
    for new in context.messages.iter().filter(|message| !before.contains(message)) {
        add.execute(params![id, new.number as i64, new.is_summary(), masking.stored(&new.to_text())])?;
    }
    Ok(())
}
