//! What the commands do.

mod app;
mod breaks;
mod bytes;
mod call;
mod chain;
pub(crate) mod compare;
mod convert;
mod event;
mod experiment;
mod filter;
mod findings;
mod fixes;
mod headline;
mod job;
mod palette;
mod part;
pub(crate) mod part_rows;
mod processor;
mod questions;
mod session;
mod stages;

pub(crate) use breaks::sentence as break_sentence;
