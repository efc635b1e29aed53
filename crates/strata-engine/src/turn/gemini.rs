//! What google-adk's Gemini class makes of a compiled request before it is sent (`ADK.md` 2.15 and 5).
//!
//! 1. [`GeminiRequest::of`] takes off what the backend does not accept, and sees to it that the user speaks last.
//! 2. [`plan_cache`] decides about the explicit cache: remember a prefix, use a cache, make one, delete one.
//! 3. [`CachePlan::settle`] takes the server's answer, and [`GeminiRequest::apply_cache`] sends what the cache lacks.
//!
//! Nothing here talks to a server: operations come out as values, and answers go in.

mod cache;
mod cache_fingerprint;
mod cache_size;
mod wire;

pub use cache::{
    CacheAnswer, CacheCreation, CacheInputs, CachePlan, CacheStep, CreatedCache, SettledCache, plan_cache,
};
pub use cache_fingerprint::{CacheFingerprint, CacheScope};
pub use wire::GeminiRequest;
