//! Traffic with model providers, however it was recorded.

pub(crate) mod capture;
pub(crate) mod claude_bodies;
pub(crate) mod har;
pub(crate) mod helicone;
mod http;
pub(crate) mod litellm;
pub(crate) mod mitmproxy;
pub(crate) mod provider_log;
mod services;
mod tnetstring;
pub(crate) mod vcr;
