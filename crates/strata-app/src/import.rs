//! From files to sessions in the store.

mod batch;
mod folder;
mod job;
mod read;
mod sqlite;
mod summary;
mod write;

pub(crate) use batch::{Finding, Input, import_all, now_ms};
pub(crate) use job::start_import;
pub(crate) use read::{ReadError, read_file};
pub use read::{Step, Watch};
pub(crate) use summary::Summary;
