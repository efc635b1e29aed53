//! Agents that run inside of Strata: what the runtime asks of the world around it, and the session that grows while
//! they do.
//!
//! ```text
//! running ── an app in a session, turn by turn
//!   ├─ recording   the session: one transaction an event, with the request it answers
//!   ├─ sent        what was sent, call by call
//!   ├─ hold        what stands between a compiled request and its sending
//!   ├─ models      who answers: a server, a script, an echo; within a budget
//!   └─ code        what the app does by itself: tools, and nodes that are functions
//! ```

mod budget;
mod choice;
mod code;
mod computer;
mod hold;
#[cfg(test)]
mod laws;
mod listener;
mod models;
mod prepare;
mod recording;
mod running;
mod scripted;
mod sent;
mod server;
mod tools;

pub use budget::RunLimits;
pub use choice::{ModelChoice, RunChoice};
pub use hold::{Continuation, HeldReport, HoldCondition, HoldDecision, Holder};
pub use listener::{Person, RunListener, RunNews};

pub(crate) use hold::HoldGate;
pub(crate) use prepare::{World, prepare};
pub(crate) use recording::{OwnStore, RunStore};
pub(crate) use running::{Place, Run, TurnEnd, answered, said, waiting};
pub(crate) use sent::{Answered, SentCall};
pub(crate) use tools::RecordedAnswers;
