//! One run of a node: its attempts, its events, and what it comes to.

use std::sync::Arc;

use strata_engine::branch;
use strata_model::{Event, EventActions, NodePath, Object, Str};
use tokio_util::sync::CancellationToken;

use super::history::{ScanScope, states};
use crate::adk_text::{NODE_TIMED_OUT, filled};
use crate::context::{Context, InvocationContext, NodeScope};
use crate::events::Events;
use crate::halt::{Failure, Halt};
use crate::host::Value;
use crate::program::Node;

/// What a run begins with.
pub(super) struct Start {
    pub(super) node: Arc<Node>,
    pub(super) parent: Context,
    pub(super) run_id: Str,
    pub(super) input: Value,
    pub(super) resume_inputs: Option<Object>,
    pub(super) is_parents_output: bool,
    pub(super) use_sub_branch: bool,
    pub(super) branch: Option<Str>,
    pub(super) isolation_scope: Option<Str>,
    /// Stops it; absent: what stops the node that starts it.
    pub(super) cancel: Option<CancellationToken>,
}

/// The path of a run. An agent that starts a turn has the agents above it in its path, though they do not run.
pub(super) fn path_of(node: &Node, run_id: &str, parent: &Context) -> Str {
    let own = format!("{}@{run_id}", node.name);
    if !parent.node_path().is_empty() {
        return format!("{}/{own}", parent.node_path()).into();
    }
    let Some(agent) = node.agent() else { return own.into() };
    let program = parent.invocation().run.program.clone();
    let index = program.index();
    let mut segments: Vec<String> = std::iter::successors(index.parent(agent.id), |id| index.parent(*id))
        .map(|id| format!("{}@1", index.agent(id).name))
        .collect();
    segments.reverse();
    segments.push(own);
    segments.join("/").into()
}

/// Runs a node until it has ended, and gives its context.
pub(super) async fn run(start: Start) -> Result<Context, Halt> {
    let mut attempt = 1;
    loop {
        let context = child_context(&start, attempt)?;
        let scheduler = context.run().scheduler.clone();
        let before = start
            .node
            .retry
            .as_ref()
            .and(scheduler.as_ref())
            .map(|known| known.snapshot(context.node_path()));
        let ended = match execute(&start, &context).await {
            Err(Halt::Interrupted) | Ok(()) => {
                let failure = context.run().error.clone();
                if match &failure {
                    None => true,
                    Some(failure) => !retry(&start, failure, attempt).await?,
                } {
                    flush(&context).await
                } else {
                    attempt += 1;
                    continue;
                }
            }
            Err(halt) => Err(halt),
        };
        match ended {
            Ok(()) => return Ok(context),
            Err(Halt::Interrupted) => return Ok(context),
            Err(Halt::Cancelled) => return Err(Halt::Cancelled),
            Err(Halt::Failed(failure)) => match &failure.child {
                // The child's own run has told of it.
                Some(child) => {
                    if !retry(&start, &child.failure, attempt).await? {
                        fail(&context, child.failure.clone(), child.node_path.clone());
                        return Ok(context);
                    }
                    if let (Some(scheduler), Some(before)) = (scheduler, before) {
                        scheduler.restore(context.node_path(), before);
                    }
                }
                None => {
                    let event = Event {
                        error_code: Some(failure.status.clone().unwrap_or_else(|| failure.kind.clone())),
                        error_message: Some(failure.text().into()),
                        ..Event::default()
                    };
                    enqueue(event, &context).await?;
                    if !retry(&start, &failure, attempt).await? {
                        let path = context.node_path().clone();
                        fail(&context, failure, path);
                        return Ok(context);
                    }
                }
            },
        }
        attempt += 1;
    }
}

fn fail(context: &Context, failure: Failure, path: Str) {
    let mut run = context.run();
    run.error = Some(failure);
    run.error_path = path;
}

fn child_context(start: &Start, attempt: u32) -> Result<Context, Halt> {
    let mut invocation = start.parent.invocation();
    if let Some(cancel) = &start.cancel {
        invocation.cancel = cancel.clone();
    }
    let base = start.branch.clone().or_else(|| invocation.branch.clone());
    let node_path = path_of(&start.node, &start.run_id, &start.parent);
    if start.use_sub_branch {
        let segment = format!("{}@{}", start.node.name, start.run_id);
        invocation.branch = Some(branch::sub_branch(base.as_deref(), &segment).into());
    } else if start.branch.is_some() {
        invocation.branch = base;
    }
    let resume_inputs = recovered_answers(&invocation, &node_path, start.resume_inputs.as_ref())?;
    let context = Context::of_node(NodeScope {
        invocation,
        parent: start.parent.clone(),
        node: start.node.clone(),
        node_path,
        run_id: start.run_id.clone(),
        attempt,
        resume_inputs,
        is_parents_output: start.is_parents_output,
    });
    if start.isolation_scope.is_some() {
        context.run().isolation_scope.clone_from(&start.isolation_scope);
    }
    Ok(context)
}

