//! Sessions recorded by google-adk, in every shape it writes them.

mod cursor;
mod database;
mod debug_log;
mod document;
mod evalset;
mod events;
mod legacy_test;
mod pickle;
mod pickled;
mod places;
mod recording;
mod session;
mod signs;
mod spelling;
mod stored;

pub(crate) use database::{
    MEMORY_TABLE, is_database, is_memory_database, is_pickle_database, is_sqlite, read_database,
    read_pickle_database, read_sqlite, seconds,
};
pub(crate) use debug_log::read as read_debug_log;
pub(crate) use document::{AdkFormats, read_document};
pub(crate) use events::{event_lines, event_stream};
pub use recording::ADK_RECORDER;
pub(crate) use recording::{is_recording, read as read_recording};
pub(crate) use signs::{
    is_before_1, is_debug_log, is_eval_result, is_eval_set, is_event, is_event_stream, is_query, is_session,
};
pub(crate) use stored::key_of;
