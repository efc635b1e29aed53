//! Sessions recorded by google-adk, in every shape it writes them.

mod cursor;
mod database;
pub(crate) mod debug_log;
mod document;
mod evalset;
mod events;
mod legacy_test;
mod pickle;
mod pickled;
mod session;

pub use database::import_tables;
pub(crate) use document::{DocumentReader, read_document};
pub(crate) use events::EventReader;
pub(crate) use session::report_repeated_ids;
