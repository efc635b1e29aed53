//! What one piece of code may see and do: a run of a node, a call of a tool, or a callback.
//!
//! Code is given a [`Context`], a context knows its invocation, the invocation its run, and the run the code: types that
//! know each other stand together here, what they do in the files beside and below.

mod children;
mod services;
mod state;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64};

use futures_util::future::BoxFuture;
use parking_lot::{Mutex, MutexGuard};
use strata_engine::AgentId;
use strata_engine::turn::tool_calls::ToolConfirmation;
use strata_model::app::{AgentMode, CodeNode, ContextCacheConfig, IncludeContents, OutputSchema};
use strata_model::{Agent, Content, EventActions, Json, Object, Str};
use tokio_util::sync::CancellationToken;

pub(crate) use services::credential_key;

use crate::adk_text::OUTPUT_ALREADY_SET;
use crate::events::Outlet;
use crate::halt::{Failure, Halt};
use crate::host::{Answer, Chance, Clock, Gate, HookOwner, HookPoint, Item, Models, ToolResult, Value};
use crate::live::{InputId, LiveSession};
use crate::marks::AgentMarks;
use crate::program::{Node, Program};
use crate::queue::Queue;
use crate::run_node::RunNode;
use crate::services::{Services, SessionKey};
use crate::tasks::SharedTasks;
use crate::turn::{EventSink, RunConfig, Turn};

/// Everything a run needs from outside, beside the services that keep things.
#[derive(Clone)]
pub struct Host {
    pub clock: Arc<dyn Clock>,
    pub chance: Arc<dyn Chance>,
    pub models: Arc<dyn Models>,
    pub code: Arc<dyn Code>,
    pub gate: Arc<dyn Gate>,
}

/// The app's own code, wherever it runs.
pub trait Code: Send + Sync {
    fn run_tool<'a>(&'a self, call: ToolCall<'a>) -> BoxFuture<'a, Result<ToolResult, Failure>>;

    /// Whether a call has to be approved by a person, for a tool that decides by its arguments.
    fn requires_confirmation(&self, tool: &str, rule: &Json, args: &Object) -> bool;

    /// Makes the tools of a toolset ready, before every call of a model. If that fails, the call goes without them.
    fn open_toolset<'a>(&'a self, source: &'a Object) -> BoxFuture<'a, Result<(), Failure>>;

    /// Asks a plugin or a callback.
    fn hook<'a>(&'a self, hook: Hook<'a>) -> BoxFuture<'a, Result<Answer, Failure>>;

    /// Runs a node.
    fn run_node<'a>(&'a self, call: NodeCall<'a>) -> BoxFuture<'a, Result<(), Halt>>;

    /// Runs an agent of the app's own kind.
    fn run_agent<'a>(&'a self, call: AgentCall<'a>) -> BoxFuture<'a, Result<(), Halt>>;
}

/// A call of a tool.
pub struct ToolCall<'a> {
    /// Its name as the model knows it, with the prefix of its toolset.
    pub tool: &'a str,
    /// Its name in its toolset.
    pub own_name: &'a str,
    /// It is long-running: where there is no answer now, one comes from outside.
    pub answers_later: bool,
    pub args: &'a Object,
    pub context: &'a Context,
}

/// Code that is asked at one point of a run.
pub struct Hook<'a> {
    pub owner: HookOwner<'a>,
    pub code: &'a Object,
    pub context: &'a Context,
    pub point: HookPoint<'a>,
}

/// A run of a node.
pub struct NodeCall<'a> {
    pub node: &'a CodeNode,
    pub input: Value,
    /// Values of the parameters that a function node declares.
    pub params: Object,
    pub context: &'a Context,
    pub outlet: Outlet<Item>,
}

/// A run of an agent of the app's own kind.
pub struct AgentCall<'a> {
    pub agent: &'a Agent,
    pub context: &'a Context,
    pub outlet: Outlet,
}

/// What is shared by all that runs in an invocation.
pub(crate) struct Run {
    pub(crate) program: Arc<Program>,
    pub(crate) host: Host,
    pub(crate) execution: Arc<dyn Execution>,
    pub(crate) services: Services,
    pub(crate) key: SessionKey,
    pub(crate) session: Mutex<LiveSession>,
    pub(crate) config: RunConfig,
    /// False for a run that has no plugins, as an agent tool may ask for.
    pub(crate) has_plugins: bool,
    pub(crate) is_resumable: bool,
    pub(crate) is_compaction_active: bool,
    /// Where it is not the app's.
    pub(crate) context_cache_config: Option<ContextCacheConfig>,
    pub(crate) tasks: SharedTasks,
    /// Where nodes put their events; a composite root has none.
    pub(crate) queue: Option<Queue>,
    /// The caller's wish to end the run.
    pub(crate) abort: CancellationToken,
    pub(crate) marks: Mutex<AgentMarks>,
    pub(crate) n_model_calls: AtomicI64,
    pub(crate) is_sealed: AtomicBool,
}

