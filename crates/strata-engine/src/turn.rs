//! What happens around a call: rules that a run goes by before and after a model is asked.
//!
//! | | |
//! |---|---|
//! | [`fn@route`] | which agent goes on |
//! | [`compaction`] | what is due to be summarised, and what the summariser is asked |
//! | [`gemini`] | what the Gemini class sends, and explicit caches |
//! | [`tool_calls`] | what results of tools become |
//! | [`Sessions`] | sessions with their state, as a service keeps them |
//! | [`fn@rewind`] | what taking back an invocation appends |
//! | [`is_final_response`] | which events end what an agent has to say |
//!
//! All of them are functions of recorded events and of answers that are handed in: ids, times and replies are
//! arguments. Whoever runs agents calls them; a recorded session is compiled by the same ones.

pub mod compaction;
mod final_response;
pub mod gemini;
mod rewind;
mod route;
mod sessions;
pub mod tool_calls;

pub use final_response::{is_final_response, text_of};
pub use rewind::{InvocationNotFound, Rewind, rewind};
pub use route::{Route, RouteError, RoutingState, interrupt_ids, invocation_of_answers, route};
pub use sessions::{EventLimit, SessionError, Sessions};
