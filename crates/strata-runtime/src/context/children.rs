//! Nodes that a node starts.

use futures_util::future::BoxFuture;

use super::Context;
use crate::adk_text::{DELEGATE_TWICE, NUMERIC_RUN_ID, RERUN_REQUIRED, filled};
use crate::halt::{Failure, Halt};
use crate::host::Value;
use crate::run_node::RunNode;

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
            let scheduler = scheduler.unwrap_or_else(|| context.invocation().run.execution.lone_scheduler());
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
