//! A context with its tasks, and what a command makes of both.

use std::collections::BTreeMap;

use strata_model::{Json, Object, Str};

use crate::command::{Command, NewMessage, NewTask};
use crate::context::{COMPLETED_SHOWN, Context, DoorUse};
use crate::door::Door;
use crate::error::ContextError;
use crate::expiry::{expires_at, state_at};
use crate::id::{ContextId, Principal, TaskId};
use crate::lifecycle::ContextState;
use crate::merge::{Conflict, merge};
use crate::message::Message;
use crate::retention::Summarise;
use crate::task::{Task, TaskEnd, TaskStatus};
use crate::task_graph::{open_before, refuse_cycle};
use crate::time::Millis;
use crate::truncation::truncate;
use crate::working_state::{self, Offloaded};

/// The member of the working state that says where a workflow is.
const WORKFLOW: &str = "workflow";

/// A context, and the tasks that began in it: those that are open, and of the others those that a command names
/// ([`Command::tasks`]).
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    pub context: Context,
    pub tasks: BTreeMap<TaskId, Task>,
}

/// What a command came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    pub held: Held,
    /// Values that were put away by it, to be stored with the rest.
    pub offloaded: Vec<Offloaded>,
    /// Messages that went.
    pub dropped: Vec<Message>,
    /// What of an ended task's changes was not taken.
    pub conflicts: Vec<Conflict>,
}

/// The context of an id, for the one it belongs to. What is missing, another's and expired is refused alike but for the
/// time, which only its owner is told.
pub fn checked<'h>(
    id: &ContextId,
    found: Option<&'h Held>,
    principal: &Principal,
    now: Millis,
) -> Result<&'h Held, ContextError> {
    let held = found.filter(|held| held.context.principal_id == *principal);
    let held = held.ok_or_else(|| ContextError::unknown(id.clone()))?;
    if state_at(&held.context, now) == ContextState::Expired {
        let expired_at = expires_at(&held.context).or(Some(held.context.updated_at));
        return Err(ContextError::Expired { id: id.clone(), expired_at });
    }
    Ok(held)
}

impl Held {
    pub fn new(context: Context) -> Self {
        Self { context, tasks: BTreeMap::new() }
    }

    /// What a command makes of this at a time. `self` stays as it is; an error means that nothing has happened.
    pub fn apply(
        &self,
        command: Command,
        now: Millis,
        summariser: &dyn Summarise,
    ) -> Result<Done, ContextError> {
        let id = &self.context.context_id;
        checked(id, Some(self), &self.context.principal_id, now)?;
        let mut next = self.clone();
        // A clock that runs backwards stands still here.
        let now = now.max(self.context.updated_at);
        next.context.updated_at = now;
        next.context.state = ContextState::Active;
        let mut done = Done { held: next, offloaded: Vec::new(), dropped: Vec::new(), conflicts: Vec::new() };
        done.obey(command, now)?;
        done.dropped = truncate(&mut done.held.context, now, summariser);
        Ok(done)
    }
}

impl Done {
    fn obey(&mut self, command: Command, now: Millis) -> Result<(), ContextError> {
        let context = &mut self.held.context;
        match command {
            Command::Touch { door } => door.into_iter().for_each(|door| enter(context, door, now)),
            Command::SetState { changes, task: None } => self.set(&changes)?,
            Command::SetState { changes, task: Some(task) } => {
                let task = self.open_task(&task, now)?;
                task.changes.update(&changes);
            }
            Command::Say(messages) => {
                for message in messages {
                    message.task.as_ref().map(|task| self.known(task)).transpose()?;
                    say(&mut self.held.context, message, now);
                }
            }
            Command::SetRetention(retention) => {
                retention.check()?;
                context.message_retention = retention;
            }
            Command::SetTtl(ttl) => context.ttl = ttl,
            Command::SetSession(session) => context.session = Some(session),
            Command::BeginTask(task) => self.begin(task, now)?,
            Command::WaitFor { task, on } => {
                self.known(&on)?;
                self.open_task(&task, now)?;
                refuse_cycle(&self.held.tasks, &task, &on)?;
                let task = self.open_task(&task, now)?;
                if !task.waits_for.contains(&on) {
                    task.waits_for.push(on);
                }
            }
            Command::RequireInput { task, told } => {
                let task = self.open_task(&task, now)?;
                task.status = TaskStatus::InputRequired;
                task.told = told;
            }
            Command::Resume(id) => {
                let task = self.open_task(&id, now)?;
                if task.status == TaskStatus::Working {
                    return Err(ContextError::TaskAtWork(id));
                }
                task.status = TaskStatus::Working;
            }
            Command::EndTask { task, end, told } => self.end(&task, end, told, now)?,
            Command::Advance { from, to, data } => self.advance(from, &to, data)?,
            Command::Archive => match context.active_tasks.first() {
                Some(open) => return Err(ContextError::TasksOpen(open.clone())),
                None => context.state = ContextState::Archived,
            },
        }
        Ok(())
    }

