//! What the commands do.

mod app;
mod breaks;
mod bytes;
mod cache;
mod call;
mod call_replay;
mod chain;
pub(crate) mod compare;
mod convert;
mod difference;
mod event;
mod experiment;
mod filter;
mod findings;
mod fixes;
mod headline;
mod job;
mod lab;
mod lab_run;
mod ladder;
mod model;
mod palette;
mod part;
pub(crate) mod part_rows;
mod place;
mod processor;
mod questions;
mod search;
mod session;
mod stages;

pub(crate) use breaks::sentence as break_sentence;
pub(crate) use chain::writer;
pub(crate) use filter::nearest;
pub(crate) use part_rows::SegmentScale;
pub(crate) use search::{found_page, index_in_background};
