//! Recorded sessions of many tools, read into Strata's vocabulary.
//!
//! Bytes go in; sessions and diagnostics come out. A format is recognised by its content ([`detect`]), read in pieces
//! ([`Importer`]) or at once ([`import`]); databases are read through [`TableSource`] ([`import_tables`]). Whatever is
//! odd about a source is reported and the rest is kept; there is no input that gives an empty success.
//!
//! ```
//! let line = br#"{"parentUuid":null,"isSidechain":false,"sessionId":"s1","type":"user","uuid":"u1",
//!     "timestamp":"2026-01-27T23:13:36Z","message":{"role":"user","content":"Hello"}}"#;
//! let import = strata_import::import(line);
//! assert_eq!(import.sessions[0].title, "Hello");
//! assert_eq!(import.sessions[0].summary().user_turns, 1);
//! ```
//!
//! What has no place in the session model is not dropped: it is listed in [`ImportedSession::unmapped`], and
//! [`ImportedSession::sources`] says where in the source each event stands. What ADK's event has no field for is marked
//! in its `customMetadata` under the names in [`marks`].
//!
//! This crate opens no files, and knows no clock, database or network.
#![warn(missing_docs, clippy::disallowed_methods)]
#![expect(
    missing_docs,
    reason = "fields and variants carry the sources' own names; types say what they mean"
)]

mod adk;
mod adk_sessions;
mod agents;
mod align;
mod answer_places;
mod app_config;
mod bodies;
mod chats;
mod claude;
mod detect;
mod document_file;
mod documents;
mod draft;
mod exchange;
mod facts;
mod findings;
mod folder;
mod format;
mod frameworks;
mod growing;
mod head;
mod import;
mod imported;
mod injected;
mod kept;
mod keys;
mod lines;
pub mod marks;
mod memory;
mod outline;
mod own_total;
mod pieces;
mod records;
mod registry;
mod repair;
mod repeated_ids;
mod rows;
mod source;
mod summary;
mod tables;
mod telemetry;
mod time;
mod title;
mod traffic;
mod trajectories;
mod tree;
mod unmapped;
mod values;
mod yaml;

pub use adk::ADK_RECORDER;
pub use adk_sessions::{AdkSessions, ListedSession, SessionRows};
pub use answer_places::AnswerPlaces;
pub use app_config::{AgentFile, AppConfig, ReadFile, read_app_config};
pub use detect::{
    Archive, Detection, HEAD_BYTES, HeadDetection, detect, detect_head, detect_tables, longer_head,
};
pub use facts::{ClaudeFacts, Facts, SourceFacts};
pub use folder::{FolderSession, folder_sessions};
pub use format::{Format, UnreadFormat};
pub use growing::{GrowingImporter, Kept};
pub use import::{Importer, import, import_tables};
pub use imported::{Alignment, Import, ImportedSession, ParentSession, RecordedRequest};
pub use memory::{memory_of_sessions, read_memory, read_memory_tables};
pub use source::SourceRecord;
pub use summary::{ReportedUsage, SessionSummary};
pub use tables::{KeyedTables, MemoryTables, OwnedValue, SqlValue, Table, TableError, TableSource};
pub use traffic::capture::{CapturedBy, captured_by, is_captured_client};
pub use unmapped::Unmapped;
