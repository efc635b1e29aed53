//! What google-adk makes of an app and a session, and whether Strata makes the same of it.
//!
//! A *vector* is both in one JSON document: an app, a session, an invocation, and what google-adk gave for them, stage
//! by stage (`tests/conformance/FORMAT.md`). [`vector::check`] compares a vector with what Strata compiles.
//! Recorded vectors are run by the conformance suite. The program of this crate makes random ones: it invents the given
//! half, asks an installed google-adk for the expected half, and reduces what differs to the little that matters.

pub mod diff;
pub mod laws;
pub mod report;
pub mod scenario;
pub mod vector;
pub mod worker;

/// Why a vector did not pass: what differs, line by line.
pub type Failure = Vec<String>;

pub(crate) fn into_result(failure: Failure) -> Result<(), Failure> {
    if failure.is_empty() { Ok(()) } else { Err(failure) }
}