/// An invocation as one agent or node sees it. Copies share the run, and nothing else.
#[derive(Clone)]
pub struct InvocationContext {
    pub(crate) run: Arc<Run>,
    pub(crate) id: Str,
    /// Whose turn it is; none where a workflow is the root.
    pub(crate) agent: Option<AgentId>,
    /// As the node runtime changed it for this agent; none: the agent's own.
    pub(crate) mode: Option<AgentMode>,
    /// As the node runtime changed it for this agent; none: the agent's own.
    pub(crate) include_contents: Option<IncludeContents>,
    pub(crate) branch: Option<Str>,
    pub(crate) isolation_scope: Option<Str>,
    /// Empty outside of nodes.
    pub(crate) node_path: Str,
    pub(crate) user_content: Option<Arc<Content>>,
    /// Code or a pause has ended what this copy stands for.
    pub(crate) is_ended: Arc<AtomicBool>,
    /// Stops the work this copy belongs to.
    pub(crate) cancel: CancellationToken,
    pub(crate) input: Option<InputId>,
}

/// The context of a run of a node, of a call of a tool, or of a callback.
#[derive(Clone)]
pub struct Context(Arc<Inner>);

struct Inner {
    invocation: Mutex<InvocationContext>,
    /// The context of the node that started this one.
    parent: Option<Context>,
    node: Option<Arc<Node>>,
    node_path: Str,
    run_id: Str,
    attempt: u32,
    resume_inputs: Mutex<Object>,
    call: Option<CallScope>,
    /// What `ctx.state` may hold.
    state_schema: Option<Arc<OutputSchema>>,
    actions: SharedActions,
    run: Mutex<NodeRun>,
}

/// Actions that are being gathered. All callbacks of one model call gather into the same.
pub(crate) type SharedActions = Arc<Mutex<EventActions>>;

/// The call a tool's context belongs to.
#[derive(Debug, Clone, Default)]
struct CallScope {
    id: Option<Str>,
    confirmation: Option<ToolConfirmation>,
}

/// What a run of a node has come to.
#[derive(Default)]
pub(crate) struct NodeRun {
    pub(crate) output: Option<Value>,
    /// An event has told the output.
    pub(crate) is_output_emitted: bool,
    /// Another event stands for the output: a child's, or the message that is the output.
    pub(crate) is_output_delegated: bool,
    pub(crate) route: Option<Json>,
    pub(crate) is_route_emitted: bool,
    /// Questions that wait for an answer, in the order they were asked.
    pub(crate) interrupts: Vec<Str>,
    pub(crate) error: Option<Failure>,
    /// Where that failed.
    pub(crate) error_path: Str,
    /// Who speaks for this node's events; empty: the node itself.
    pub(crate) event_author: Str,
    pub(crate) isolation_scope: Option<Str>,
    /// Nodes above that take this node's output for their own.
    pub(crate) output_for: Vec<Str>,
    pub(crate) transfer_to: Option<Str>,
    pub(crate) scheduler: Option<Arc<dyn Scheduling>>,
}

/// What a new node context begins with.
pub(crate) struct NodeScope {
    pub(crate) invocation: InvocationContext,
    pub(crate) parent: Context,
    pub(crate) node: Arc<Node>,
    pub(crate) node_path: Str,
    pub(crate) run_id: Str,
    pub(crate) attempt: u32,
    pub(crate) resume_inputs: Object,
    /// The parent takes this node's output for its own.
    pub(crate) is_parents_output: bool,
}

/// What stands above agents and nodes, as they see it: it runs those that they start.
pub(crate) trait Execution: Send + Sync {
    /// The turn of an agent inside of an invocation.
    fn turn(
        &self,
        parent: &InvocationContext,
        agent: AgentId,
        outlet: Outlet,
    ) -> BoxFuture<'static, Result<(), Halt>>;

    /// The work of a node: what it gives goes to `outlet` as events.
    fn work(
        &self,
        node: Arc<Node>,
        context: Context,
        input: Value,
        outlet: Outlet,
    ) -> BoxFuture<'static, Result<(), Halt>>;

    /// For nodes that are started where nobody keeps book of them: transfers are followed, and nothing is taken again.
    fn lone_scheduler(&self) -> Arc<dyn Scheduling>;

    /// A turn of an agent by itself, in a session of its own.
    fn turn_alone<'a>(
        &'a self,
        alone: AgentAlone,
        turn: Turn,
        sink: &'a dyn EventSink,
    ) -> BoxFuture<'a, Result<(), Halt>>;
}