    fn set(&mut self, changes: &Object) -> Result<(), ContextError> {
        self.offloaded.append(&mut working_state::set(&mut self.held.context, changes)?);
        Ok(())
    }

    fn known(&self, task: &TaskId) -> Result<&Task, ContextError> {
        self.held.tasks.get(task).ok_or_else(|| ContextError::UnknownTask(task.clone()))
    }

    fn open_task(&mut self, id: &TaskId, now: Millis) -> Result<&mut Task, ContextError> {
        let unknown = || ContextError::UnknownTask(id.clone());
        let task = self.held.tasks.get_mut(id).ok_or_else(unknown)?;
        if !task.status.is_open() {
            return Err(ContextError::TaskEnded { task: id.clone(), status: task.status.name() });
        }
        task.updated_at = now;
        Ok(task)
    }

    fn begin(&mut self, new: NewTask, now: Millis) -> Result<(), ContextError> {
        let NewTask { task_id, operation, params, parent, waits_for } = new;
        if self.held.tasks.contains_key(&task_id) {
            return Err(ContextError::TaskExists(task_id));
        }
        if parent.iter().chain(&waits_for).any(|other| *other == task_id) {
            return Err(ContextError::TaskCycle { path: vec![task_id.clone(), task_id] });
        }
        let inherited_state = match &parent {
            Some(parent) => self.open_task(parent, now)?.view(),
            None => self.held.context.working_state.clone(),
        };
        for other in &waits_for {
            self.known(other)?;
        }
        let task = Task {
            task_id: task_id.clone(),
            context_id: self.held.context.context_id.clone(),
            operation,
            params,
            parent: parent.clone(),
            waits_for: waits_for.clone(),
            status: TaskStatus::Working,
            inherited_state,
            changes: Object::new(),
            told: None,
            conflicts: Vec::new(),
            created_at: now,
            updated_at: now,
        };
        self.held.tasks.insert(task_id.clone(), task);
        // A task that waits for its own parent would wait for ever: the parent ends after it.
        for other in &waits_for {
            refuse_cycle(&self.held.tasks, &task_id, other)?;
        }
        self.held.context.active_tasks.push(task_id);
        Ok(())
    }

    fn end(&mut self, id: &TaskId, end: TaskEnd, told: Option<Str>, now: Millis) -> Result<(), ContextError> {
        let task = self.open_task(id, now)?.clone();
        if end == TaskEnd::Completed {
            if let Some(open) = open_before(&self.held.tasks, &task) {
                return Err(ContextError::StillWaiting { task: id.clone(), open });
            }
            self.give_back(&task)?;
        }
        let context = &mut self.held.context;
        context.active_tasks.retain(|open| open != id);
        context.n_completed += 1;
        context.completed_tasks.push(id.clone());
        let n_older = context.completed_tasks.len().saturating_sub(COMPLETED_SHOWN);
        context.completed_tasks.drain(..n_older);
        let conflicts = self.conflicts.clone();
        let task = self.open_task(id, now)?;
        task.status = end.into();
        task.told = told;
        task.conflicts = conflicts;
        Ok(())
    }

    /// Lays a task's changes over those of whoever it began from.
    fn give_back(&mut self, task: &Task) -> Result<(), ContextError> {
        let parent = task.parent.as_ref().and_then(|parent| self.held.tasks.get_mut(parent));
        if let Some(parent) = parent.filter(|parent| parent.status.is_open()) {
            let merge = merge(&task.inherited_state, &parent.view(), &task.changes);
            parent.changes.update(&merge.changes);
            self.conflicts = merge.conflicts;
            return Ok(());
        }
        let merge = merge(&task.inherited_state, &self.held.context.working_state, &task.changes);
        self.conflicts = merge.conflicts;
        self.set(&merge.changes)
    }

    fn advance(&mut self, from: Option<Str>, to: &Str, data: Object) -> Result<(), ContextError> {
        let workflow = self.held.context.working_state.get(WORKFLOW);
        let found = workflow.and_then(|workflow| workflow.get("step")).and_then(Json::as_str);
        if let Some(expected) = from
            && found != Some(&expected)
        {
            let found = found.map(str::to_owned);
            return Err(ContextError::WorkflowElsewhere { expected: expected.to_string(), found });
        }
        let step = Object::from_iter([("step", Json::from(to.clone())), ("data", data.into())]);
        self.set(&Object::from_iter([(WORKFLOW, step)]))
    }
}

fn enter(context: &mut Context, door: Door, now: Millis) {
    match context.doors.iter_mut().find(|known| known.door == door) {
        Some(known) => {
            known.last_at = now;
            known.n_requests += 1;
        }
        None => context.doors.push(DoorUse { door, first_at: now, last_at: now, n_requests: 1 }),
    }
}

fn say(context: &mut Context, message: NewMessage, now: Millis) {
    let NewMessage { role, content, door, task } = message;
    context.messages.push(Message { number: context.n_messages, at: now, role, content, door, task });
    context.n_messages += 1;
}
