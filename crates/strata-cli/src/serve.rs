//! The interface over HTTP, for a browser on the same computer.
//!
//! Any page a person visits, and any other program on the computer, can send requests to a port of theirs. So the
//! server listens on the loopback address only, answers only to its own names (against DNS rebinding), refuses pages
//! of other origins, and asks for a token that is made at each start and told only to the person who started it.
//!
//! | route | answer |
//! |---|---|
//! | `GET /…` | the interface's files |
//! | `POST /api/<command>` | the command's JSON or bytes; parameters are the body's JSON |
//! | `GET /api/notifications` | one notification a line, for as long as the connection is open |
//! | `POST /upload?name=…` | `{"upload": id}` for the content of a file |
//!
//! Everything under `/api/` and `/upload` needs the token in the header `X-Strata-Token`. Errors are an `AppError` in
//! JSON with a status of 4xx or 5xx.

mod access;
mod api;
mod backend;
mod failure;
mod files;
mod listening;
mod notifications;
mod router;
#[cfg(test)]
mod tests;
mod token;
mod upload;

pub(crate) use access::{Access, TOKEN_HEADER, check_sender};
pub(crate) use failure::Failure;
pub(crate) use listening::{listen, serve_until_asked};
pub(crate) use router::{add_headers, router};
pub(crate) use token::Token;
