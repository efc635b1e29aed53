//! Requests to models as clients sent them, in any dialect.

mod body;
mod llm_request;

pub use body::{is_request, request_body, unbatch};
pub use llm_request::request_of;
