//! What agents ask about their own contexts: a server of the Model Context Protocol with ten tools.
//!
//! A question names a session, by its id or a part of its title, or none, and then the session of whoever asks is found
//! ([`own`]). The session is read where it lies and kept open for the next questions ([`knows`]); the documents of
//! strata-app answer ([`tools`]). An answer is a head and rows, and goes out in pages that fit into a prompt
//! ([`page`]).
//!
//! The agents of a served app are tools by the same protocol ([`agents`]): they are no questions, and what they do is
//! theirs.
//!
//! Of the ten, nothing is written, and no path is taken from who asks. What was recorded is quoted as data, without secrets and without
//! characters that command a terminal.

mod agents;
mod answer;
mod arguments;
mod asked;
mod http;
mod knows;
mod own;
mod page;
mod server;
mod spec;
mod stdio;
mod symbols;
mod token;
mod tools;

use std::path::PathBuf;

pub use agents::{Caller, agents};
pub use http::{Listening, http};
pub use stdio::stdio;

/// What a server is started with.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The store, instead of the one in the data folder.
    pub database: Option<PathBuf>,
}
