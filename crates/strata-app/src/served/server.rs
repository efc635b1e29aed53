//! Requests, from whichever door: each finds its context or begins one, and is a task in it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use strata_context::{
    Command, Context, ContextError, ContextId, Held, NewMessage, NewTask, Principal, Role, TaskEnd, TaskId,
    TaskStatus, one_id,
};
use strata_model::{App, Json, Object};
use strata_store::{ContextFailure, ProcessLock, SessionId, Store, TaskEntry, Work};
use tokio::runtime::Handle;

use super::agents::{ServedAgent, agents, rooted};
use super::answer::{Answer, Ask, ServeError};
use super::choice::ServeChoice;
use super::clock::ContextClock;
use super::live::{LiveTasks, TaskNews};
use super::talk::{Surroundings, Talk, TurnAsked};
use super::turn::Started;
use crate::data_folder::default_database;
use crate::error::AppError;
use crate::left_tasks::{end_left_task, end_left_tasks};
use crate::message_summary::ExtractiveMessages;
use crate::open::read_app_to_run;
use crate::report::ModelAccess;
use crate::run::{Computer, ModelChoice, OwnStore, RunStore as _, ToolScript, deeds, program_of};

/// Runs that are kept open; of those that rest, others are opened again when they are needed.
const MAX_TALKS: usize = 64;

/// An app that answers.
pub struct ServedApp {
    app: Arc<App>,
    agents: Vec<ServedAgent>,
    deeds: Vec<String>,
    around: Surroundings,
    summariser: ExtractiveMessages,
    _serving: ProcessLock,
    talks: Mutex<BTreeMap<ContextId, Arc<Mutex<Talk>>>>,
    live: Arc<LiveTasks>,
    clock: Arc<dyn ContextClock>,
    chance: Computer,
}

impl ServedApp {
    /// Reads the app and opens its store. Nothing is sent before somebody asks.
    pub fn open(
        choice: ServeChoice,
        clock: Arc<dyn ContextClock>,
        runtime: Handle,
    ) -> Result<Self, AppError> {
        let database = choice.database.clone().map_or_else(default_database, Ok)?;
        let app = Arc::new(read_app_to_run(&choice.app)?.app);
        let agents = agents(&app);
        if agents.is_empty() {
            return Err(AppError::bad_input(format!(
                "{} has no agent that could be asked.",
                choice.app.display()
            )));
        }
        // Said now, and not to each client that asks.
        let tools = choice.tools.as_deref().map(ToolScript::read).transpose()?;
        program_of(&app, tools.as_ref())?;
        let deeds = deeds(&app, &choice.app)?.lines;
        if let ModelChoice::Script(path) = &choice.model {
            crate::run::Script::read(path)?;
        }
        let access = ModelAccess::open(Some(&database), &runtime)?;
        let (mut store, summariser) = (Store::open(&database)?, ExtractiveMessages::default());
        end_left_tasks(&mut store, &database, &summariser, clock.now())?;
        let serving = ProcessLock::shared(&database, Work::Serving)?;
        let store = Arc::new(OwnStore(Mutex::new(store)));
        let around = Surroundings { choice, store, access, tables: Arc::default(), runtime };
        Ok(Self {
            app,
            agents,
            deeds,
            around,
            summariser,
            _serving: serving,
            talks: Mutex::default(),
            live: Arc::default(),
            clock,
            chance: Computer::default(),
        })
    }

    pub fn name(&self) -> &str {
        &self.app.name
    }

    /// Who can be asked, the root first.
    pub fn agents(&self) -> &[ServedAgent] {
        &self.agents
    }

    /// What each conversation starts and reaches beside models, a sentence each.
    pub fn deeds(&self) -> &[String] {
        &self.deeds
    }

    pub(super) fn clock(&self) -> &dyn ContextClock {
        &*self.clock
    }

    pub(super) fn live(&self) -> &LiveTasks {
        &self.live
    }

    pub(super) fn new_id(&self) -> String {
        strata_runtime::Chance::new_id(&self.chance).to_string()
    }

    /// Answers a request: it blocks until the agent has answered, failed, or was stopped.
    pub fn answer(&self, ask: Ask) -> Result<Answer, ServeError> {
        let started = self.start(ask)?;
        self.finish(&started)
    }

