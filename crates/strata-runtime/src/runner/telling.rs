//! From an event that was made to the one that is stored and received.

use std::sync::Arc;

use strata_model::Event;

use crate::context::InvocationContext;
use crate::halt::{Failure, Halt};
use crate::hooks;
use crate::turn::{EventSink, Reception};

/// Why a run ends before its work is done.
#[derive(Debug)]
pub(super) enum End {
    /// Whoever received its events wants no more.
    Unwanted,
    Halt(Halt),
}

impl From<Halt> for End {
    fn from(halt: Halt) -> Self {
        Self::Halt(halt)
    }
}

impl From<Failure> for End {
    fn from(failure: Failure) -> Self {
        Self::Halt(failure.into())
    }
}

/// Hands an event out that is stored already, or is never stored.
pub(super) async fn hand_out(sink: &dyn EventSink, event: Arc<Event>) -> Result<(), End> {
    match sink.receive(event).await {
        Reception::GoOn => Ok(()),
        Reception::Stop => Err(End::Unwanted),
    }
}

/// Asks the plugins about an event and stores what they leave of it.
pub(super) async fn keep(invocation: &InvocationContext, event: Event) -> Result<Arc<Event>, Halt> {
    let event = hooks::on_event(invocation, event).await?;
    Ok(invocation.run.append(event).await?)
}

/// As [`keep`], for events of nodes: a message that is the output stands for it.
pub(super) async fn keep_of_node(invocation: &InvocationContext, event: Event) -> Result<Arc<Event>, Halt> {
    let mut event = hooks::on_event(invocation, event).await?;
    let is_message = event.node_info.message_as_output == Some(true) && event.content.is_some();
    if is_message && event.partial != Some(true) {
        event.output = None;
    }
    Ok(invocation.run.append(event).await?)
}

/// Asks the plugins what they answer in place of the run. False: they have answered.
pub(super) async fn may_run(invocation: &InvocationContext, sink: &dyn EventSink) -> Result<bool, End> {
    let Some(content) = hooks::before_run(invocation).await? else { return Ok(true) };
    let event = Event { content: Some(Arc::new(content)), branch: None, ..invocation.event("model".into()) };
    let stored = keep(invocation, event).await?;
    hand_out(sink, stored).await?;
    Ok(false)
}
