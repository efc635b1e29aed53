//! Tools that other programs and servers have: those of MCP servers, and operations of HTTP interfaces that an OpenAPI
//! document describes.
//!
//! ```text
//! source ── where an app says its tools are, and what will be started or reached for them
//!   └─ toolset     a source that is open: its tools, described as google-adk describes them, and their answers
//!        ├─ mcp    a server that speaks the Model Context Protocol: a child process or an address
//!        └─ api    operations of an HTTP interface
//! ```
//!
//! Nothing is started or reached but what a source names, and a source is what the person's own file says. A tool that
//! hangs, floods, fails or answers nonsense ends in a sentence, and never in anything else.

mod api;
mod child;
mod limits;
mod mcp;
mod source;
mod toolset;
mod web;

pub use limits::Limits;
pub use source::{Api, ChildServer, McpServer, ServerAt, ToolSource};
pub use toolset::Toolset;
