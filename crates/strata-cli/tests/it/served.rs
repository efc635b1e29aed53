//! `strata serve APP` on the wire: three doors, one context, and what is refused.

mod a2a;
mod bad_input;
mod commands;
mod doors;
mod http;
mod many;
mod mcp;
mod retention;
mod server;
