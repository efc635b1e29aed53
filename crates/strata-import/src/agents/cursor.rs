//! Cursor: the database of its editor, what `cursor-agent -p --output-format stream-json` puts out, and the transcripts that
//! lie beside its projects.

mod bubble;
mod database;
mod stream;

pub(crate) use database::{is_database, read_tables};
pub(crate) use stream::{is_output, is_transcript, read};
