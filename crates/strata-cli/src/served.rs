//! The agents of an app over HTTP, for clients on the same computer.
//!
//! | route | who |
//! |---|---|
//! | `POST /run`, `GET /context` | plain HTTP |
//! | `/mcp` | the Model Context Protocol, each agent a tool |
//! | `POST /a2a`, `GET /.well-known/agent-card.json` | Agent2Agent, 1.0 and 0.3 |
//!
//! The server listens on the loopback address and answers to its own names and pages only, as that of the interface
//! does; and everything, the card included, needs a token of this start, which says whose contexts are meant.

mod a2a;
mod callers;
mod context_ids;
mod plain;
mod router;

pub(crate) use callers::Callers;
pub(crate) use router::router;
