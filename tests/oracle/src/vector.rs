//! Vectors, as `tests/conformance/FORMAT.md` describes them.

mod adapter;
mod cache;
mod compaction;
mod compile;
mod config;
mod events;
pub mod given;
mod memory_search;
mod outcome;
mod rewind;
mod route;
mod stages;
mod state;
mod then;
mod tool_result;

use strata_model::Json;

use crate::Failure;

/// Whether Strata does what the vector says google-adk did.
pub fn check(vector: &Json) -> Result<(), Failure> {
    match vector.get("kind").and_then(Json::as_str) {
        Some("compile") => compile::check_vector(vector),
        Some("conversation") => compile::check_conversation(vector),
        Some("compaction") => compaction::check_vector(vector),
        Some("cache") => cache::check_vector(vector),
        Some("config") => config::check_vector(vector),
        Some("state") => state::check_vector(vector),
        Some("rewind") => rewind::check_vector(vector),
        Some("route") => route::check_vector(vector),
        Some("memory_search") => memory_search::check_vector(vector),
        Some("tool_result") => tool_result::check_vector(vector),
        kind => Err(vec![format!("vectors of kind {} are not known", kind.unwrap_or("(none)"))]),
    }
}
