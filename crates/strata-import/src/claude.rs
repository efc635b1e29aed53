//! Claude Code transcripts: JSON lines that hold a tree of records. What `claude -p` puts out has the same records,
//! without the tree: a line each, or all of them in one list.
//!
//! A transcript says what the client did, not what it sent: the system prompt and the tool definitions are not in it.
//! What it says is mapped so:
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
mod entry;
mod finish;
mod full_output;
mod injected;
mod invocations;
mod lanes;
mod nodes;
mod path;
mod progress;
mod record;
mod response;
mod stream;
mod system;
mod transcript;
mod usage;
mod user;

use crate::findings::Findings;
use crate::import::Import;
use crate::records::RecordReader;
use transcript::Transcript;

pub(crate) use injected::{QUOTATION, injected_kind};

/// Reads a transcript as it comes in.
#[derive(Debug, Default)]
pub(crate) struct TranscriptReader {
    records: RecordReader,
    transcript: Transcript,
    findings: Findings,
}

impl TranscriptReader {
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        let Self { records, transcript, findings } = self;
        records.feed(bytes, findings, |value, findings| transcript.read(value, findings));
    }

    pub(crate) fn finish(self) -> Import {
        let Self { records, mut transcript, mut findings } = self;
        records.finish(&mut findings, |value, findings| transcript.read(value, findings));
        let session = transcript.finish(&mut findings);
        Import::of(session.into_iter().collect(), findings)
    }
}