    /// Takes a request on: it has a context and a task when this returns, and both are stored.
    pub fn start(&self, ask: Ask) -> Result<Started, ServeError> {
        let Ask { door, principal, context_ids, agent, message, task_id, state, ttl, retention } = ask;
        let (asked, now) = (one_id(context_ids)?, self.clock.now());
        let mut commands: Vec<Command> = vec![Command::Touch { door: Some(door) }];
        commands.extend(ttl.map(Command::SetTtl));
        commands.extend(retention.map(Command::SetRetention));
        if !state.is_empty() {
            commands.push(Command::SetState { changes: state, task: None });
        }
        let goes_on = task_id.as_deref().map(TaskId::parse).transpose().map_err(ContextError::from)?;
        let mut store = self.around.store.lock();
        let entry = goes_on.as_ref().map(|task| store.context_task(task)).transpose()?.flatten();
        let entry = entry.filter(|entry| entry.principal == principal);
        // Whoever asked a person goes on with the answer.
        let agent = agent
            .or_else(|| entry.as_ref().map(|entry| entry.task.operation.to_string()))
            .unwrap_or_else(|| self.agents[0].name.clone());
        let app = rooted(&self.app, &agent).ok_or_else(|| self.no_agent(&agent))?;
        if message.trim().is_empty() {
            return Err(AppError::bad_input("The message is empty. Say something to the agent.").into());
        }
        // A context that is there, or none.
        let found = match (asked, &goes_on) {
            (Some(id), _) => {
                let held = store.context_of(&id, &principal, now)?;
                commands.extend(self.abandoned(&held));
                Some(id)
            }
            // A task tells its context.
            (None, Some(task)) => {
                let unknown = || ContextError::UnknownTask(task.clone());
                Some(entry.ok_or_else(unknown)?.task.context_id)
            }
            (None, None) => None,
        };
        let task = match &goes_on {
            Some(task) => {
                commands.push(Command::Resume(task.clone()));
                task.clone()
            }
            None => {
                let task = TaskId::parse(&self.new_id()).map_err(ContextError::from)?;
                commands.push(Command::BeginTask(NewTask {
                    task_id: task.clone(),
                    operation: agent.as_str().into(),
                    params: Object::from_iter([("message", Json::from(message.as_str()))]),
                    parent: None,
                    waits_for: Vec::new(),
                }));
                task
            }
        };
        let content = message.as_str().into();
        commands.push(Command::Say(vec![NewMessage {
            role: Role::User,
            content,
            door: Some(door),
            task: Some(task.clone()),
        }]));
        let context_id = match found {
            Some(id) => {
                store.obey_context(&id, &principal, commands, now, &self.summariser)?;
                id
            }
            None => self.begin(&mut store, &agent, &principal, commands)?,
        };
        let running = self.live.begin(task);
        Ok(Started { context_id, principal, door, agent, app, message, answers: goes_on.is_some(), running })
    }

    /// Has the agent answer. Requests of one context wait for one another.
    pub fn finish(&self, started: &Started) -> Result<Answer, ServeError> {
        let talk = self.talk(&started.context_id);
        let mut talk = talk.lock().unwrap_or_else(PoisonError::into_inner);
        let held = self.around.store.lock().context(&started.context_id)?;
        let gone = || ContextError::unknown(started.context_id.clone());
        let held = held.ok_or_else(gone)?;
        let task = held.tasks.get(started.task_id());
        let view = task.map(strata_context::Task::view).unwrap_or_default();
        let view = self.whole(&started.context_id, view)?;
        let asked = TurnAsked {
            app: &started.app,
            agent: &started.agent,
            message: &started.message,
            state: &view,
            metadata: started.metadata(),
            answers: started.answers,
            live: &started.running.task,
        };
        let session = talk.session(&held.context, &asked, &self.around);
        let taken = session.and_then(|session| {
            self.note_session(started, &held.context, &session);
            talk.turn(&held.context, &asked, &self.around)
        });
        let (commands, mut answer) = started.outcome(taken);
        let (id, principal, now) = (&started.context_id, &started.principal, self.clock.now());
        let mut store = self.around.store.lock();
        let mut written = store.obey_context(id, principal, commands.clone(), now, &self.summariser);
        if let Err(ContextFailure::Refused(error)) = &written
            && !matches!(error, ContextError::Expired { .. })
        {
            let commands = started.refused(error, commands, &mut answer);
            written = store.obey_context(id, principal, commands, now, &self.summariser);
        }
        drop(store);
        // The task is told of even where its context was ended meanwhile.
        if let Ok(done) = &written {
            answer.conflicts = done.conflicts.iter().map(|conflict| conflict.key.to_string()).collect();
        }
        started.running.tell(TaskNews::Ended(answer.clone()));
        written?;
        Ok(answer)
    }

    /// Writes down where a turn is taken before it is: a server that is killed in it leaves the way to what was said. Where
    /// it cannot be written, what came of the turn cannot either, and that says so.
    fn note_session(&self, started: &Started, context: &Context, session: &SessionId) {
        if context.session.as_deref() == Some(session.as_str()) {
            return;
        }
        let commands = vec![Command::SetSession(session.as_str().into())];
        let (id, principal, now) = (&started.context_id, &started.principal, self.clock.now());
        let _ = self.around.store.lock().obey_context(id, principal, commands, now, &self.summariser);
    }

