//! Which task waits for which.

use std::collections::{BTreeMap, VecDeque};

use crate::error::ContextError;
use crate::id::TaskId;
use crate::task::Task;

/// Refuses `task` to wait for `on` where `on` waits for `task` already, through any number of others. Parents wait for
/// the tasks they began.
pub(crate) fn refuse_cycle(
    tasks: &BTreeMap<TaskId, Task>,
    task: &TaskId,
    on: &TaskId,
) -> Result<(), ContextError> {
    // Each task that was reached, and from where.
    let mut reached: BTreeMap<&TaskId, &TaskId> = BTreeMap::from([(on, task)]);
    let mut open = VecDeque::from([on]);
    while let Some(at) = open.pop_front() {
        if at == task {
            return Err(ContextError::TaskCycle { path: way(&reached, task) });
        }
        for next in waited_for(tasks, at) {
            if !reached.contains_key(next) {
                reached.insert(next, at);
                open.push_back(next);
            }
        }
    }
    Ok(())
}

/// From a task, against the steps that reached it, to itself.
fn way(reached: &BTreeMap<&TaskId, &TaskId>, task: &TaskId) -> Vec<TaskId> {
    let mut path = vec![task.clone()];
    let mut at = task;
    while let Some(before) = reached.get(at) {
        path.push((*before).clone());
        at = before;
        if at == task {
            break;
        }
    }
    path.reverse();
    path
}

/// The tasks that have to end before one can.
fn waited_for<'t>(tasks: &'t BTreeMap<TaskId, Task>, id: &'t TaskId) -> impl Iterator<Item = &'t TaskId> {
    let children = tasks.values().filter(move |task| task.parent.as_ref() == Some(id));
    let named = tasks.get(id).into_iter().flat_map(|task| &task.waits_for);
    named.chain(children.map(|task| &task.task_id))
}

/// A task that has to end before this one can, and has not.
pub(crate) fn open_before(tasks: &BTreeMap<TaskId, Task>, task: &Task) -> Option<TaskId> {
    let mut waited = waited_for(tasks, &task.task_id);
    waited.find(|id| tasks.get(*id).is_some_and(|other| other.status.is_open())).cloned()
}
