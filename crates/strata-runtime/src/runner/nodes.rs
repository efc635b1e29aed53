//! Runs whose root is a node: a chat, a task, or a workflow.

use std::sync::Arc;

use futures_util::future::select;
use strata_model::app::AgentMode;
use strata_model::{Content, Object, Str};

use super::message::{self, answers_in};
use super::root::Root;
use super::sealing;
use super::telling::{End, hand_out, keep_of_node, may_run};
use crate::compaction;
use crate::context::{Context, InvocationContext};
use crate::halt::Halt;
use crate::hooks;
use crate::host::Value;
use crate::node::Scheduler;
use crate::queue::{Queue, QueueItem};
use crate::run_node::RunNode;
use crate::tasks::{Handle, step_back, until_cancelled};
use crate::turn::{EventSink, Turn};

pub(super) async fn run(
    root: &Root,
    mut invocation: InvocationContext,
    turn: Turn,
    sink: &dyn EventSink,
) -> Result<(), Halt> {
    let opening = Opening::new(root, &mut invocation, turn)?;
    let ended = answer(root, &mut invocation, opening, sink).await;
    close(root, &invocation, ended).await
}

/// What a run begins with, once it is known which invocation it belongs to.
struct Opening {
    message: Option<Content>,
    answers: Object,
    state_delta: Object,
    tells_user_message: bool,
    /// The invocation was named or found; else it is new.
    is_known: bool,
    /// The message goes on with a task that waited for it.
    joins_task: bool,
    /// What the invocation began with, where this run goes on with it.
    resumed: Option<Arc<Content>>,
}

impl Opening {
    fn new(root: &Root, invocation: &mut InvocationContext, turn: Turn) -> Result<Self, Halt> {
        let message = turn.message;
        if let Some(agent) = root.agent
            && root.mode() == AgentMode::Chat
        {
            let none = Content::default();
            message::choose_agent(invocation, agent, Some(message.as_ref().unwrap_or(&none)), None);
        }
        let answers = answers_in(message.as_ref());
        message::check(message.as_ref(), &answers)?;
        let mut id = turn.invocation_id.filter(|id| !id.is_empty());
        let mut joins_task = false;
        if let Some(message) = &message {
            match &id {
                None => {
                    id = message::answered_invocation(invocation, message)?;
                    if id.is_none() {
                        let open = message::open_task(&invocation.run.session.lock().live_events());
                        joins_task = open.is_some();
                        id = open.map(|task| task.invocation_id);
                    }
                }
                Some(_) if message::has_responses(message) => id = message::resumed_by(invocation, message)?,
                Some(_) => {}
            }
        }
        invocation.id = id.clone().unwrap_or_else(|| new_invocation_id(invocation));
        restore_branch(root, invocation, id.as_deref());
        let is_resumed = (id.is_some() || !answers.is_empty()) && !joins_task;
        let resumed = is_resumed.then(|| message::first_message(invocation, &invocation.id)).flatten();
        if resumed.is_some() {
            invocation.user_content.clone_from(&resumed);
        }
        Ok(Self {
            message,
            answers,
            state_delta: turn.state_delta,
            tells_user_message: turn.tells_user_message,
            is_known: id.is_some(),
            joins_task,
            resumed,
        })
    }
}

fn new_invocation_id(invocation: &InvocationContext) -> Str {
    format!("e-{}", invocation.run.new_id()).into()
}

/// The branch of an agent that goes on is looked for in the invocation it goes on with.
fn restore_branch(root: &Root, invocation: &mut InvocationContext, id: Option<&str>) {
    let (Some(top), Some(agent)) = (root.agent, invocation.agent) else { return };
    invocation.branch = message::branch_of(invocation, top, agent, id);
}

async fn answer(
    root: &Root,
    invocation: &mut InvocationContext,
    opening: Opening,
    sink: &dyn EventSink,
) -> Result<(), End> {
    let (input, answers) = take_message(root, invocation, opening, sink).await?;
    if !may_run(invocation, sink).await? {
        return Ok(());
    }
    let work = start(root, invocation, input, answers);
    let drained = drain(invocation, sink).await;
    work.cancel();
    let ended = work.await;
    drained?;
    match ended {
        // It was stopped because it was aborted.
        Err(Halt::Cancelled) if !invocation.cancel.is_cancelled() => {}
        ended => ended?,
    }
    if invocation.run.is_aborted() {
        for event in sealing::seal(root, invocation).await? {
            hand_out(sink, event).await?;
        }
    }
    Ok(())
}

