//! Contexts that nobody asked for: marked idle, archived, deleted.

use rusqlite::{Connection, Transaction, params};
use strata_context::{
    Command, Context, ContextId, ContextState, Fate, IDLE_AFTER, Millis, NoSummary, Principal, Summarise,
    Task, TaskEnd, TaskStatus, fate,
};

use super::failure::ContextFailure;
use super::reading::held;
use super::writing::{insert, write};
use crate::kept_secrets::Masking;
use crate::{Store, StoreError};

/// What became of a context that time was up for, or that was idle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleaned {
    pub id: ContextId,
    pub principal: Principal,
    pub fate: Fate,
}

impl Store {
    /// Marks what is idle, and archives and deletes what expired: each context in a transaction of its own, so that
    /// others go on meanwhile. Returns what was changed.
    pub fn clean_contexts(&mut self, now: Millis) -> Result<Vec<Cleaned>, StoreError> {
        let mut cleaned = Vec::new();
        for id in due(&self.connection, now)? {
            let one = self.change(|transaction| {
                let Some(held) = held(transaction, &id, &[])? else { return Ok(None) };
                // Asked again in the transaction: somebody may have come back meanwhile.
                let fate = fate(&held.context, now);
                carry_out(transaction, held.context, fate, now)
            })?;
            cleaned.extend(one);
        }
        Ok(cleaned)
    }

    /// Ends every task that is at work: for whoever knows that nobody works at any. Returns how many there were. Tasks that
    /// wait for a person go on waiting.
    pub fn end_tasks_at_work(
        &mut self,
        end: impl Fn(&Task) -> Command,
        now: Millis,
        summariser: &dyn Summarise,
    ) -> Result<usize, StoreError> {
        let mut n_ended = 0;
        for id in at_work(&self.connection)? {
            let Some(held) = self.context(&id)? else { continue };
            let at_work = held.tasks.values().filter(|task| task.status == TaskStatus::Working);
            let ends: Vec<Command> = at_work.map(&end).collect();
            let n_ends = ends.len();
            match self.obey_context(&id, &held.context.principal_id, ends, now, summariser) {
                Ok(_) => n_ended += n_ends,
                // What its own rules refuse stays as it is, and others are ended all the same.
                Err(ContextFailure::Refused(_)) => {}
                Err(ContextFailure::Store(error)) => return Err(error),
            }
        }
        Ok(n_ended)
    }

    /// Ends a context now, whatever its clock says and whatever is open in it. `None` where there is none.
    pub fn expire_context(&mut self, id: &ContextId, now: Millis) -> Result<Option<Cleaned>, StoreError> {
        self.change(|transaction| {
            let Some(mut held) = held(transaction, id, &[])? else { return Ok(None) };
            // Nothing that is open in it could end any more.
            for task in held.context.active_tasks.clone() {
                let told = Some("Its context was ended.".into());
                let end = Command::EndTask { task, end: TaskEnd::Canceled, told };
                // One that expired by itself has none.
                if let Ok(mut done) = held.apply(end, now, &NoSummary) {
                    // What was said is archived whole.
                    done.held.context.messages.clone_from(&held.context.messages);
                    write(transaction, Some(&held.context), &done, &Masking::of(transaction)?)?;
                    held = done.held;
                }
            }
            let fate = if strata_context::is_worth_keeping(&held.context) {
                Fate::ArchivedAndGone { at: now }
            } else {
                Fate::Gone { at: now }
            };
            carry_out(transaction, held.context, fate, now)
        })
    }
}

/// Contexts that may be idle or expired.
fn due(connection: &Connection, now: Millis) -> Result<Vec<ContextId>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT id FROM contexts
         WHERE expires_at_ms <= ?1 OR state = 'expired' OR (state = 'active' AND updated_at_ms < ?2) ORDER BY id",
    )?;
    let ids =
        statement.query_map([now.0, now.0.saturating_sub(IDLE_AFTER.0)], |row| row.get::<_, String>(0))?;
    let mut due = Vec::new();
    for id in ids {
        due.push(ContextId::parse(&id?).map_err(|error| StoreError::Corrupt { detail: error.to_string() })?);
    }
    Ok(due)
}

/// Contexts with a task that is at work.
fn at_work(connection: &Connection) -> Result<Vec<ContextId>, StoreError> {
    let mut statement = connection
        .prepare_cached("SELECT DISTINCT context FROM context_tasks WHERE status = ?1 ORDER BY context")?;
    let ids = statement.query_map([TaskStatus::Working.name()], |row| row.get::<_, String>(0))?;
    let mut found = Vec::new();
    for id in ids {
        found
            .push(ContextId::parse(&id?).map_err(|error| StoreError::Corrupt { detail: error.to_string() })?);
    }
    Ok(found)
}

fn carry_out(
    transaction: &Transaction<'_>,
    mut context: Context,
    fate: Fate,
    now: Millis,
) -> Result<Option<Cleaned>, StoreError> {
    let masking = Masking::of(transaction)?;
    match fate {
        Fate::Stays => return Ok(None),
        Fate::Idle => {
            context.state = ContextState::Idle;
            insert(transaction, &context, &masking)?;
        }
        Fate::ArchivedAndGone { at } | Fate::Gone { at } => {
            context.state = ContextState::Expired;
            let is_kept = matches!(fate, Fate::ArchivedAndGone { .. });
            let document = is_kept.then(|| masking.stored(&context.to_text()).into_owned());
            transaction.execute(
                "INSERT INTO archived_contexts (id, principal, expired_at_ms, archived_at_ms, session, document)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![
                    context.context_id.as_str(),
                    context.principal_id.as_str(),
                    at.0,
                    now.0,
                    context.session.as_deref(),
                    document
                ],
            )?;
            transaction.execute("DELETE FROM contexts WHERE id = ?1", [context.context_id.as_str()])?;
        }
    }
    Ok(Some(Cleaned { id: context.context_id, principal: context.principal_id, fate }))
}
