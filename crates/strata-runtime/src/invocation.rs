//! What an invocation and its run do for the agents and nodes in them.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use strata_engine::{AgentId, AppIndex, Invocation};
use strata_model::app::{AgentMode, Plugin};
use strata_model::{Agent, Event, NodePath, Str};
use tokio_util::sync::CancellationToken;

use crate::adk_text::{AGENT_REQUIRED, CALL_LIMIT, NO_AGENT, filled};
use crate::context::{InvocationContext, Run};
use crate::events::Events;
use crate::halt::{Failure, Halt};
use crate::tasks::{Handle, until_cancelled};

impl Run {
    pub(crate) fn is_aborted(&self) -> bool {
        self.abort.is_cancelled()
    }

    pub(crate) fn now(&self) -> f64 {
        self.host.clock.now()
    }

    pub(crate) fn new_id(&self) -> Str {
        self.host.chance.new_id()
    }

    /// An id for a call that came without one.
    pub(crate) fn new_call_id(&self) -> Str {
        format!("adk-{}", self.new_id()).into()
    }

    /// The plugins that take part, in order.
    pub(crate) fn plugins(&self) -> &[Plugin] {
        if self.has_plugins { self.program.app().plugins() } else { &[] }
    }

    /// Counts a call of a model.
    pub(crate) fn count_model_call(&self) -> Result<(), Failure> {
        let n_calls = self.n_model_calls.fetch_add(1, Ordering::Relaxed) + 1;
        let most = self.config.max_llm_calls;
        if most > 0 && n_calls > most {
            let message = filled(CALL_LIMIT, &[("N", &most.to_string())]);
            return Err(Failure::new("LlmCallsLimitExceededError", message));
        }
        Ok(())
    }

    /// Stores an event at the session's end. Partial events are not stored.
    pub(crate) async fn append(&self, event: Event) -> Result<Arc<Event>, Failure> {
        if event.partial == Some(true) {
            return Ok(Arc::new(event));
        }
        let stored = self.services.sessions.append(&self.key, &event).await?;
        self.session.lock().push(stored.clone(), &event.actions.state_delta);
        Ok(stored)
    }
}

impl InvocationContext {
    pub fn invocation_id(&self) -> &Str {
        &self.id
    }

    pub(crate) fn index(&self) -> &AppIndex {
        self.run.program.index()
    }

    pub(crate) fn agent_id(&self) -> Result<AgentId, Halt> {
        self.agent.ok_or_else(|| Failure::new("TypeError", AGENT_REQUIRED).into())
    }

    /// The agent's configuration. Only for contexts of agents.
    pub(crate) fn agent_config(&self) -> Result<Arc<Agent>, Halt> {
        Ok(self.index().agent(self.agent_id()?).clone())
    }

    /// The agent's name; ADK's word for nobody where there is none.
    pub(crate) fn agent_name(&self) -> Str {
        self.agent.map_or_else(|| NO_AGENT.into(), |id| self.index().agent(id).name.clone())
    }

    pub(crate) fn mode(&self) -> Option<AgentMode> {
        self.mode.or_else(|| self.index().agent(self.agent?).mode)
    }

    /// A copy for an agent, which begins without anything the node runtime has set.
    pub(crate) fn for_agent(&self, agent: AgentId) -> Self {
        let is_same = self.agent == Some(agent);
        Self {
            agent: Some(agent),
            mode: self.mode.filter(|_| is_same),
            include_contents: self.include_contents.filter(|_| is_same),
            is_ended: Arc::new(AtomicBool::new(self.is_ended())),
            ..self.clone()
        }
    }

    /// A copy for work that is started beside what runs, and can be stopped by itself.
    pub(crate) fn for_task(&self) -> Self {
        Self { cancel: self.cancel.child_token(), ..self.clone() }
    }

    /// A copy for what is done although the work was stopped.
    pub(crate) fn shielded(&self) -> Self {
        Self { cancel: CancellationToken::new(), ..self.clone() }
    }

    pub(crate) fn is_ended(&self) -> bool {
        self.is_ended.load(Ordering::Relaxed)
    }

    pub(crate) fn end(&self) {
        self.is_ended.store(true, Ordering::Relaxed);
    }

    /// Waits for work outside of the runtime.
    pub(crate) async fn wait<T>(&self, work: impl Future<Output = T>) -> Result<T, Halt> {
        until_cancelled(&self.cancel, work).await
    }

    pub(crate) async fn sleep(&self, seconds: f64) -> Result<(), Halt> {
        self.wait(self.run.host.clock.sleep(seconds)).await
    }

    /// Starts work beside what runs.
    pub(crate) fn spawn<T: Send + 'static, F>(&self, work: impl FnOnce(Self) -> F) -> Handle<T>
    where
        F: Future<Output = Result<T, Halt>> + Send + 'static,
    {
        let own = self.for_task();
        let cancel = own.cancel.clone();
        self.run.tasks.spawn(cancel, work(own))
    }

    /// Runs an agent's turn inside of this one, and gives its events one by one.
    pub(crate) fn events_of(&self, agent: AgentId) -> Events<'static> {
        let invocation = self.clone();
        Events::new(move |outlet| invocation.run.execution.turn(&invocation, agent, outlet))
    }

    /// An event of this invocation, made now.
    pub(crate) fn event(&self, author: Str) -> Event {
        Event {
            id: self.run.new_id(),
            invocation_id: self.id.clone(),
            author,
            branch: self.branch.clone(),
            timestamp: self.run.now(),
            ..Event::default()
        }
    }

    /// Puts an event of a node into the queue, and waits until it is stored.
    pub(crate) async fn enqueue(&self, event: Event) -> Result<(), Halt> {
        let Some(queue) = &self.run.queue else {
            return Err(Failure::new("RuntimeError", "events of nodes need the queue of a node's run").into());
        };
        let stored = queue.push(event);
        match stored {
            Some(stored) => self.wait(stored).await.map(|_| ()),
            None => Ok(()),
        }
    }

    /// What a compile of this agent's request looks at.
    pub(crate) fn to_engine(&self) -> Invocation {
        let run = &self.run;
        Invocation {
            agent: self.agent_name(),
            invocation_id: self.id.clone(),
            branch: self.branch.clone(),
            isolation_scope: self.isolation_scope.clone(),
            node_path: NodePath::new(self.node_path.clone()),
            user_content: self.user_content.clone(),
            mode: self.mode,
            include_contents: self.include_contents,
            plugins: (!run.has_plugins).then(Vec::new),
            context_cache_config: run.context_cache_config.clone(),
            is_compaction_active: run.is_compaction_active,
            closed_toolsets: Vec::new(),
            is_input_unknown: false,
            run_config: run.config.requests.clone(),
        }
    }
}