/// Takes up what the user said. Gives what the root node is given, and the answers in it.
async fn take_message(
    root: &Root,
    invocation: &mut InvocationContext,
    opening: Opening,
    sink: &dyn EventSink,
) -> Result<(Value, Object), End> {
    let Opening { message, mut answers, state_delta, tells_user_message, is_known, mut joins_task, resumed } =
        opening;
    let said = message.filter(|_| !answers.is_empty() || joins_task || resumed.is_none());
    let mut input = resumed.or_else(|| said.clone().map(Arc::new));
    let stored = if let Some(said) = said {
        let replaced = hooks::on_user_message(invocation, &said).await?;
        let is_replaced = replaced.is_some();
        let said = replaced.unwrap_or(said);
        if is_replaced {
            answers = answers_in(Some(&said));
            message::check(Some(&said), &answers)?;
            if !is_known && let Some(id) = message::answered_invocation(invocation, &said)? {
                invocation.id = id;
                joins_task = false;
            }
            if answers.is_empty() || joins_task {
                input = Some(Arc::new(said.clone()));
                invocation.user_content.clone_from(&input);
            } else if let Some(first) = message::first_message(invocation, &invocation.id) {
                input = Some(first);
                invocation.user_content.clone_from(&input);
            }
        }
        message::check_calls(&said)?;
        let stored = message::store(invocation, Some(said), &state_delta).await?;
        if is_replaced
            && let Some(agent) = root.agent
            && root.mode() == AgentMode::Chat
        {
            let id = invocation.id.clone();
            message::choose_agent(invocation, agent, None, Some(&id));
        }
        Some(stored)
    } else if !state_delta.is_empty() {
        Some(message::store(invocation, None, &state_delta).await?)
    } else {
        None
    };
    if let Some(stored) = stored.filter(|_| tells_user_message) {
        hand_out(sink, stored).await?;
    }
    Ok((input.map_or(Value::NONE, Value::Content), answers))
}

/// Starts the root node beside the loop that drains its events.
fn start(root: &Root, invocation: &InvocationContext, input: Value, answers: Object) -> Handle<()> {
    let program = &root.program;
    let node = match invocation.agent {
        Some(agent) => program.root_agent_node(agent),
        None => program.root().clone(),
    };
    let above = Context::above_root(invocation);
    let is_alone = root.agent.is_some_and(|agent| program.index().sub_agents(agent).is_empty());
    if !is_alone {
        above.run().scheduler = Some(Arc::new(Scheduler::new()));
    }
    let resume_inputs = Some(answers).filter(|answers| !answers.is_empty());
    let run = RunNode { resume_inputs, ..RunNode::new(node, input) };
    invocation.spawn(|own| async move {
        above.set_cancel(own.cancel.clone());
        let ended = above.run_child(run.stopped_by(own.cancel.clone())).await;
        above.run().scheduler = None;
        if let Some(queue) = &own.run.queue {
            queue.push_done();
        }
        match ended {
            Ok(child) => match child.run().error.clone() {
                Some(failure) => Err(Halt::Failed(failure)),
                None => Ok(()),
            },
            Err(Halt::Interrupted) => Ok(()),
            Err(halt) => Err(halt),
        }
    })
}

/// Stores and hands out the events of nodes, one at a time, until the root node has ended.
async fn drain(invocation: &InvocationContext, sink: &dyn EventSink) -> Result<(), End> {
    let Some(queue) = &invocation.run.queue else { return Ok(()) };
    while let Some(item) = next_item(invocation, queue).await? {
        let QueueItem::Event { event, stored } = item else { return Ok(()) };
        let kept = keep_of_node(invocation, *event).await?;
        hand_out(sink, kept).await?;
        if let Some(stored) = stored {
            // Its producer may have been stopped.
            let _ = stored.send(());
        }
    }
    Ok(())
}

/// The next item; `None`: the run was aborted, and nothing is left.
async fn next_item(invocation: &InvocationContext, queue: &Queue) -> Result<Option<QueueItem>, Halt> {
    /// Steps between an item's arrival and going on with it.
    const GETTING: usize = 2;
    if let Some(item) = queue.try_next() {
        return Ok(Some(item));
    }
    let abort = &invocation.run.abort;
    step_back(1).await;
    if !queue.is_filled() {
        let filled = queue.filled();
        let aborted = abort.cancelled();
        futures_util::pin_mut!(filled, aborted);
        until_cancelled(&invocation.cancel, select(aborted, filled)).await?;
    }
    step_back(GETTING).await;
    Ok(queue.try_next())
}

/// Ends a run: what was left open by an abort is closed, plugins are told, and the history is summarised.
async fn close(root: &Root, invocation: &InvocationContext, ended: Result<(), End>) -> Result<(), Halt> {
    let is_unwanted = matches!(ended, Err(End::Unwanted));
    if let Err(End::Halt(halt)) = ended {
        if let Halt::Failed(failure) = &halt {
            hooks::run_failed(invocation, failure).await;
        }
        if invocation.run.is_aborted() {
            // The failure at hand goes before what closing it might add.
            let _ = sealing::seal(root, invocation).await;
        }
        return Err(halt);
    }
    if invocation.run.is_aborted() {
        let _ = sealing::seal(root, invocation).await;
    }
    let closed = finish(root, invocation).await;
    if let Err(Halt::Failed(failure)) = &closed {
        hooks::run_failed(invocation, failure).await;
    }
    if is_unwanted { Ok(()) } else { closed }
}

async fn finish(root: &Root, invocation: &InvocationContext) -> Result<(), Halt> {
    hooks::after_run(invocation).await?;
    if invocation.run.is_aborted() {
        return Ok(());
    }
    compaction::after_run(invocation, root.agent).await
}
