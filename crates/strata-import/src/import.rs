//! The way in: bytes or tables of a known format, sessions and diagnostics out.

use std::collections::HashMap;

use strata_model::{Diagnostic, Json, Session};

use crate::adk::{DocumentReader, EventReader, debug_log, read_document};
use crate::agents::{self, copilot::CopilotReader};
use crate::claude::TranscriptReader;
use crate::detect::{Detection, detect};
use crate::facts::Facts;
use crate::findings::Findings;
use crate::format::Format;
use crate::lines::UTF8_MARK;
use crate::records::Records;
use crate::source::SourceRecord;
use crate::summary::SessionSummary;
use crate::telemetry;
use crate::traffic;
use crate::trajectories;
use crate::unmapped::Unmapped;

/// What came out of a source. Without a session there is at least one diagnostic that says why.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Import {
    pub sessions: Vec<ImportedSession>,
    pub diagnostics: Vec<Diagnostic>,
}

/// A session with what its source says about it.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedSession {
    pub session: Session,
    pub format: Format,
    /// What people call the session: a title it was given, or the first words of its first prompt.
    pub title: String,
    /// For every event of the session, in their order, the places it was read from. An event may have several, and
    /// events of one record share its place.
    pub sources: Vec<Vec<SourceRecord>>,
    pub unmapped: Unmapped,
    pub facts: Facts,
    /// What was really sent to models, where the source holds it, in the order it was sent.
    pub requests: Vec<RecordedRequest>,
    /// The session this one is a part of, for the transcript of a sub-agent.
    pub parent: Option<ParentSession>,
}

/// A request as its source recorded it: evidence of what a model was really given, kept apart from the events.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedRequest {
    /// The event that answers it, as an index into the session's events. `None` when no answer was recorded.
    pub answer: Option<usize>,
    /// The body as it was sent, in the provider's own dialect.
    pub body: Json,
    pub source: SourceRecord,
    /// How its messages stand to those before it.
    pub alignment: Alignment,
}

/// How a request continues the conversation it belongs to, counted in parts of messages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Alignment {
    /// Parts that begin the request and were there before.
    pub shared: usize,
    /// Parts behind them that are new.
    pub appended: usize,
    /// Parts that were there before and are gone.
    pub removed: usize,
    /// Parts among those that were there before which are new.
    pub rewritten: usize,
}

/// The session and the agent that a sub-agent's transcript belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParentSession {
    pub session_id: strata_model::Str,
    pub agent_id: strata_model::Str,
}

impl ImportedSession {
    /// Takes over the requests of a trace of the same session, whose answers have the ids of its events. Returns how
    /// many found theirs.
    pub fn join(&mut self, trace: &Self) -> usize {
        let requests = trace.requests_for(&self.session);
        let n_found = requests.len();
        self.requests.extend(requests);
        n_found
    }

    /// The requests of this trace whose answers are events of `session`, by their ids, in the order of the answers.
    pub fn requests_for(&self, session: &Session) -> Vec<RecordedRequest> {
        let places: HashMap<&str, usize> =
            session.events.iter().enumerate().rev().map(|(at, event)| (&*event.id, at)).collect();
        let found = self.requests.iter().filter_map(|request| {
            let answer = self.session.events.get(request.answer?)?;
            let own = *places.get(&*answer.id).filter(|_| !answer.id.is_empty())?;
            Some(RecordedRequest { answer: Some(own), ..request.clone() })
        });
        let mut found: Vec<_> = found.collect();
        found.sort_by_key(|request| request.answer);
        found
    }

    /// Every place in the file that something was read from.
    pub(crate) fn places_mut(&mut self) -> impl Iterator<Item = &mut SourceRecord> {
        let of_records = self.unmapped.records.values_mut().flatten();
        let of_requests = self.requests.iter_mut().map(|request| &mut request.source);
        self.sources.iter_mut().flatten().chain(of_records).chain(of_requests)
    }

    /// Moves every place in the file by so many bytes.
    fn move_places(&mut self, by: u64) {
        for source in self.places_mut() {
            if let SourceRecord::Bytes(range) = source {
                *range = range.start + by..range.end + by;
            }
        }
    }

    pub fn summary(&self) -> SessionSummary {
        SessionSummary::of(&self.session)
    }
}

impl Import {
    /// A source that gave nothing, and why.
    pub(crate) fn refused(code: &'static str, message: impl Into<String>) -> Self {
        Self { sessions: Vec::new(), diagnostics: vec![Diagnostic::error(code, "", message)] }
    }

    /// Keeps the promise that nothing is never returned without a reason.
    pub(crate) fn of(sessions: Vec<ImportedSession>, mut findings: Findings) -> Self {
        if sessions.is_empty() && !findings.has_errors() {
            let message = "no session was found in this file; nothing was imported";
            findings.error("no-session", "", message);
        }
        Self { sessions, diagnostics: findings.into_diagnostics() }
    }
}

