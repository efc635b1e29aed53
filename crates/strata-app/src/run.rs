//! Agents that run inside of Strata: what the runtime asks of the world around it, and the session that grows while
//! they do.
//!
//! ```text
//! running ── an app in a session, turn by turn
//!   ├─ recording   the session: one transaction an event, with the request it answers
//!   ├─ sent        what was sent, call by call
//!   ├─ recorded_turn  a turn of another session that is taken again, up to one of its calls
//!   ├─ gate        what stands between a compiled request and its sending
//!   ├─ hold        on what calls are held, and what becomes of them
//!   ├─ models      who answers: a server, a script, an echo; within a budget
//!   ├─ code        what the app does by itself: tools, and nodes and callbacks that are functions
//!   ├─ toolsets    tools of other programs and servers
//!   ├─ deeds       what is started and reached for them, before it is
//!   └─ services    what outlives the run: files and memory
//! ```

mod app_tree;
mod budget;
mod callbacks;
mod choice;
mod code;
mod computer;
mod deeds;
mod gate;
mod hold;
#[cfg(test)]
mod laws;
mod listener;
mod models;
mod prepare;
mod recorded_turn;
mod recording;
mod running;
mod script_code;
mod scripted;
mod sent;
mod server;
mod services;
mod tools;
mod toolsets;
mod typed;

pub(crate) use budget::LARGER_BUDGET;
pub use budget::RunLimits;
pub use choice::{FromCall, ModelChoice, RunChoice};
pub(crate) use computer::Computer;
pub(crate) use deeds::Deeds;
pub use hold::{Continuation, HeldEdit, HeldReport, HoldCondition, HoldDecision, Holder, Step};
pub use listener::{Person, RunListener, RunNews};
pub use typed::{messages_in, named_state, named_values};

pub(crate) use hold::{Holds, Nobody, Speaker, edited};
pub(crate) use prepare::{World, prepare};
pub(crate) use recorded_turn::{Beginning, RecordedTurn};
pub(crate) use recording::{OwnStore, RunStore, WaitingCall};
pub(crate) use running::{Place, Run, TurnEnd, program_of, said};
pub(crate) use scripted::Script;
pub(crate) use sent::{Answered, SentCounts, ToldCall};
pub(crate) use tools::{RecordedAnswers, ToolScript};
pub(crate) use toolsets::deeds;
pub(crate) use typed::typed_value;
