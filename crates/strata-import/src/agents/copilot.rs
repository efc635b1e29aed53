//! Copilot CLI: the log of a session's events, and the document of the first versions.

mod log;
mod reader;

pub(crate) use reader::{is_log, reader};
