//! What the commands do.

mod app;
mod breaks;
mod bytes;
mod call;
mod chain;
mod convert;
mod event;
mod filter;
mod headline;
mod job;
mod palette;
mod part;
mod part_rows;
mod questions;
mod session;
mod stages;
