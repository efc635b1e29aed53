//! A recording gateway: what agents really send to their models, and what they get.
//!
//! A client is pointed at the gateway by its base URL. The gateway passes everything on to the provider as it came, and
//! everything back as it comes, and a copy goes to a [log](crate::log) that
//! grows by a line for each request and each answer. Importing the log gives sessions.
//!
//! What clients tell of themselves by OTLP comes in by the same address, and is written [beside it](crate::telemetry).
//!
//! **Nothing is parsed, held back or changed in the path**, unless somebody asks for it: a [`Gate`] that is watched collects
//! requests, and may hold, change or refuse them. The copy is read behind a queue. Where the queue is full, or
//! its reader failed, traffic goes on, and the exchange is marked as incomplete.
//!
//! **Credentials stay in memory.** The gateway has none; those of clients are passed on, and are masked in what is
//! kept before it is written.
//!
//! **A forward proxy only where somebody asks for one**, for clients that no setting reaches: [`Authority`].
//!
//! **Only this computer.** It listens on the loopback address, answers to its own name alone, refuses web pages, asks for a
//! token in the path, and sends to the providers it was given and to nobody else.

mod adk;
mod answer;
mod authority;
mod client;
mod copy;
mod door;
mod exchange;
mod forward;
mod frames;
mod gate;
mod gateway;
mod log;
mod pieces;
mod proxy;
mod recipe;
mod recorder;
mod redact;
mod socket;
mod telemetry;
mod token;
mod tunnel;
mod upstream;

pub use adk::{AdkError, AdkOptions, AdkUpdate, attach};
pub use authority::{Authority, AuthorityError};
pub use client::run_client;
pub use exchange::Finished;
pub use gate::{Gate, OpenGate, Verdict, WholeRequest};
pub use gateway::{Gateway, GatewayError, Options};
pub use recipe::{Catch, Recipe, proxied, recipe_for, recipes};
pub use telemetry::{Received, Signal};
pub use upstream::{Upstream, UpstreamError, Upstreams};
