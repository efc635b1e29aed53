//! `strata mcp`, through the process as clients start it.

mod client;
mod figures;
mod handshake;
mod http;
mod limits;
mod own;
mod recorded_text;
mod transcript;
