//! Writing sessions: staged bit by bit, made visible all at once.
//!
//! ```text
//! begin_import
//!     for each session of the source, one after the other or side by side:
//!         open_recording, append some events, append more, append requests, close_recording
//! commit: every session appears       (or cancel: no trace is left)
//! ```
//!
//! Each call writes in a short transaction of its own, so that an import of hundreds of megabytes neither keeps other
//! programs from writing nor the file from being read. Readers see sessions, and a session refers to a recording; what
//! is staged is a recording that no session refers to. `commit` is one small transaction that makes them refer to it.

mod append;
mod commit;
mod complete;
mod new;
mod prepared;
mod staged;
mod writer;

pub use append::Growth;
pub use new::{ImportedSession, Listing, NewEvent};
pub use staged::Recording;
pub use writer::ImportWriter;