    /// With what was put away in the place of its handles: agents see values whole.
    fn whole(&self, id: &ContextId, mut state: Object) -> Result<Object, ServeError> {
        let store = self.around.store.lock();
        for (key, value) in state.clone().iter() {
            if let Some((name, version)) = strata_context::handle_of(value)
                && let Some(whole) = store.context_artifact(id, name, version)?
            {
                state.insert(key.clone(), whole);
            }
        }
        Ok(state)
    }

    /// A context for the one it belongs to, with all its tasks.
    pub fn context(
        &self,
        ids: Vec<(strata_context::IdPlace, String)>,
        principal: &Principal,
    ) -> Result<Held, ServeError> {
        let id = one_id(ids)?
            .ok_or_else(|| AppError::bad_input("No context was named. Send its id in X-Context-ID."))?;
        let store = self.around.store.lock();
        let held = store.context_of(&id, principal, self.clock.now())?;
        Ok(store.context(&id)?.unwrap_or(held))
    }

    /// A task, for the one it belongs to; whoever else asks is told that there is none.
    pub(super) fn task(&self, id: &str, principal: &Principal) -> Result<Option<TaskEntry>, ServeError> {
        let Ok(id) = TaskId::parse(id) else { return Ok(None) };
        let entry = self.around.store.lock().context_task(&id)?;
        Ok(entry.filter(|entry| entry.principal == *principal))
    }

    /// What is kept of what was said in a task.
    pub(super) fn said_in(&self, entry: &TaskEntry) -> Result<Vec<strata_context::Message>, ServeError> {
        let held = self.around.store.lock().context(&entry.task.context_id)?;
        let messages = held.map(|held| held.context.messages).unwrap_or_default();
        let own = |message: &strata_context::Message| message.task.as_ref() == Some(&entry.task.task_id);
        Ok(messages.into_iter().filter(own).collect())
    }

    /// Ends an open task that does not run here: it waits for somebody, or its server is gone.
    pub(super) fn cancel_resting(&self, entry: &TaskEntry) -> Result<(), ServeError> {
        let task = entry.task.task_id.clone();
        let told = Some("Cancelled.".into());
        let commands = vec![Command::EndTask { task, end: TaskEnd::Canceled, told }];
        let mut store = self.around.store.lock();
        let (id, now) = (&entry.task.context_id, self.clock.now());
        store.obey_context(id, &entry.principal, commands, now, &self.summariser)?;
        Ok(())
    }

    /// Marks idle contexts, and archives and deletes those that expired, with the runs that they held open.
    pub fn clean(&self) -> Result<usize, AppError> {
        let cleaned = self.around.store.lock().clean_contexts(self.clock.now())?;
        let mut talks = self.talks.lock().unwrap_or_else(PoisonError::into_inner);
        for one in cleaned.iter().filter(|one| one.fate != strata_context::Fate::Idle) {
            talks.remove(&one.id);
        }
        Ok(cleaned.len())
    }

    fn no_agent(&self, name: &str) -> AppError {
        let names: Vec<&str> = self.agents.iter().map(|agent| agent.name.as_str()).collect();
        AppError::not_found(format!("There is no agent {name}. There are: {}.", names.join(", ")))
    }

    /// A new context, named by the agent it begins with, with what is first done in it.
    fn begin(
        &self,
        store: &mut Store,
        agent: &str,
        principal: &Principal,
        commands: Vec<Command>,
    ) -> Result<ContextId, ServeError> {
        let letters = agent.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' });
        let name: String = letters.take(40).collect();
        let id = format!("ctx-{name}-{}", self.new_id().replace('-', ""));
        let id = ContextId::parse(&id).map_err(ContextError::from)?;
        let now = self.clock.now();
        let context = Context::new(id.clone(), principal.clone(), now);
        if store.begin_context_with(context, commands, now, &self.summariser)?.is_none() {
            return Err(AppError::internal("A context could not be begun. Send the request again.").into());
        }
        Ok(id)
    }

    /// Ends tasks that were at work when their server was killed, while another one had the store.
    fn abandoned(&self, held: &Held) -> Vec<Command> {
        let gone = held
            .tasks
            .values()
            .filter(|task| task.status == TaskStatus::Working && !self.live.runs(&task.task_id));
        gone.map(end_left_task).collect()
    }

    fn talk(&self, id: &ContextId) -> Arc<Mutex<Talk>> {
        let mut talks = self.talks.lock().unwrap_or_else(PoisonError::into_inner);
        if talks.len() >= MAX_TALKS && !talks.contains_key(id) {
            // Whoever is in one holds it; the others can be opened again.
            let resting = talks.iter().find(|(_, talk)| Arc::strong_count(talk) == 1);
            if let Some(id) = resting.map(|(id, _)| id.clone()) {
                talks.remove(&id);
            }
        }
        talks.entry(id.clone()).or_default().clone()
    }
}
