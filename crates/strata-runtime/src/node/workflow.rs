//! The loop of a workflow: starts what has been triggered, waits for what ends, triggers what follows.

mod graph_run;

use std::sync::Arc;

use futures_util::future::{Either, select};
use strata_model::{Event, EventActions, NodePath, Object, Str};

use super::barrier::Barrier;
use super::history::{ScanScope, completion_order, decide, states};
use super::inputs::checked_output;
use super::scheduler::Scheduler;
use crate::adk_text::{SEVERAL_OUTPUTS, filled};
use crate::context::Context;
use crate::halt::{Failure, Halt};
use crate::host::Value;
use crate::program::{Graph, Node, NodeKind};
use crate::run_node::RunNode;
use crate::tasks::{Group, WAITING_FOR_SEVERAL, step_back};
use graph_run::{GraphRun, Status};

/// What a node was started with, and where its task is.
struct Started {
    name: Str,
    run_id: Str,
    place: usize,
}

/// Runs a workflow's graph.
pub(super) async fn work(node: Arc<Node>, context: Context, input: Value) -> Result<(), Halt> {
    let NodeKind::Workflow(graph) = &node.kind else { return Ok(()) };
    if graph.edges.is_empty() {
        return Ok(());
    }
    context.run().event_author = node.name.clone();
    let invocation = context.invocation();
    let events = invocation.run.session.lock().live_events_of(&invocation.id);
    let past = states(&events, ScanScope::Children(context.node_path()))?;
    let order = completion_order(&events, context.node_path(), false);
    let scheduler = Arc::new(Scheduler::new());
    scheduler.set_barrier(context.node_path(), Arc::new(Barrier::new(order.clone())));
    context.run().scheduler = Some(scheduler.clone());
    let mut workflow = Workflow {
        node: &node,
        graph,
        context: &context,
        scheduler: scheduler.clone(),
        run: GraphRun::new(past),
        group: Group::new(),
        started: Vec::new(),
        order,
    };
    workflow.run.begin(graph, &input, context.branch().as_deref());
    let outcome = workflow.run_to_end().await;
    context.run().scheduler = None;
    workflow.stop().await;
    let is_aborted = invocation.run.is_aborted();
    if !outcome? || is_aborted {
        return Ok(());
    }
    workflow.finish().await
}

struct Workflow<'w> {
    node: &'w Arc<Node>,
    graph: &'w Graph,
    context: &'w Context,
    scheduler: Arc<Scheduler>,
    run: GraphRun,
    group: Group<Context>,
    /// What runs, in the order it was started.
    started: Vec<Started>,
    /// Earlier runs in the order they ended.
    order: Vec<Str>,
}