/// Reads a file of a known format piece by piece.
///
/// Transcripts are read as they come in, so that a large one is never in memory as text; a JSON document is kept until
/// [`Importer::finish`] and read then. To stop, stop feeding.
#[derive(Debug)]
pub struct Importer {
    reader: Reader,
}

#[derive(Debug)]
enum Reader {
    Document(DocumentReader),
    Events(EventReader),
    Transcript(Box<TranscriptReader>),
    Codex(Box<Records>),
    Copilot(Box<CopilotReader>),
    /// Kept until it is whole.
    Whole(Format, Vec<u8>),
    /// A format that is not in the bytes of a file.
    Tables,
}

impl Importer {
    pub fn new(format: Format) -> Self {
        let reader = match format {
            Format::AdkSession | Format::AdkEvalSet | Format::AdkEvalResult => {
                Reader::Document(DocumentReader::new(format))
            }
            Format::AdkEvents | Format::AdkEventStream => Reader::Events(EventReader::new(format)),
            Format::ClaudeCode => Reader::Transcript(Box::default()),
            Format::Codex => Reader::Codex(Box::default()),
            Format::CopilotCli => Reader::Copilot(Box::default()),
            format if format.is_database() => Reader::Tables,
            format => Reader::Whole(format, Vec::new()),
        };
        Self { reader }
    }

    pub fn feed(&mut self, bytes: &[u8]) {
        match &mut self.reader {
            Reader::Document(reader) => reader.feed(bytes),
            Reader::Events(reader) => reader.feed(bytes),
            Reader::Transcript(reader) => reader.feed(bytes),
            Reader::Codex(reader) => reader.feed(bytes),
            Reader::Copilot(reader) => reader.feed(bytes),
            Reader::Whole(_, whole) => whole.extend_from_slice(bytes),
            Reader::Tables => {}
        }
    }

    pub fn finish(self) -> Import {
        match self.reader {
            Reader::Document(reader) => reader.finish(),
            Reader::Events(reader) => reader.finish(),
            Reader::Transcript(reader) => reader.finish(),
            Reader::Codex(reader) => {
                let (values, mut findings) = reader.finish();
                Import::of(agents::codex::read(values, &mut findings), findings)
            }
            Reader::Copilot(reader) => reader.finish(),
            Reader::Whole(format, bytes) => read_whole(format, &bytes),
            Reader::Tables => {
                Import::refused("needs-tables", "a database is imported by its tables, not its bytes")
            }
        }
    }
}

/// Reads a file that is in memory.
fn read_whole(format: Format, bytes: &[u8]) -> Import {
    let mut findings = Findings::default();
    let read = match format {
        Format::Cline => agents::cline::read,
        Format::OpenCodeExport => agents::opencode::read_export,
        Format::GooseFile => agents::goose::read_file,
        Format::OpenHands => agents::openhands::read,
        Format::Aider => agents::aider::read,
        Format::MiniSweAgent => trajectories::mini_swe::read,
        Format::SweAgent => trajectories::swe_agent::read,
        Format::Inspect => trajectories::inspect::read,
        Format::TauBench => trajectories::tau_bench::read,
        Format::Messages => trajectories::messages::read,
        Format::GeminiCli => agents::gemini_cli::read,
        Format::ProviderLog => traffic::provider_log::read,
        Format::Har => traffic::har::read,
        Format::Mitmproxy => traffic::mitmproxy::read,
        Format::Vcr => traffic::vcr::read,
        Format::LiteLlm => traffic::litellm::read,
        Format::Otlp => telemetry::otlp::read,
        Format::AdkTrace => telemetry::adk_trace::read,
        Format::GeminiTelemetry => telemetry::gemini_telemetry::read,
        Format::Langfuse => telemetry::langfuse::read,
        Format::LangSmith => telemetry::langsmith::read,
        Format::AdkDebugLog => debug_log::read,
        _ => return Import::refused("needs-tables", "a database is imported by its tables, not its bytes"),
    };
    let text = bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes);
    let mut sessions = read(text, &mut findings);
    let skipped = (bytes.len() - text.len()) as u64;
    if skipped > 0 {
        for session in &mut sessions {
            session.move_places(skipped);
        }
    }
    Import::of(sessions, findings)
}

/// Recognises `bytes` and reads them.
pub fn import(bytes: &[u8]) -> Import {
    match detect(bytes) {
        Detection::Readable(format @ (Format::AdkSession | Format::AdkEvalSet | Format::AdkEvalResult)) => {
            read_document(format, bytes)
        }
        Detection::Readable(format) => {
            let mut importer = Importer::new(format);
            if let Reader::Whole(..) = importer.reader {
                return read_whole(format, bytes);
            }
            importer.feed(bytes);
            importer.finish()
        }
        Detection::Sqlite => Import::refused(
            "needs-tables",
            "this is an SQLite database; open it as one and import its tables",
        ),
        Detection::Archive(_) => Import::refused(
            "archive",
            "this is an archive inside of another, or one that was given as bytes; unpack it and import what is inside",
        ),
        Detection::Unread(format) => Import::refused("unread-format", format.refusal()),
        Detection::NotASession(what) => Import::refused("not-a-session", what),
    }
}
