//! The one file where Strata keeps what it knows: sessions with their events, where they came from, what is
//! remembered about them, settings, and answers that were paid for.
//!
//! ```
//! use strata_model::{Json, Session};
//! use strata_store::{Listing, Source, Store};
//!
//! let mut store = Store::in_memory()?;
//! let source = Source {
//!     location: "notes.json".into(),
//!     format: "ADK session".into(),
//!     size_bytes: 2,
//!     modified_ms: None,
//!     content: None,
//!     imported_at_ms: 1_700_000_000_000,
//! };
//! let listing = Listing {
//!     title: "Notes".into(),
//!     format: "ADK session".into(),
//!     summary: Json::Null,
//!     app_config: None,
//! };
//! let mut import = store.begin_import(source)?;
//! import.add_session(&Session::default(), &[], listing)?;
//! let imported = import.commit(&[])?;
//! assert_eq!(store.read_session(&imported[0].id)?, Some(Session::default()));
//! # Ok::<(), strata_store::StoreError>(())
//! ```
//!
//! The nouns, and what refers to what:
//!
//! ```text
//! source <- session -> recording
//!   |         |           |
//!   |         |           events, raw records, requests, final state
//!   |         app configurations, experiments -> edits
//!   diagnostics                          settings      paid answers
//!
//! context -> messages, tasks, artifacts
//! ```
//!
//! - A **recording** is a body of events, with the requests behind them. It is written while it is staged; later it can
//!   grow at its end ([`Store::append`]), and requests of another file can be added. A session that is imported again
//!   gets a new recording, and the old one is removed.
//! - A **session** is what readers see. It appears when its import commits, and not before; importing the same source
//!   again replaces what it shows, and keeps its id.
//! - What a killed import leaves is never visible, and is removed when the file is opened or the next import begins.
//! - A **context** is what clients of a served app come back to. Its rules are those of strata-context; a request's
//!   commands are obeyed in one transaction ([`Store::obey_context`]).
//! - An **artifact** is a file that an agent saved, version by version; a **memory** is something said in a session that was
//!   added to what agents remember.
//!
//! The store knows nothing of formats, providers or tokens: bodies of requests, summaries, configurations and settings
//! are text to it. It holds no API keys, and refuses what looks like one.
//!
//! `FORMATS.md` beside this crate describes every table, and the rules for changing them. A table for something new
//! (captured exchanges) comes with the code that fills it: an entry in `migration.rs`, a file
//! in `src/migration`, a section in `FORMATS.md`, and a fixture of the new version for the test that opens them all.

mod app_config;
mod artifact;
mod column;
mod context;
mod credential;
mod error;
mod event;
mod experiment;
mod growing_pieces;
mod import;
mod kept_secrets;
mod lab_run;
mod measured_call;
mod memory;
mod migration;
mod opening;
mod pack;
mod paid_answer;
mod process_lock;
mod record;
mod request;
mod request_pieces;
mod search;
mod session;
mod session_id;
mod setting;
mod size;
mod source;
mod state;
mod store;
mod sweep;

pub use app_config::{AppConfig, AppConfigOrigin};
pub use artifact::{ArtifactHome, ArtifactVersion, NewArtifact};
pub use context::{ArchivedContext, Cleaned, ContextEntry, ContextFailure, TaskEntry};
pub use error::StoreError;
pub use event::{EventKinds, EventRow};
pub use experiment::{ExperimentEntry, ExperimentId};
pub use import::{Growth, ImportWriter, ImportedSession, Listing, NewEvent, Recording};
pub use kept_secrets::FoundSecrets;
pub use lab_run::{LabRunEntry, LabRunId, LabRunState};
pub use measured_call::{MeasuredCall, PromptShape};
pub use memory::{MOST_WORDS, Memory, MemoryHome, NewMemory, RememberedSession};
pub use migration::SCHEMA_VERSION;
pub use opening::BUSY_TIMEOUT;
pub use process_lock::{ProcessLock, Work};
pub use record::{RawRecord, RecordPlace, StoredRecord};
pub use request::{Alignment, MarkedRequest, RecordedRequest};
pub use search::{FoundEvent, SearchHit, SearchPage, SearchPlace, SearchQuery, Snippet};
pub use session::{SessionAfter, SessionEntry, SessionList};
pub use session_id::SessionId;
pub use size::Sizes;
pub use source::{Source, StoredDiagnostic};
pub use store::Store;
