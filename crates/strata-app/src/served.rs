//! An app that is served: its agents answer clients over several protocols, with one context behind all of them.
//!
//! ```text
//! a2a_door, http_door, mcp_door ── what clients send, and what they are told
//!   └─ server         ── a request: its context, its task, its turn
//!        ├─ talk      ── the run of a context: one session of the store, turn by turn
//!        ├─ live      ── tasks that run now: who listens, how they are stopped
//!        ├─ agents    ── who can be asked
//!        └─ summary   ── what becomes of messages that are no longer kept
//! ```
//!
//! What a context is and what may happen to it are the rules of strata-context; the store applies them, a transaction a
//! request. Here they meet agents that run.

mod a2a_door;
mod a2a_send;
mod a2a_task;
mod agents;
mod answer;
mod choice;
mod clock;
mod http_door;
mod live;
mod mcp_door;
mod server;
mod talk;
#[cfg(test)]
mod tests;
mod turn;

pub use a2a_door::{A2aReply, agent_card, answer_a2a};
pub use agents::{ServedAgent, is_app};
pub use answer::{Answer, AnswerStatus, Ask, Asker, ServeError, WaitingTool};
pub use choice::ServeChoice;
pub use clock::{ContextClock, SystemClock, now};
pub use http_door::{HttpAnswer, HttpAsk, answer_http, context_over_http};
pub use mcp_door::{McpAnswer, McpTask, TOOL_SCHEMA, answer_mcp};
pub use server::ServedApp;
pub use strata_context::{Door, IdPlace, Millis, Principal};
