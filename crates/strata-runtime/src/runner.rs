//! One turn of a session: from what the user says to the events that answer.
//!
//! Agents that call a model and workflows run as nodes ([`nodes`]): their events come through one queue. Composites and
//! agents of the app's own kind run as plain agents ([`agents`]): a chain of producers, each waiting for the next.

mod agents;
mod message;
mod nodes;
mod rewinding;
mod root;
mod sealing;
mod telling;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64};

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use strata_engine::AgentId;
use strata_model::app::{AgentMode, ContextCacheConfig};
use strata_model::{Object, Session, Str};

use crate::adk_text::{ROOT_MODE, SESSION_NOT_FOUND, filled};
use crate::agent;
use crate::context::{AgentAlone, Context, Execution, Host, InvocationContext, Run, Scheduling};
use crate::events::Outlet;
use crate::halt::{Failure, Halt};
use crate::host::Value;
use crate::live::LiveSession;
use crate::marks::AgentMarks;
use crate::node::{self, Scheduler};
use crate::program::{Node, Program};
use crate::queue::Queue;
use crate::services::Services;
use crate::tasks::{SharedTasks, Tasks};
use crate::turn::{EventSink, Turn};
use root::Root;

/// Runs an app, or one of its agents by itself.
#[derive(Clone)]
pub struct Runner {
    root: Root,
    host: Host,
    services: Services,
    /// Runs inside of another run.
    is_child: bool,
    has_plugins: bool,
    context_cache_config: Option<ContextCacheConfig>,
    creates_sessions: bool,
}

impl Runner {
    /// Runs an app from its root.
    pub fn new(program: Arc<Program>, host: Host, services: Services) -> Self {
        Self {
            root: Root { agent: program.root().agent().map(|agent| agent.id), program },
            host,
            services,
            is_child: false,
            has_plugins: true,
            context_cache_config: None,
            creates_sessions: false,
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
        &self.root.program
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
        let is_llm = self.root.is_llm();
        if is_llm && self.root.mode() == AgentMode::SingleTurn {
            return Err(Failure::value_error(ROOT_MODE).into());
        }
        let session = self.session(&turn).await?;
        let runs_nodes = is_llm || self.root.agent.is_none();
        let invocation = self.invocation(&turn, session, tasks, runs_nodes);
        if runs_nodes {
            nodes::run(&self.root, invocation, turn, sink).await
        } else {
            agents::run(&self.root, invocation, turn, sink).await
        }
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
        let app = self.root.program.app();
        let run = Run {
            program: self.root.program.clone(),
            host: self.host.clone(),
            execution: Arc::new(self.clone()),
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
            agent: self.root.agent,
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

impl Execution for Runner {
    fn turn(
        &self,
        parent: &InvocationContext,
        agent: AgentId,
        outlet: Outlet,
    ) -> BoxFuture<'static, Result<(), Halt>> {
        agent::run(parent, agent, outlet)
    }

    fn work(
        &self,
        node: Arc<Node>,
        context: Context,
        input: Value,
        outlet: Outlet,
    ) -> BoxFuture<'static, Result<(), Halt>> {
        Box::pin(node::work(node, context, input, outlet))
    }

    fn lone_scheduler(&self) -> Arc<dyn Scheduling> {
        Arc::new(Scheduler::for_transfers())
    }

    fn turn_alone<'a>(
        &'a self,
        alone: AgentAlone,
        turn: Turn,
        sink: &'a dyn EventSink,
    ) -> BoxFuture<'a, Result<(), Halt>> {
        let AgentAlone { agent, services, has_plugins, context_cache_config, tasks } = alone;
        let runner = Self {
            root: Root { program: self.root.program.clone(), agent: Some(agent) },
            host: self.host.clone(),
            services,
            is_child: true,
            has_plugins,
            context_cache_config,
            creates_sessions: false,
        };
        Box::pin(async move { runner.turn(turn, tasks, sink).await })
    }
}
