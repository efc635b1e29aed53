//! The node runtime: runs of nodes in a tree of contexts that mirrors them.
//!
//! A node is started through the context of the node above it ([`crate::Context::run_node`]). The [`scheduler`] decides
//! whether it runs or what it did before is taken again, the [`runner`] runs it and puts its events into the queue,
//! and [`work`] is what it does.

mod agent;
mod barrier;
mod dump;
mod function;
mod history;
mod inputs;
mod request;
mod runner;
mod scheduler;
mod tool;
mod transfer;
mod work;
mod worker;
mod workflow;

pub(crate) use scheduler::Scheduler;
pub(crate) use work::work;
