//! Traffic with model providers, however it was recorded.

pub(crate) mod har;
mod http;
pub(crate) mod provider_log;