/// Answers to what this path has asked earlier in the invocation, and those given with the run.
fn recovered_answers(
    invocation: &InvocationContext,
    node_path: &str,
    given: Option<&Object>,
) -> Result<Object, Halt> {
    let given = given.cloned().unwrap_or_default();
    let events = {
        let session = invocation.run.session.lock();
        session.live_events_of(&invocation.id)
    };
    let Some((_, past)) = states(&events, ScanScope::Run(node_path))?.into_iter().next() else {
        return Ok(given);
    };
    let mut answers = past.answers;
    answers.update(&given);
    Ok(answers)
}

async fn execute(start: &Start, context: &Context) -> Result<(), Halt> {
    let Some(seconds) = start.node.timeout else {
        return run_events(start.node.clone(), context.clone(), start.input.clone()).await;
    };
    let invocation = context.invocation();
    let (node, input) = (start.node.clone(), start.input.clone());
    let own = context.clone();
    let mut handle = invocation.spawn(|task| {
        own.set_cancel(task.cancel);
        run_events(node, own.clone(), input)
    });
    let timer = invocation.run.host.clock.sleep(seconds);
    let ended = {
        futures_util::pin_mut!(timer);
        match futures_util::future::select(&mut handle, timer).await {
            futures_util::future::Either::Left((result, _)) => Some(result),
            futures_util::future::Either::Right(_) => None,
        }
    };
    context.set_cancel(invocation.cancel.clone());
    if let Some(result) = ended {
        return result;
    }
    handle.cancel();
    // It stops at its next wait; what it comes to after all is no longer wanted.
    let _ = handle.await;
    let seconds = strata_model::python::float_repr(seconds);
    let places = [("NAME", &*start.node.name), ("SECONDS", &*seconds)];
    Err(Failure::new("NodeTimeoutError", filled(NODE_TIMED_OUT, &places)).into())
}

/// Takes up what a node gives, event by event.
async fn run_events(node: Arc<Node>, context: Context, input: Value) -> Result<(), Halt> {
    let execution = context.invocation().run.execution.clone();
    let mut events = Events::new(|outlet| execution.work(node, context.clone(), input, outlet));
    while let Some(event) = events.next().await? {
        track(&event, &context)?;
        enqueue(event, &context).await?;
        if context.invocation().run.is_aborted() {
            break;
        }
    }
    Ok(())
}

/// Notes what an event means for its node.
fn track(event: &Event, context: &Context) -> Result<(), Halt> {
    if let Some(output) = &event.output {
        context.set_output(output.clone())?;
    } else if event.node_info.message_as_output == Some(true)
        && let Some(content) = &event.content
    {
        context.set_output(Value::Content(content.clone()))?;
    }
    context.add_interrupts(event.long_running_tool_ids.iter().flatten().cloned());
    let is_own = event.author.is_empty() || context.node().is_some_and(|node| node.name == event.author);
    if is_own {
        if let Some(route) = &event.actions.route {
            context.set_route(route.clone());
            context.run().is_route_emitted = true;
        }
        if let Some(target) = &event.actions.transfer_to_agent {
            context.run().transfer_to = Some(target.clone());
        }
    }
    for (key, value) in event.actions.state_delta.iter() {
        context.check_state(key, value)?;
    }
    Ok(())
}

/// Makes an event one of the node's, and puts it into the queue.
async fn enqueue(mut event: Event, context: &Context) -> Result<(), Halt> {
    if event.output.is_some() && context.run().is_output_delegated {
        if event.actions.state_delta.is_empty() && event.actions.artifact_delta.is_empty() {
            return Ok(());
        }
        event.output = None;
    }
    enrich(&mut event, context);
    if event.partial != Some(true) {
        let (state, artifacts) = context.take_deltas();
        event.actions.state_delta.update(&state);
        event.actions.artifact_delta.update(&artifacts);
    }
    let has_output = event.output.is_some();
    let is_message = event.node_info.message_as_output == Some(true);
    context.invocation().enqueue(event).await?;
    let mut run = context.run();
    run.is_output_emitted |= has_output;
    run.is_output_delegated |= is_message;
    Ok(())
}

