//! One turn of a session: from what the user says to the events that answer.
//!
//! Agents that call a model and workflows run as nodes ([`nodes`]): their events come through one queue. Composites and
//! agents of the app's own kind run as plain agents ([`agents`]): a chain of producers, each waiting for the next.

mod agents;
mod message;
mod nodes;
mod rewinding;
mod sealing;
mod telling;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64};

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use strata_engine::AgentId;
use strata_model::app::{AgentMode, ContextCacheConfig};
use strata_model::{Content, Event, Object, Session, Str};
use tokio_util::sync::CancellationToken;

use crate::adk_text::{ROOT_MODE, SESSION_NOT_FOUND, filled};
use crate::halt::{Failure, Halt};
use crate::host::Host;
use crate::invocation::{AgentMarks, InvocationContext, Queue, Run, RunConfig};
use crate::live::LiveSession;
use crate::program::Program;
use crate::services::{Services, SessionKey};
use crate::tasks::{SharedTasks, Tasks};

/// Runs an app, or one of its agents by itself.
#[derive(Clone)]
pub struct Runner {
    program: Arc<Program>,
    host: Host,
    services: Services,
    /// `None`: a workflow is the root.
    root: Option<AgentId>,
    /// Runs inside of another run.
    is_child: bool,
    has_plugins: bool,
    context_cache_config: Option<ContextCacheConfig>,
    creates_sessions: bool,
}

/// What a turn starts with.
#[derive(Debug, Clone)]
pub struct Turn {
    pub key: SessionKey,
    pub message: Option<Content>,
    /// The invocation that goes on. What the message answers goes before it.
    pub invocation_id: Option<Str>,
    /// Changes of the state that come with the message.
    pub state_delta: Object,
    pub config: RunConfig,
    /// The sink receives the user's message, too.
    pub tells_user_message: bool,
    /// Ends the run after the event at hand, and closes what it leaves open.
    pub abort: CancellationToken,
    /// Stops the run where it is. What is stored stays.
    pub cancel: CancellationToken,
}

impl Turn {
    pub fn new(key: SessionKey) -> Self {
        Self {
            key,
            message: None,
            invocation_id: None,
            state_delta: Object::new(),
            config: RunConfig::default(),
            tells_user_message: false,
            abort: CancellationToken::new(),
            cancel: CancellationToken::new(),
        }
    }
}

/// Takes the events of a run.
pub trait EventSink: Send + Sync {
    /// Takes an event. The run goes on when this has returned.
    fn receive(&self, event: Arc<Event>) -> BoxFuture<'_, Reception>;
}

/// Whether more events are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reception {
    GoOn,
    Stop,
}

impl Runner {
    /// Runs an app from its root.
    pub fn new(program: Arc<Program>, host: Host, services: Services) -> Self {
        Self {
            root: program.root().agent().map(|agent| agent.id),
            program,
            host,
            services,
            is_child: false,
            has_plugins: true,
            context_cache_config: None,
            creates_sessions: false,
        }
    }

    /// Runs an agent of the app by itself, for the call of a tool.
    pub(crate) fn of_agent(
        program: Arc<Program>,
        agent: AgentId,
        host: Host,
        services: Services,
        has_plugins: bool,
        context_cache_config: Option<ContextCacheConfig>,
    ) -> Self {
        Self {
            root: Some(agent),
            is_child: true,
            has_plugins,
            context_cache_config,
            ..Self::new(program, host, services)
        }
    }

    /// Sessions that do not exist are created.
    #[must_use]
    pub fn creating_sessions(self) -> Self {
        Self { creates_sessions: true, ..self }
    }

    pub fn services(&self) -> &Services {
        &self.services
    }

    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Runs a turn inside of another run.
    pub(crate) async fn run_within(
        &self,
        turn: Turn,
        tasks: SharedTasks,
        sink: &dyn EventSink,
    ) -> Result<(), Halt> {
        Box::pin(self.turn(turn, tasks, sink)).await
    }

    /// Runs a turn. Its events have been stored by the time they are received; what made it fail comes after them.
    pub fn run<'a>(&'a self, turn: Turn, sink: &'a dyn EventSink) -> BoxFuture<'a, Result<(), Halt>> {
        Box::pin(async move {
            let tasks: SharedTasks = Arc::new(Tasks::default());
            tasks.clone().drive(self.turn(turn, tasks, sink)).await
        })
    }

    async fn turn(&self, mut turn: Turn, tasks: SharedTasks, sink: &dyn EventSink) -> Result<(), Halt> {
        if let Some(message) = &mut turn.message {
            // Whatever role it was given, it is the user who speaks.
            message.role = Some("user".into());
        }
        let is_llm = self.root.is_some_and(|root| self.program.is_llm(root));
        if is_llm && self.root_mode() == AgentMode::SingleTurn {
            return Err(Failure::value_error(ROOT_MODE).into());
        }
        let session = self.session(&turn).await?;
        let runs_nodes = is_llm || self.root.is_none();
        let invocation = self.invocation(&turn, session, tasks, runs_nodes);
        if runs_nodes {
            nodes::run(self, invocation, turn, sink).await
        } else {
            agents::run(self, invocation, turn, sink).await
        }
    }

    /// How a root that calls a model takes its turns.
    fn root_mode(&self) -> AgentMode {
        let mode = self.root.and_then(|root| self.program.index().agent(root).mode);
        mode.unwrap_or(AgentMode::Chat)
    }

    async fn session(&self, turn: &Turn) -> Result<Session, Failure> {
        let found = self.services.sessions.get(&turn.key, turn.config.event_limit).await?;
        match found {
            Some(session) => Ok(session),
            None if self.creates_sessions => self.services.sessions.create(&turn.key, &Object::new()).await,
            None => {
                let message = filled(SESSION_NOT_FOUND, &[("ID", &turn.key.session_id)]);
                Err(Failure::new("SessionNotFoundError", message))
            }
        }
    }

    /// The outermost context of a run, which has no id yet.
    fn invocation(
        &self,
        turn: &Turn,
        session: Session,
        tasks: SharedTasks,
        runs_nodes: bool,
    ) -> InvocationContext {
        let app = self.program.app();
        let run = Run {
            program: self.program.clone(),
            host: self.host.clone(),
            services: self.services.clone(),
            key: turn.key.clone(),
            session: Mutex::new(LiveSession::new(turn.key.clone(), session)),
            config: turn.config.clone(),
            has_plugins: self.has_plugins,
            is_resumable: !self.is_child && app.is_resumable(),
            is_compaction_active: !self.is_child && app.events_compaction_config.is_some(),
            context_cache_config: self.context_cache_config.clone(),
            tasks,
            queue: runs_nodes.then(Queue::default),
            abort: turn.abort.clone(),
            marks: Mutex::new(AgentMarks::default()),
            n_model_calls: AtomicI64::new(0),
            is_sealed: AtomicBool::new(false),
        };
        InvocationContext {
            run: Arc::new(run),
            id: Str::default(),
            agent: self.root,
            mode: None,
            include_contents: None,
            branch: None,
            isolation_scope: None,
            node_path: Str::default(),
            user_content: turn.message.clone().map(Arc::new),
            is_ended: Arc::new(AtomicBool::new(false)),
            cancel: turn.cancel.child_token(),
            input: None,
        }
    }
}
