//! Contexts that outlive a connection: the rules are those of strata-context, one transaction a request.

mod cleaning;
mod failure;
mod reading;
mod secrets;
mod writing;

use strata_context::{
    Command, Context, ContextError, ContextId, Done, Held, Millis, Principal, Summarise, checked,
};

use crate::kept_secrets::Masking;
use crate::{Store, StoreError};

use reading::{archived_at, held, taken};
use writing::{insert, write};

pub use cleaning::Cleaned;
pub use failure::ContextFailure;
pub use reading::{ArchivedContext, ContextEntry, TaskEntry};

/// Each change is one transaction: it is on disk when the call returns, or nothing of it is.
impl Store {
    /// Stores a new context. False, with nothing stored, where its id is taken, or was once.
    pub fn begin_context(&mut self, context: &Context) -> Result<bool, StoreError> {
        self.change(|transaction| {
            let id = &context.context_id;
            if held(transaction, id, &[])?.is_some() || archived_at(transaction, id)?.is_some() {
                return Ok(false);
            }
            insert(transaction, context, &Masking::of(transaction)?)?;
            Ok(true)
        })
    }

    /// Stores a new context with the first commands obeyed in it: all of it or nothing. `None`, with nothing stored, where
    /// its id is taken, or was once.
    pub fn begin_context_with(
        &mut self,
        context: Context,
        commands: Vec<Command>,
        now: Millis,
        summariser: &dyn Summarise,
    ) -> Result<Option<Done>, ContextFailure> {
        let (id, principal) = (context.context_id.clone(), context.principal_id.clone());
        let new = Held::new(context);
        if let Some(task) = taken(&self.connection, &id, &commands)? {
            return Err(ContextError::TaskExists(task).into());
        }
        let done = obeyed(&id, &principal, Some(&new), None, commands, now, summariser)?;
        let is_stored = self.change(|transaction| {
            if held(transaction, &id, &[])?.is_some() || archived_at(transaction, &id)?.is_some() {
                return Ok(false);
            }
            write(transaction, None, &done, &Masking::of(transaction)?)?;
            Ok(true)
        })?;
        Ok(is_stored.then_some(done))
    }

    /// Obeys commands of the owner of a context, in order: all of them or none.
    pub fn obey_context(
        &mut self,
        id: &ContextId,
        principal: &Principal,
        commands: Vec<Command>,
        now: Millis,
        summariser: &dyn Summarise,
    ) -> Result<Done, ContextFailure> {
        let mut refused = None;
        let done = self.change(|transaction| {
            let named: Vec<_> = commands.iter().flat_map(Command::tasks).cloned().collect();
            let found = held(transaction, id, &named)?;
            let archived = archived_at(transaction, id)?;
            if let Some(task) = taken(transaction, id, &commands)? {
                refused = Some(ContextError::TaskExists(task));
                return Ok(None);
            }
            match obeyed(id, principal, found.as_ref(), archived, commands, now, summariser) {
                Ok(done) => {
                    let before = found.as_ref().map(|held| &held.context);
                    write(transaction, before, &done, &Masking::of(transaction)?)?;
                    Ok(Some(done))
                }
                Err(error) => {
                    refused = Some(error);
                    Ok(None)
                }
            }
        })?;
        match (done, refused) {
            (Some(done), _) => Ok(done),
            (None, Some(error)) => Err(error.into()),
            (None, None) => Err(ContextError::unknown(id.clone()).into()),
        }
    }
}

/// What the commands come to. `archived`: whose the context was, and when it expired.
fn obeyed(
    id: &ContextId,
    principal: &Principal,
    found: Option<&Held>,
    archived: Option<(Principal, Millis)>,
    commands: Vec<Command>,
    now: Millis,
    summariser: &dyn Summarise,
) -> Result<Done, ContextError> {
    if let Some((owner, expired_at)) = archived
        && owner == *principal
    {
        return Err(ContextError::Expired { id: id.clone(), expired_at: Some(expired_at) });
    }
    let held = checked(id, found, principal, now)?;
    let mut all =
        Done { held: held.clone(), offloaded: Vec::new(), dropped: Vec::new(), conflicts: Vec::new() };
    for command in commands {
        let done = all.held.apply(command, now, summariser)?;
        all.held = done.held;
        all.offloaded.extend(done.offloaded);
        all.dropped.extend(done.dropped);
        all.conflicts.extend(done.conflicts);
    }
    Ok(all)
}