/// An agent that runs by itself, inside of another run.
pub(crate) struct AgentAlone {
    pub(crate) agent: AgentId,
    pub(crate) services: Services,
    pub(crate) has_plugins: bool,
    /// In place of the app's.
    pub(crate) context_cache_config: Option<ContextCacheConfig>,
    pub(crate) tasks: SharedTasks,
}

/// Starts the nodes below a context, and keeps book of them.
pub(crate) trait Scheduling: Send + Sync {
    /// Runs a node, and the agents it hands over to.
    fn run(self: Arc<Self>, parent: &Context, run: RunNode) -> BoxFuture<'static, Result<Context, Halt>>;

    /// Runs one node, or takes what it did.
    fn run_one(self: Arc<Self>, parent: &Context, run: RunNode) -> BoxFuture<'static, Result<Context, Halt>>;

    fn snapshot(&self, path: &str) -> CounterSnapshot;

    /// Goes back to earlier numbers, so that children which ended are taken again.
    fn restore(&self, path: &str, snapshot: CounterSnapshot);
}

/// The numbers of runs at a moment, to which a retry goes back: by the path above and the node's name.
pub(crate) type CounterSnapshot = HashMap<Str, HashMap<Str, u64>>;

impl Context {
    fn inner(invocation: InvocationContext, node_path: Str, actions: SharedActions) -> Inner {
        let run = NodeRun { isolation_scope: invocation.isolation_scope.clone(), ..NodeRun::default() };
        Inner {
            invocation: Mutex::new(invocation),
            parent: None,
            node: None,
            node_path,
            run_id: "1".into(),
            attempt: 1,
            resume_inputs: Mutex::default(),
            call: None,
            state_schema: None,
            actions,
            run: Mutex::new(run),
        }
    }

    /// For what is asked around the work of an agent or a run.
    pub(crate) fn of_callback(invocation: &InvocationContext) -> Self {
        Self::gathering(invocation, SharedActions::default())
    }

    /// As [`Self::of_callback`], with what is written going to actions that others write, too.
    pub(crate) fn gathering(invocation: &InvocationContext, actions: SharedActions) -> Self {
        let node_path = invocation.node_path.clone();
        Self(Arc::new(Self::inner(invocation.clone(), node_path, actions)))
    }

    pub(crate) fn of_call(
        invocation: &InvocationContext,
        call_id: Option<Str>,
        confirmation: Option<ToolConfirmation>,
    ) -> Self {
        let node_path = invocation.node_path.clone();
        let call = Some(CallScope { id: call_id, confirmation });
        Self(Arc::new(Inner { call, ..Self::inner(invocation.clone(), node_path, SharedActions::default()) }))
    }

    /// This node's context as that of a call: what the call writes is the node's.
    pub(crate) fn as_call(&self, call_id: Str, confirmation: Option<ToolConfirmation>) -> Self {
        let inner = Inner {
            parent: self.0.parent.clone(),
            node: self.0.node.clone(),
            run_id: self.0.run_id.clone(),
            attempt: self.0.attempt,
            resume_inputs: Mutex::new(self.resume_inputs()),
            call: Some(CallScope { id: Some(call_id), confirmation }),
            state_schema: self.0.state_schema.clone(),
            ..Self::inner(self.agent_invocation(), self.0.node_path.clone(), self.0.actions.clone())
        };
        inner.run.lock().scheduler.clone_from(&self.run().scheduler);
        Self(Arc::new(inner))
    }

    /// Above the root node.
    pub(crate) fn above_root(invocation: &InvocationContext) -> Self {
        Self(Arc::new(Self::inner(invocation.clone(), Str::default(), SharedActions::default())))
    }

    pub(crate) fn of_node(scope: NodeScope) -> Self {
        let NodeScope { invocation, parent, node, node_path, run_id, attempt, resume_inputs, .. } = scope;
        let state_schema = node.state_schema.clone().or_else(|| parent.0.state_schema.clone());
        let above = parent.run();
        let output_for = if scope.is_parents_output {
            let parent_path = std::iter::once(parent.node_path().clone());
            parent_path.chain(above.output_for.iter().cloned()).collect()
        } else {
            Vec::new()
        };
        let run = NodeRun {
            event_author: above.event_author.clone(),
            isolation_scope: above.isolation_scope.clone(),
            scheduler: above.scheduler.clone(),
            output_for,
            ..NodeRun::default()
        };
        drop(above);
        Self(Arc::new(Inner {
            invocation: Mutex::new(invocation),
            parent: Some(parent),
            node: Some(node),
            node_path,
            run_id,
            attempt,
            resume_inputs: Mutex::new(resume_inputs),
            call: None,
            state_schema,
            actions: SharedActions::default(),
            run: Mutex::new(run),
        }))
    }

