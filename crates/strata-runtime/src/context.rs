//! What one piece of code may see and do: a run of a node, a call of a tool, or a callback.

mod services;
mod state;

use std::sync::Arc;

use parking_lot::{Mutex, MutexGuard};
use strata_engine::turn::tool_calls::ToolConfirmation;
use strata_model::app::OutputSchema;
use strata_model::{EventActions, Json, Object, Str};

use crate::adk_text::OUTPUT_ALREADY_SET;
use crate::halt::{Failure, Halt};
use crate::host::Value;
use crate::invocation::InvocationContext;
use crate::node::scheduler::Scheduler;
use crate::program::Node;

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
    pub(crate) scheduler: Option<Arc<Scheduler>>,
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

impl Context {
    fn new(invocation: InvocationContext, node_path: Str, actions: SharedActions) -> Inner {
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
        Self(Arc::new(Self::new(invocation.clone(), node_path, actions)))
    }

    pub(crate) fn of_call(
        invocation: &InvocationContext,
        call_id: Option<Str>,
        confirmation: Option<ToolConfirmation>,
    ) -> Self {
        let node_path = invocation.node_path.clone();
        let call = Some(CallScope { id: call_id, confirmation });
        Self(Arc::new(Inner { call, ..Self::new(invocation.clone(), node_path, SharedActions::default()) }))
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
            ..Self::new(self.agent_invocation(), self.0.node_path.clone(), self.0.actions.clone())
        };
        inner.run.lock().scheduler = self.run().scheduler.clone();
        Self(Arc::new(inner))
    }

    /// Above the root node.
    pub(crate) fn above_root(invocation: &InvocationContext) -> Self {
        Self(Arc::new(Self::new(invocation.clone(), Str::default(), SharedActions::default())))
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
        invocation.isolation_scope = self.run().isolation_scope.clone();
        if !self.0.node_path.is_empty() {
            invocation.node_path = self.0.node_path.clone();
        }
        invocation
    }

    pub(crate) fn set_cancel(&self, cancel: tokio_util::sync::CancellationToken) {
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