impl Workflow<'_> {
    /// False: a node failed, and nothing is to be made of the rest.
    async fn run_to_end(&mut self) -> Result<bool, Halt> {
        let abort = self.context.invocation().run.abort.clone();
        loop {
            if abort.is_cancelled() {
                return Ok(true);
            }
            self.start_ready().await?;
            if self.group.is_empty() {
                break;
            }
            let ended = {
                let ended = self.group.ended();
                let aborted = abort.cancelled();
                futures_util::pin_mut!(ended, aborted);
                match select(ended, aborted).await {
                    Either::Left((ended, _)) => ended,
                    Either::Right(_) => return Ok(true),
                }
            };
            step_back(WAITING_FOR_SEVERAL).await;
            if !self.take_ended(ended).await? {
                return Ok(false);
            }
        }
        self.wait_for_detached().await
    }

    async fn start_ready(&mut self) -> Result<(), Halt> {
        if self.run.has_waiting_task(self.graph) {
            return Ok(());
        }
        for name in self.run.triggered() {
            let is_running = self.started.iter().any(|started| started.name == name);
            if is_running || self.run.is_blocked(&name) {
                continue;
            }
            if self.graph.most_at_once.is_some_and(|most| self.started.len() >= most) {
                break;
            }
            if self.start(&name)? {
                self.mark_progress().await?;
            }
        }
        Ok(())
    }

    /// Starts a node with its next trigger. False: what it did earlier is taken again.
    fn start(&mut self, name: &Str) -> Result<bool, Halt> {
        let (Some(trigger), Some(node)) = (self.run.next_trigger(name), self.graph.node(name)) else {
            return Ok(false);
        };
        let path = self.context.node_path();
        let run_id = self.scheduler.next_run_id(path, name);
        let segment: Str = format!("{name}@{run_id}").into();
        let mut scope = node.is_task().then(|| joined(path, &segment));
        self.run.set_running(name);
        if let Some(past) = self.run.past(&segment).cloned() {
            scope = past.isolation_scope.clone().or(scope);
            let decision = decide(node, &past, None)?;
            let is_answered_transfer = decision.transfer_to.is_some()
                && !past.interrupts.is_empty()
                && past.interrupts.iter().all(|id| past.answers.contains_key(id));
            if !decision.runs && !is_answered_transfer {
                self.run.set_replayed(name);
            }
            self.scheduler.know_static(joined(path, &segment), past);
        }
        let run = RunNode {
            use_as_output: self.graph.terminal.contains(name),
            run_id: Some(run_id.clone()),
            has_own_run_id: true,
            use_sub_branch: trigger.use_sub_branch,
            branch: trigger.branch,
            isolation_scope: scope,
            ..RunNode::new(node.clone(), trigger.input)
        };
        let handle =
            self.context.invocation().spawn(|own| self.context.run_child(run.stopped_by(own.cancel)));
        let place = self.group.push(handle);
        self.started.push(Started { name: name.clone(), run_id, place });
        Ok(!self.run.is_replayed(name))
    }

    /// Takes up nodes that have ended, those of history in its order. False: one of them failed.
    async fn take_ended(&mut self, ended: Vec<(usize, Result<Context, Halt>)>) -> Result<bool, Halt> {
        let mut failed = self.take_batch(ended).await?;
        if !failed {
            return Ok(true);
        }
        // What ended beside the failure still counts.
        loop {
            let ended = self.group.ended_now().await;
            if ended.is_empty() {
                return Ok(!failed);
            }
            failed |= self.take_batch(ended).await?;
        }
    }

    async fn take_batch(&mut self, ended: Vec<(usize, Result<Context, Halt>)>) -> Result<bool, Halt> {
        let mut batch: Vec<(usize, Started, Result<Context, Halt>)> = Vec::new();
        for (place, result) in ended {
            let Some(at) = self.started.iter().position(|started| started.place == place) else { continue };
            let started = self.started.remove(at);
            let key = format!("{}@{}", started.name, started.run_id);
            let rank = self.order.iter().position(|known| **known == *key).unwrap_or(usize::MAX);
            batch.push((rank, started, result));
        }
        batch.sort_by_key(|(rank, ..)| *rank);
        let mut failed = false;
        for (_, started, result) in batch {
            let child = result?;
            let failure = {
                let ended = child.run();
                ended.error.clone().map(|failure| (failure, ended.error_path.clone()))
            };
            match failure {
                None => self.complete(&started.name, &child).await?,
                Some((failure, path)) => {
                    self.run.set_status(&started.name, Status::Failed);
                    let mut own = self.context.run();
                    if own.error.is_none() {
                        own.error = Some(failure);
                        own.error_path = path;
                    }
                    failed = true;
                }
            }
        }
        Ok(failed)
    }

    async fn complete(&mut self, name: &Str, child: &Context) -> Result<(), Halt> {
        let was_replayed = self.run.take_replayed(name);
        let (output, route, interrupts) = {
            let ended = child.run();
            (ended.output.clone(), ended.route.clone(), ended.interrupts.clone())
        };
        if !interrupts.is_empty() {
            self.scheduler.add_interrupts(interrupts.iter().cloned());
            self.run.set_waiting(name, interrupts);
            return self.mark_progress().await;
        }
        let waits = self.graph.node(name).is_some_and(|node| node.wait_for_output);
        if waits && output.is_none() && route.is_none() {
            self.run.set_waiting(name, Vec::new());
            return self.mark_progress().await;
        }
        let branch = child.invocation().branch;
        self.run.set_completed(name, output.clone(), branch.clone().unwrap_or_default());
        if was_replayed {
            self.tell_again(child, output.as_ref()).await?;
        } else {
            self.mark_progress().await?;
        }
        self.run.trigger_next(self.graph, name, output.as_ref(), route.as_ref(), branch.as_ref());
        Ok(())
    }

    /// In a resumable app, what was taken again is told again.
    async fn tell_again(&self, child: &Context, output: Option<&Value>) -> Result<(), Halt> {
        let invocation = self.context.invocation();
        let Some(output) = output.filter(|_| invocation.run.is_resumable) else { return Ok(()) };
        let mut event = invocation.event(self.node.name.clone());
        event.output = Some(output.to_json());
        event.node_info.path = NodePath::new(child.node_path().clone());
        invocation.enqueue(event).await
    }

    /// In a resumable app, the state of all nodes is told after each step.
    async fn mark_progress(&self) -> Result<(), Halt> {
        let nodes = self.run.progress();
        self.mark(EventActions {
            agent_state: Some(Object::from_iter([("nodes", nodes)])),
            ..EventActions::default()
        })
        .await
    }

    async fn mark(&self, actions: EventActions) -> Result<(), Halt> {
        let invocation = self.context.invocation();
        if !invocation.run.is_resumable {
            return Ok(());
        }
        let event = Event { actions, ..invocation.event(self.node.name.clone()) };
        invocation.enqueue(event).await
    }

    /// Waits for nodes that code started without waiting for them.
    async fn wait_for_detached(&mut self) -> Result<bool, Halt> {
        for running in self.scheduler.running() {
            let child = match running.await {
                Ok(child) => child,
                Err(Halt::Failed(failure)) => {
                    let path = self.context.node_path().clone();
                    let mut own = self.context.run();
                    own.error = Some(failure);
                    own.error_path = path;
                    return Ok(false);
                }
                Err(Halt::Cancelled | Halt::Interrupted) => continue,
            };
            let failure = {
                let ended = child.run();
                let asked = !ended.interrupts.is_empty();
                let detached = || {
                    (
                        Failure::new("RuntimeError", crate::adk_text::DETACHED_QUESTION),
                        child.node_path().clone(),
                    )
                };
                let failed = ended.error.clone().map(|failure| (failure, ended.error_path.clone()));
                failed.or_else(|| asked.then(detached))
            };
            if let Some((failure, path)) = failure {
                let mut own = self.context.run();
                own.error = Some(failure);
                own.error_path = path;
                return Ok(false);
            }
        }
        Ok(true)
    }

    async fn stop(&mut self) {
        self.group.stop().await;
        for running in self.scheduler.running() {
            let _ = running.await;
        }
    }

    async fn finish(&mut self) -> Result<(), Halt> {
        self.scheduler.add_interrupts(self.run.waiting_interrupts());
        let outputs: Vec<Value> =
            self.graph.terminal.iter().filter_map(|name| self.run.output(name)).cloned().collect();
        if !outputs.is_empty() {
            // The last node's event speaks for the workflow, too.
            self.context.run().is_output_delegated = true;
        }
        let interrupts = self.scheduler.interrupts();
        if !interrupts.is_empty() {
            self.context.run().interrupts = interrupts;
            return Ok(());
        }
        match outputs.as_slice() {
            [] => {}
            [output] => {
                let output = match output {
                    Value::Json(json) => Value::Json(checked_output(self.node, json.clone())?),
                    other => other.clone(),
                };
                self.context.set_output(output)?;
            }
            several => {
                let places = [("NAME", &*self.node.name), ("N", &*several.len().to_string())];
                return Err(
                    Failure::new("WorkflowConfigurationError", filled(SEVERAL_OUTPUTS, &places)).into()
                );
            }
        }
        self.mark(EventActions { end_of_agent: Some(true), ..EventActions::default() }).await
    }
}

fn joined(path: &str, segment: &str) -> Str {
    if path.is_empty() { segment.into() } else { format!("{path}/{segment}").into() }
}
