//! What the commands do.

mod app;
mod breaks;
mod bytes;
mod call;
mod call_replay;
mod chain;
mod convert;
mod event;
mod filter;
mod findings;
mod headline;
mod job;
mod lab;
mod lab_run;
mod model;
mod palette;
mod part;
pub(crate) mod part_rows;
mod questions;
mod session;
mod stages;

pub(crate) use breaks::sentence as break_sentence;
