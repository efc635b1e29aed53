//! An agent that runs others side by side, each on a branch of its own.

use std::sync::Arc;

use strata_engine::branch;
use strata_model::{Agent, Event, Object};
use tokio::sync::oneshot;

use crate::agent_mark::AgentMark;
use crate::context::InvocationContext;
use crate::event_rules::pauses;
use crate::events::Outlet;
use crate::halt::Halt;
use crate::tasks::Handle;

/// An event of a member, and whom to tell that it was taken.
struct MemberEvent {
    event: Event,
    taken: oneshot::Sender<()>,
}

enum Message {
    Told(Box<MemberEvent>),
    Ended(Result<(), Halt>),
}

type Messages = tokio::sync::mpsc::UnboundedSender<Message>;

pub(super) async fn work(
    invocation: &InvocationContext,
    agent: &Arc<Agent>,
    outlet: &Outlet,
) -> Result<(), Halt> {
    let index = invocation.index();
    let members = index.sub_agents(invocation.agent_id()?).to_vec();
    if members.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = members.iter().map(|id| index.agent(*id).name.clone()).collect();
    let mark = AgentMark::of(invocation, &agent.name);
    let is_resumable = invocation.run.is_resumable;
    if is_resumable && mark.state().is_none() {
        mark.set_state(Object::new());
        outlet.emit(mark.event()).await;
    }
    let (sender, mut messages) = tokio::sync::mpsc::unbounded_channel();
    let mut handles = Vec::new();
    // Whoever lets go of this agent lets go of its members.
    let all = invocation.cancel.child_token();
    let _stops_all = all.clone().drop_guard();
    for (id, name) in members.iter().zip(&names) {
        if invocation.run.marks.lock().has_ended(name) {
            continue;
        }
        let mut own = InvocationContext { cancel: all.clone(), ..invocation.clone() };
        let segment = format!("{}.{name}", agent.name);
        own.branch = Some(branch::sub_branch(invocation.branch.as_deref(), &segment).into());
        let (id, sender) = (*id, sender.clone());
        handles.push(own.spawn(move |own| async move {
            let ended = member(&own, id, &sender).await;
            // Whoever listened may have left.
            let _ = sender.send(Message::Ended(ended));
            Ok(())
        }));
    }
    drop(sender);
    let mut n_running = handles.len();
    let mut has_escalated = false;
    let mut has_paused = false;
    let outcome = loop {
        if n_running == 0 {
            break Ok(());
        }
        let message = match invocation.wait(messages.recv()).await {
            Ok(Some(message)) => message,
            Ok(None) => break Ok(()),
            Err(halt) => break Err(halt),
        };
        match message {
            Message::Ended(Err(halt)) => break Err(halt),
            Message::Ended(Ok(())) => n_running -= 1,
            Message::Told(told) => {
                let watched = told.event.clone();
                outlet.emit(told.event).await;
                has_paused |= pauses(&invocation.run.session.lock(), &watched);
                if watched.actions.escalate == Some(true) && names.contains(&watched.author) {
                    has_escalated = true;
                    break Ok(());
                }
                let _ = told.taken.send(());
            }
        }
    };
    stop(handles).await;
    outcome?;
    if has_paused || !is_resumable {
        return Ok(());
    }
    let have_all_ended = {
        let marks = invocation.run.marks.lock();
        names.iter().all(|name| marks.has_ended(name))
    };
    if has_escalated || have_all_ended {
        outlet.emit(mark.end_event()).await;
    }
    Ok(())
}

/// Runs a member; it goes on only when its event was taken.
async fn member(
    invocation: &InvocationContext,
    agent: strata_engine::AgentId,
    messages: &Messages,
) -> Result<(), Halt> {
    let mut events = invocation.events_of(agent);
    while let Some(event) = events.next().await? {
        let (taken, was_taken) = oneshot::channel();
        if messages.send(Message::Told(Box::new(MemberEvent { event, taken }))).is_err() {
            return Err(Halt::Cancelled);
        }
        if invocation.wait(was_taken).await?.is_err() {
            return Err(Halt::Cancelled);
        }
    }
    Ok(())
}

async fn stop(handles: Vec<Handle<()>>) {
    handles.iter().for_each(Handle::cancel);
    for handle in handles {
        let _ = handle.await;
    }
}
