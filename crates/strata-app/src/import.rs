//! From files to sessions in the store.

mod archive;
mod batch;
mod folder;
mod job;
mod members;
mod read;
mod sqlite;
mod summary;
mod traces;
mod write;

pub(crate) use batch::{Finding, Input, import_all, is_archive, now_ms};
pub(crate) use job::start_import;
pub(crate) use read::{ReadError, read_file};
pub use read::{Step, Watch};
pub(crate) use summary::Summary;
pub(crate) use traces::join_to;
pub(crate) use write::new_request;