    /// The invocation as this context sees it.
    pub(crate) fn invocation(&self) -> InvocationContext {
        self.0.invocation.lock().clone()
    }

    /// The invocation for an agent that runs as this node.
    pub(crate) fn agent_invocation(&self) -> InvocationContext {
        let mut invocation = self.invocation();
        invocation.isolation_scope.clone_from(&self.run().isolation_scope);
        if !self.0.node_path.is_empty() {
            invocation.node_path = self.0.node_path.clone();
        }
        invocation
    }

    pub(crate) fn set_cancel(&self, cancel: CancellationToken) {
        self.0.invocation.lock().cancel = cancel;
    }

    pub(crate) fn set_branch(&self, branch: Option<Str>) {
        self.0.invocation.lock().branch = branch;
    }

    pub(crate) fn run(&self) -> MutexGuard<'_, NodeRun> {
        self.0.run.lock()
    }

    pub(crate) fn parent(&self) -> Option<&Self> {
        self.0.parent.as_ref()
    }

    pub(crate) fn node(&self) -> Option<&Arc<Node>> {
        self.0.node.as_ref()
    }

    /// Whether a node that starts others would run again to take their answers.
    pub(crate) fn reruns_on_resume(&self) -> bool {
        self.0.node.as_ref().is_none_or(|node| node.rerun_on_resume)
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// What was written and set so far.
    pub fn actions(&self) -> EventActions {
        self.0.actions.lock().clone()
    }

    /// Sets actions of the event that will tell of this code.
    pub fn edit_actions(&self, edit: impl FnOnce(&mut EventActions)) {
        edit(&mut self.0.actions.lock());
    }

    pub(crate) fn shared_actions(&self) -> &SharedActions {
        &self.0.actions
    }

    /// Takes the changes of state and artifacts that no event has told yet.
    pub(crate) fn take_deltas(&self) -> (Object, Object) {
        let mut actions = self.0.actions.lock();
        (std::mem::take(&mut actions.state_delta), std::mem::take(&mut actions.artifact_delta))
    }

    pub fn invocation_id(&self) -> Str {
        self.0.invocation.lock().id.clone()
    }

    /// The agent whose turn it is; `unknown` where a workflow runs by itself.
    pub fn agent_name(&self) -> Str {
        self.0.invocation.lock().agent_name()
    }

    pub fn branch(&self) -> Option<Str> {
        self.0.invocation.lock().branch.clone()
    }

    pub fn node_path(&self) -> &Str {
        &self.0.node_path
    }

    pub fn run_id(&self) -> &Str {
        &self.0.run_id
    }

    /// Counted from 1.
    pub fn attempt(&self) -> u32 {
        self.0.attempt
    }

    /// Answers to what this node has asked, by the id of the question.
    pub fn resume_inputs(&self) -> Object {
        self.0.resume_inputs.lock().clone()
    }

    pub fn resume_input(&self, id: &str) -> Option<Json> {
        self.0.resume_inputs.lock().get(id).cloned()
    }

    pub fn function_call_id(&self) -> Option<Str> {
        self.0.call.as_ref().and_then(|call| call.id.clone())
    }

    /// What a person said to the call, if it asked for approval.
    pub fn confirmation(&self) -> Option<&ToolConfirmation> {
        self.0.call.as_ref().and_then(|call| call.confirmation.as_ref())
    }

    /// Ends what the agent at hand is doing, after the step it is in.
    pub fn end_invocation(&self) {
        self.0.invocation.lock().end();
    }

    /// Sets the output of the node: once, and not again.
    pub fn set_output(&self, value: impl Into<Value>) -> Result<(), Failure> {
        let value = value.into();
        let mut run = self.run();
        if run.output.is_some() {
            return Err(Failure::value_error(OUTPUT_ALREADY_SET));
        }
        run.output = Some(value).filter(|value| !value.is_none());
        Ok(())
    }

    /// Sets the route by which the workflow goes on; the last one counts.
    pub fn set_route(&self, route: Json) {
        let mut run = self.run();
        run.route = Some(route).filter(|route| !route.is_null());
        run.is_route_emitted = false;
    }

    /// Waits for so many seconds.
    pub async fn sleep(&self, seconds: f64) -> Result<(), Halt> {
        let invocation = self.invocation();
        invocation.sleep(seconds).await
    }

    pub(crate) fn add_interrupts(&self, ids: impl IntoIterator<Item = Str>) {
        let mut run = self.run();
        for id in ids {
            if !run.interrupts.contains(&id) {
                run.interrupts.push(id);
            }
        }
    }
}
