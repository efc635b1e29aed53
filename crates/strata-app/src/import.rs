//! From files to sessions in the store.

mod archive;
mod batch;
mod completions;
mod folder;
mod follow;
mod growing;
mod head;
mod input;
mod kept;
mod left_out;
mod members;
mod outcome;
mod read;
mod reports;
mod sqlite;
mod stamp;
mod storing;
mod summary;
mod traces;
mod unstored;
mod write;

pub(crate) use batch::{Finding, Imported, Storage, import_all, is_archive, now_ms};
pub(crate) use follow::{Follower, Wake};
pub(crate) use input::Input;
pub(crate) use kept::{OrphanPolicy, newest_sessions, paths_of};
pub(crate) use left_out::LeftOutFile;
pub(crate) use outcome::outcome;
pub(crate) use read::{ReadError, read_file};
pub(crate) use sqlite::{log_of, read_memory as read_memory_database};
pub(crate) use stamp::Stamp;
pub(crate) use summary::{Summary, flow_kind, folder_of};
pub(crate) use traces::join_to;
pub(crate) use unstored::{NotRead, SessionFile, SessionFiles};
pub(crate) use write::{new_request, recorded_app, write_given};
