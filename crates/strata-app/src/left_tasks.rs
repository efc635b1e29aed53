//! Tasks that were at work when their server stopped: nobody else would end them, and no clock runs while one is open.

use std::path::Path;

use strata_context::{Command, Millis, Task, TaskEnd};
use strata_store::{ProcessLock, Store, Work};

use crate::error::AppError;
use crate::message_summary::ExtractiveMessages;

/// What is told of such a task.
const STOPPED: &str = "The server stopped while it worked. What was said until then is stored.";

/// Ends those of a store, unless a server is at work there: its tasks are not told from those that another one left.
/// Returns how many there were.
pub(crate) fn end_left_tasks(
    store: &mut Store,
    database: &Path,
    summariser: &ExtractiveMessages,
    now: Millis,
) -> Result<usize, AppError> {
    let Some(_alone) = ProcessLock::exclusive(database, Work::Serving)? else { return Ok(0) };
    Ok(store.end_tasks_at_work(end_left_task, now, summariser)?)
}

/// Ends one of them.
pub(crate) fn end_left_task(task: &Task) -> Command {
    Command::EndTask { task: task.task_id.clone(), end: TaskEnd::Failed, told: Some(STOPPED.into()) }
}