/// Tells what no event has told yet.
async fn flush(context: &Context) -> Result<(), Halt> {
    let (output, route) = {
        let run = context.run();
        let is_open = !run.is_output_emitted && !run.is_output_delegated;
        let output = run.output.clone().filter(|_| is_open);
        (output, run.route.clone().filter(|_| !run.is_route_emitted))
    };
    let (state_delta, artifact_delta) = context.take_deltas();
    if output.is_none() && route.is_none() && state_delta.is_empty() && artifact_delta.is_empty() {
        return Ok(());
    }
    let (has_output, has_route) = (output.is_some(), route.is_some());
    let has_deltas = !state_delta.is_empty() || !artifact_delta.is_empty();
    let mut event = Event {
        output: output.map(|output| output.to_json()),
        // With changes to tell, the event's actions are made anew, without the route.
        actions: EventActions {
            state_delta,
            artifact_delta,
            route: route.filter(|_| !has_deltas),
            ..EventActions::default()
        },
        ..Event::default()
    };
    enrich(&mut event, context);
    context.invocation().enqueue(event).await?;
    let mut run = context.run();
    run.is_output_emitted |= has_output;
    run.is_route_emitted |= has_route;
    Ok(())
}

fn enrich(event: &mut Event, context: &Context) {
    let invocation = context.invocation();
    if event.id.is_empty() {
        event.id = invocation.run.new_id();
        event.timestamp = invocation.run.now();
    }
    let (author, scope, output_for) = {
        let run = context.run();
        (run.event_author.clone(), run.isolation_scope.clone(), run.output_for.clone())
    };
    event.author = if author.is_empty() {
        context.node().map(|node| node.name.clone()).unwrap_or_default()
    } else {
        author
    };
    event.invocation_id = invocation.id.clone();
    event.node_info.path = NodePath::new(context.node_path().clone());
    match event.branch.as_deref() {
        None => event.branch.clone_from(&invocation.branch),
        Some("") => {
            event.branch = None;
            context.set_branch(None);
        }
        Some(_) => context.set_branch(event.branch.clone()),
    }
    if event.output.is_some() {
        let own = std::iter::once(context.node_path().clone());
        event.node_info.output_for = Some(own.chain(output_for.iter().cloned()).collect());
        let has_responses = event.function_responses().next().is_some();
        if !output_for.is_empty()
            && !has_responses
            && let Some(claimer) = claimer(context)
        {
            event.branch = claimer.invocation().branch;
        }
    }
    if event.isolation_scope.is_none() {
        event.isolation_scope = scope;
    }
}

/// The outermost node that took this one's output for its own by running it for that; what a graph passes on does not
/// count, unless it stays on the graph's branch.
fn claimer(context: &Context) -> Option<Context> {
    let branch = |context: &Context| context.invocation().branch.filter(|branch| !branch.is_empty());
    let mut current = context.clone();
    let mut claimer = None;
    loop {
        if current.run().output_for.is_empty() {
            return claimer;
        }
        let Some(parent) = current.parent().cloned() else { return claimer };
        if parent.node().is_some_and(|node| node.is_workflow()) {
            if branch(&current) != branch(&parent) {
                return claimer;
            }
            current = parent;
        } else {
            claimer = Some(parent.clone());
            current = parent;
        }
    }
}

/// Waits before the next attempt, if there is one.
async fn retry(start: &Start, failure: &Failure, attempt: u32) -> Result<bool, Halt> {
    let Some(retry) = &start.node.retry else { return Ok(false) };
    if i64::from(attempt) >= retry.max_attempts.unwrap_or(5) {
        return Ok(false);
    }
    if retry.exceptions.as_ref().is_some_and(|names| !failure.is_one_of(names)) {
        return Ok(false);
    }
    let invocation = start.parent.invocation();
    let most = retry.max_delay.unwrap_or(60.0);
    let factor = retry.backoff_factor.unwrap_or(2.0);
    let jitter = retry.jitter.unwrap_or(1.0);
    let mut delay = retry.initial_delay.unwrap_or(1.0) * factor.powi(attempt as i32 - 1);
    if jitter > 0.0 {
        delay = delay.min(most / (1.0 + jitter));
        delay = (delay + invocation.run.host.chance.spread() * jitter * delay).max(0.0);
    }
    let cancel = start.cancel.as_ref().unwrap_or(&invocation.cancel);
    crate::tasks::until_cancelled(cancel, invocation.run.host.clock.sleep(delay.min(most))).await?;
    Ok(true)
}
