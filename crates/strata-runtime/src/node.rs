//! The node runtime: runs of nodes in a tree of contexts that mirrors them.
//!
//! A node is started through the context of the node above it ([`Context::run_node`]). The [`scheduler`] decides
//! whether it runs or what it did before is taken again, the [`runner`] runs it and puts its events into the queue.

mod agent;
mod barrier;
mod dump;
mod function;
pub(crate) mod history;
mod inputs;
mod request;
mod runner;
pub(crate) mod scheduler;
mod tool;
mod transfer;
mod worker;
mod workflow;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use strata_model::{Object, Str};
use tokio_util::sync::CancellationToken;

use crate::adk_text::{DELEGATE_TWICE, NUMERIC_RUN_ID, RERUN_REQUIRED, filled};
use crate::context::Context;
use crate::events::Outlet;
use crate::halt::{Failure, Halt};
use crate::host::Value;
use crate::program::{Node, NodeKind};
pub(crate) use inputs::text_of;
pub(crate) use request::{REQUEST_CREDENTIAL, REQUEST_INPUT};
use scheduler::Scheduler;

/// A node to run, and how.
#[derive(Clone)]
pub struct RunNode {
    pub(crate) node: Arc<Node>,
    pub(crate) input: Value,
    pub(crate) use_as_output: bool,
    pub(crate) run_id: Option<Str>,
    pub(crate) use_sub_branch: bool,
    /// In place of the branch of the node that starts it; `""` is no branch.
    pub(crate) branch: Option<Str>,
    pub(crate) isolation_scope: Option<Str>,
    /// A node that waits stops the one that started it.
    pub(crate) stops_on_wait: bool,
    /// Run ids may be numbers: the runtime itself made them.
    pub(crate) has_own_run_id: bool,
    pub(crate) resume_inputs: Option<Object>,
    /// Stops it; absent: what stops the node that starts it.
    pub(crate) cancel: Option<CancellationToken>,
}

impl RunNode {
    pub fn new(node: Arc<Node>, input: Value) -> Self {
        Self {
            node,
            input,
            use_as_output: false,
            run_id: None,
            use_sub_branch: false,
            branch: None,
            isolation_scope: None,
            stops_on_wait: false,
            has_own_run_id: false,
            resume_inputs: None,
            cancel: None,
        }
    }

    pub(crate) fn stopped_by(self, cancel: CancellationToken) -> Self {
        Self { cancel: Some(cancel), ..self }
    }

    /// What the node gives is the output of the node that starts it.
    #[must_use]
    pub fn as_output(self) -> Self {
        Self { use_as_output: true, ..self }
    }

    #[must_use]
    pub fn with_run_id(self, run_id: impl Into<Str>) -> Self {
        Self { run_id: Some(run_id.into()), ..self }
    }

    /// What is said there stays on a branch of its own.
    #[must_use]
    pub fn on_sub_branch(self) -> Self {
        Self { use_sub_branch: true, ..self }
    }
}

impl Context {
    /// Runs a node as a child of this one, and gives its output. A child that asks something stops the one that
    /// started it.
    pub fn run_node(&self, run: RunNode) -> BoxFuture<'static, Result<Value, Halt>> {
        let context = self.clone();
        Box::pin(async move {
            let (node, stops_on_wait) = (run.node.clone(), run.stops_on_wait);
            let child = context.run_child(run).await?;
            let (output, waits) = {
                let ended = child.run();
                if let Some(failure) = &ended.error {
                    let name = child.node().map_or(&node.name, |node| &node.name);
                    return Err(Failure::of_child(name, failure.clone(), ended.error_path.clone()).into());
                }
                if !ended.interrupts.is_empty() {
                    context.add_interrupts(ended.interrupts.iter().cloned());
                    return Err(Halt::Interrupted);
                }
                (ended.output.clone(), ended.output.is_none() && ended.transfer_to.is_none())
            };
            let ran = child.node().unwrap_or(&node);
            if stops_on_wait && waits && (ran.is_workflow() || ran.wait_for_output) {
                return Err(Halt::Interrupted);
            }
            Ok(output.unwrap_or(Value::NONE))
        })
    }

    /// As [`Self::run_node`], for the runtime itself: gives the child's context, whatever became of it.
    pub(crate) fn run_child(&self, run: RunNode) -> BoxFuture<'static, Result<Self, Halt>> {
        let context = self.clone();
        Box::pin(async move {
            if !context.reruns_on_resume() {
                return Err(Failure::value_error(RERUN_REQUIRED).into());
            }
            let is_graph = context.node().is_some_and(|node| node.is_workflow());
            if run.use_as_output && !is_graph {
                let mut own = context.run();
                if own.is_output_delegated {
                    let message = filled(DELEGATE_TWICE, &[("PATH", context.node_path())]);
                    return Err(Failure::value_error(message).into());
                }
                own.is_output_delegated = true;
            }
            let scheduler = context.run().scheduler.clone();
            if scheduler.is_some()
                && !run.has_own_run_id
                && let Some(id) = run.run_id.as_deref().filter(|id| is_number(id))
            {
                let message = filled(NUMERIC_RUN_ID, &[("ID", id), ("NAME", &run.node.name)]);
                return Err(Failure::value_error(message).into());
            }
            let scheduler = scheduler.unwrap_or_else(|| Arc::new(Scheduler::for_transfers()));
            let child = scheduler.run(&context, run).await?;
            if child.actions().skip_summarization == Some(true) {
                context.edit_actions(|actions| actions.skip_summarization = Some(true));
            }
            Ok(child)
        })
    }
}

fn is_number(run_id: &str) -> bool {
    !run_id.is_empty() && run_id.chars().all(char::is_numeric)
}

/// The work of a node: what it gives goes to `outlet` as events.
pub(crate) async fn work(
    node: Arc<Node>,
    context: Context,
    input: Value,
    outlet: Outlet,
) -> Result<(), Halt> {
    let input = inputs::validated(&node, input)?;
    match &node.kind {
        NodeKind::Agent(agent) => agent::work(agent, &node, context, input, outlet).await,
        NodeKind::Workflow(_) => workflow::work(node.clone(), context, input).await,
        NodeKind::Code(code) => function::work(code, &node, context, input, outlet).await,
        NodeKind::Join => function::join(&node, &context, input, outlet).await,
        NodeKind::Tool(tool) => tool::work(tool, &node, context, input, outlet).await,
        NodeKind::Worker { node: inner, most_at_once } => {
            worker::work(inner, *most_at_once, &context, input, outlet).await
        }
    }
}
