//! Requests to models as clients sent them, in any dialect.

mod body;
mod cache_marks;
mod llm_request;

pub use body::{beside_messages, is_request, request_body, unbatch};
pub use llm_request::{contents_of_turns, head_of, is_held_elsewhere, request_of};
