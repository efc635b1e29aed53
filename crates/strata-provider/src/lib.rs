//! Model servers: answers as they stream in, token counts, lists of models, keys, and servers on this computer.
//!
//! [`Client::ask`] sends a request in the form of the endpoint's provider and gives the answer piece by piece. What goes
//! wrong ends in a [`CallError`] with a kind that callers act on, words that people understand, and whatever had come
//! by then. A request is sent again only when no part of it can have been charged: the server could not be reached, or
//! turned it away before it answered.
//!
//! Keys ([`Key`]) neither print nor serialise. They come from the environment or the key store of the operating system,
//! and go into one header.

mod client;
mod count;
mod endpoint;
mod error;
mod facts;
mod keys;
mod local;
mod models;
mod retry;
mod send;
mod trial;

pub use client::{AskOptions, Client, Limits, Progress};
pub use count::PromptCount;
pub use endpoint::{Endpoint, Key};
pub use error::{CallError, CallErrorKind};
pub use keys::{KeyOrigin, KeyStore};
pub use local::{LOCAL_SERVERS, LocalServer, find_local};
pub use trial::Trial;
