//! The vocabulary of Strata: what a recorded session is made of, what configures a compile, and what a model request
//! is, in the words and JSON shapes of Google's Agent Development Kit (google-adk 2.13).
//!
//! ```
//! use strata_model::{Decoder, Session, json};
//!
//! let text = br#"{"id": "s1", "app_name": "demo", "events": [{"author": "user", "later_field": 1}]}"#;
//! let mut decoder = Decoder::new();
//! let session = Session::from_json(json::parse(text)?, &mut decoder);
//! assert_eq!(&*session.app_name, "demo");
//! // Fields this version does not know are kept, and written back.
//! assert!(json::to_compact(&session.to_json()).contains(r#""later_field":1"#));
//! # Ok::<(), json::JsonError>(())
//! ```
//!
//! Nothing here reads a file, a clock or the environment, and nothing here decides what a request contains: that is
//! `strata-engine`.
#![warn(missing_docs, clippy::disallowed_methods)]
#![expect(missing_docs, reason = "fields carry ADK's own names; what they mean is said on their types")]

mod actions;
pub mod app;
mod content;
mod decode;
mod diagnostic;
mod event;
mod evidence;
mod fingerprint;
mod float;
mod given_services;
pub mod json;
pub mod marks;
mod node_path;
mod origin;
pub mod python;
mod recorded_call;
mod request;
mod response;
pub mod secret;
mod session;
mod shared_list;
mod state;
pub mod take;
pub mod text;
mod usage;

pub use actions::{EventActions, EventCompaction};
pub use app::{Agent, App, Tool};
pub use content::{
    Base64, Blob, CodeExecutionResult, Content, ExecutableCode, FileData, FunctionCall, FunctionResponse,
    Part,
};
pub use decode::{Decoder, FromJson, is_written_alike};
pub use diagnostic::{Diagnostic, Severity};
pub use event::{Event, NodeInfo, Transcription};
pub use evidence::{Evidence, EvidenceKind, Gap};
pub use fingerprint::{Fingerprint, FingerprintBuilder};
pub use given_services::{GivenMemory, GivenServices, Remembered, SearchRule, StoredArtifact, StoredVersion};
pub use json::{Json, Object};
pub use node_path::{Branch, NodePath};
pub use origin::{AgentField, EventIndex, InstructionKind, Origin};
pub use recorded_call::{
    FoundMemory, GivenEvent, RecordedArtifact, RecordedCall, RecordedSearch, RecordedStage,
    ResolvedInstruction, StateEntry,
};
pub use request::{
    Block, CacheMark, CacheMarks, Chunk, ConfigField, Contents, Declaration, LlmRequest, MarkPlace, Misfit,
    RequestChange, RequestContent, RequestPart, RequestTool, RichText, Splice, TextSpan, is_alike_in_scripts,
    namespace, part_fingerprint,
};
pub use response::LlmResponse;
pub use session::Session;
pub use shared_list::{SharedList, SharedListIter};
pub use state::{Scope, StateScopes};
pub use usage::{CacheMetadata, Usage};

/// Text that is shared rather than copied: names, ids and prompt text.
pub type Str = std::sync::Arc<str>;
