//! From files to sessions in the store.

mod job;
mod read;
mod sqlite;
mod summary;
mod write;

pub(crate) use job::{Input, now_ms, start_import};
pub(crate) use read::Watch;
pub(crate) use summary::Summary;
