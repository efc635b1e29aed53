//! What agents and their clients say to one another by the Agent2Agent protocol, in its versions 1.0 and 0.3.
//!
//! Both carry the same over JSON-RPC: 0.3 says what a thing is in a member `kind`, 1.0 by which member is there. A call is
//! read by how its method is spelled, whichever version its header names; what is written is of the version of the call.

mod card;
mod error;
mod message;
mod read;
mod task;
mod version;

pub use card::{AgentCard, Skill};
pub use error::{A2aError, A2aFault};
pub use message::{A2aMessage, A2aPart, A2aRole};
pub use read::{A2aCall, A2aRequest, SendOptions, read_call};
pub use task::{A2aArtifact, A2aState, A2aTask, StreamItem};
pub use version::A2aVersion;

use strata_model::{Json, Object};

/// The answer to a call.
pub fn result(id: &Json, result: Json) -> Json {
    Object::from_iter([("jsonrpc", Json::from("2.0")), ("id", id.clone()), ("result", result)]).into()
}
