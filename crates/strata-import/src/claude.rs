//! Claude Code transcripts: JSON lines that hold a tree of records. What `claude -p` puts out has the same records,
//! without the tree: a line each, or all of them in one list.
//!
//! A transcript says what the client did. What it sent is in it since 2.1.285, in a [`journal`] of requests; before,
//! system prompt and tool definitions are not there. What it says is mapped so:
//!
//! - One response of the API is written as a line per content block; the lines are merged into one event.
//! - The main conversation is the branch `main`. Sub-agents have the branch `agent.<agent id>`, which by ADK's rule for
//!   branches does not see `main`, just as they did not, and the author `claude.<agent id>`.
//! - Rewinding leaves records behind in the tree of uuids. The path of the newest record is `main`; what was left stays
//!   in the session on a branch `main.abandoned-<n>` below the branch it was left from, so that an agent on `main` does
//!   not see it, while the calls made on it see what they saw then.
//! - Context that the client added has the author `user` and the mark [`INJECTED`](crate::marks::INJECTED).
//! - A compaction is one event with `actions.compaction` that covers the events of its branch before it, except those
//!   the client preserved.

mod attachment;
mod compaction;
mod cost_state;
mod entry;
mod finish;
mod finish_reason;
mod full_output;
mod ids;
mod injected;
mod invocations;
mod journal;
mod lanes;
mod nodes;
mod own_counts;
mod path;
mod progress;
mod record;
mod records;
mod response;
mod stream;
mod system;
mod transcript;
mod transcripts;
mod usage;
mod user;

use crate::findings::Findings;
use crate::format::Format;
use crate::imported::{Import, ImportedSession};
use crate::keys::Keys;
use crate::pieces::PieceReader;
use crate::records::RecordReader;
use finish::ToldEvents;
use transcript::Transcript;
use transcripts::Transcripts;

/// A record of a transcript, or of what `claude -p` puts out.
pub(crate) fn is_record(keys: Keys<'_>) -> bool {
    let kind = keys.kind();
    let is_message = matches!(kind, "user" | "assistant") && keys.inner("message").is_some();
    let is_note = kind == "summary" && keys.has("leafUuid");
    let is_snapshot = kind == "file-history-snapshot";
    let is_output = keys.has("session_id")
        && match kind {
            "system" => keys.has("subtype"),
            "stream_event" => keys.has("event"),
            "result" => keys.has_any(&["is_error", "total_cost_usd"]),
            _ => false,
        };
    keys.has_any(&["parentUuid", "isSidechain"]) || is_message || is_note || is_snapshot || is_output
}

pub(crate) fn reader(format: Format) -> Box<dyn PieceReader> {
    Box::new(TranscriptReader {
        format,
        records: RecordReader::default(),
        transcripts: Transcripts::default(),
        findings: Findings::default(),
        told: Vec::new(),
    })
}

/// Reads a transcript as it comes in.
#[derive(Debug)]
struct TranscriptReader {
    format: Format,
    records: RecordReader,
    transcripts: Transcripts,
    findings: Findings,
    /// Of each conversation.
    told: Vec<ToldEvents>,
}

impl PieceReader for TranscriptReader {
    fn feed(&mut self, bytes: &[u8]) {
        let Self { records, transcripts, findings, .. } = self;
        records.feed(bytes, findings, |value, findings| transcripts.read(value, findings));
    }

    fn finish(self: Box<Self>) -> Import {
        let Self { format, mut records, mut transcripts, mut findings, .. } = *self;
        records.rest(&mut findings, |value, findings| transcripts.read(value, findings));
        let transcripts = transcripts.finished(&mut findings);
        let session = |transcript: Transcript| transcript.finish(format, &mut findings, None);
        let sessions: Vec<ImportedSession> = transcripts.into_iter().filter_map(session).collect();
        Import::of(sessions, findings)
    }

    fn so_far(&mut self) -> Option<Import> {
        let mut transcripts = self.transcripts.clone();
        let mut findings = self.findings.clone();
        self.records.rest(&mut findings, |value, findings| transcripts.read(value, findings));
        let transcripts = transcripts.finished(&mut findings);
        self.told.resize_with(transcripts.len(), ToldEvents::default);
        let told = transcripts.into_iter().zip(&mut self.told);
        let session = |(transcript, told): (Transcript, &mut ToldEvents)| {
            transcript.finish(self.format, &mut findings, Some(told))
        };
        let sessions: Vec<ImportedSession> = told.filter_map(session).collect();
        Some(Import::of(sessions, findings))
    }
}
