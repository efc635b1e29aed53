//! What the crate promises, through its public interface.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "tests read files, stop at the first surprise, and compare numbers that were only copied"
)]

mod adk;
mod claude;
mod counted;
mod detection;
mod dump;
mod facts;
mod formats;
mod growing;
mod journal;
mod robust;
mod sqlite_file;
mod support;
mod telemetry;
mod variants;
