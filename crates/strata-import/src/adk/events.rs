//! Events that stand by themselves: `adk run --jsonl`, the stream of `POST /run_sse`, the list of `POST /run`.

use std::collections::HashMap;
use std::sync::Arc;

use strata_model::json::Interner;
use strata_model::{Json, Object, Str};

use super::session::SessionBuilder;
use super::spelling::take_text;
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::{Import, ImportedSession};
use crate::lines::{Chunk, LineCutter};
use crate::pieces::PieceReader;
use crate::source::SourceRecord;
use crate::unmapped::Unmapped;
use crate::values::read_values;

/// Reads events that stand one a line.
pub(crate) fn event_lines(format: Format) -> Box<dyn PieceReader> {
    Box::new(EventReader::new(format, |chunk| Some(chunk)))
}

/// Reads events out of a stream of server-sent ones.
pub(crate) fn event_stream(format: Format) -> Box<dyn PieceReader> {
    Box::new(EventReader::new(format, stream_payload))
}

/// What of a chunk is JSON.
type Payload = fn(Chunk<'_>) -> Option<Chunk<'_>>;

/// Reads events line by line.
#[derive(Debug)]
struct EventReader {
    lines: LineCutter,
    payload: Payload,
    interner: Interner,
    log: EventLog,
    findings: Findings,
}

impl EventReader {
    fn new(format: Format, payload: Payload) -> Self {
        Self {
            lines: LineCutter::default(),
            payload,
            interner: Interner::default(),
            log: EventLog::new(format),
            findings: Findings::default(),
        }
    }
}

impl PieceReader for EventReader {
    fn feed(&mut self, bytes: &[u8]) {
        let Self { lines, payload, interner, log, findings } = self;
        lines.feed(bytes, |chunk| {
            if let Some(payload) = payload(chunk) {
                log.read(payload, interner, findings);
            }
        });
    }

    fn finish(self: Box<Self>) -> Import {
        let Self { lines, payload, mut interner, log, findings } = *self;
        told(&lines, payload, &mut interner, log, findings)
    }

    fn so_far(&mut self) -> Option<Import> {
        let Self { lines, payload, interner, log, findings } = self;
        Some(told(lines, *payload, interner, log.clone(), findings.clone()))
    }
}

/// What a file holds that ends here.
fn told(
    lines: &LineCutter,
    payload: Payload,
    interner: &mut Interner,
    mut log: EventLog,
    mut findings: Findings,
) -> Import {
    lines.rest(|chunk| {
        if let Some(payload) = payload(chunk) {
            log.read(payload, interner, &mut findings);
        }
    });
    let sessions = log.finish(&mut findings);
    Import::of(sessions, findings)
}

/// Events put back into the sessions they belong to.
#[derive(Debug, Clone)]
pub(super) struct EventLog {
    format: Format,
    /// In order of appearance.
    sessions: Vec<Logged>,
    by_id: HashMap<Str, usize>,
}

#[derive(Debug, Clone, Default)]
struct Logged {
    session_id: Str,
    builder: SessionBuilder,
    /// Streamed pieces of an answer that has not come to its end.
    partial: Vec<(Object, SourceRecord)>,
    superseded: Unmapped,
}

impl EventLog {
    pub(super) fn new(format: Format) -> Self {
        Self { format, sessions: Vec::new(), by_id: HashMap::new() }
    }

    fn read(&mut self, payload: Chunk<'_>, interner: &mut Interner, findings: &mut Findings) {
        read_values(payload, interner, findings, |value, findings| {
            let source = value.source();
            match value.json {
                Json::Object(event) => self.push(event, source, findings),
                other => {
                    let message =
                        format!("{} stands where an event should be; it was left out", other.kind());
                    findings.warning("not-an-event", format!("line {}", value.line), message);
                }
            }
        });
    }

    pub(super) fn push(&mut self, mut event: Object, source: SourceRecord, findings: &mut Findings) {
        let session_id = take_text(&mut event, "session_id", "sessionId").unwrap_or_default();
        let at = *self.by_id.entry(session_id.clone()).or_insert_with(|| {
            self.sessions.push(Logged { session_id, ..Logged::default() });
            self.sessions.len() - 1
        });
        if let Some(error) = event.get("error").filter(|_| !event.contains_key("author")) {
            event = self.sessions[at].error_event(error.clone());
        }
        self.sessions[at].push(event, source, findings);
    }

    pub(super) fn finish(self, findings: &mut Findings) -> Vec<ImportedSession> {
        let format = self.format;
        self.sessions.into_iter().map(|logged| logged.finish(format, findings)).collect()
    }
}

impl Logged {
    fn push(&mut self, event: Object, source: SourceRecord, findings: &mut Findings) {
        if event.get("partial").is_some_and(Json::is_truthy) {
            self.partial.push((event, source));
            return;
        }
        // The whole answer follows its pieces and repeats them.
        for (_, piece) in self.partial.drain(..) {
            self.superseded.record("partial event", piece);
        }
        if !self.complete_last(&event, &source) {
            self.builder.push_event(event.into(), source, findings);
        }
    }

    /// An event with content and artifacts is streamed as two frames of the same id, the artifacts in the second
    /// (ADK 2.13 cli/adk_web_server.py).
    fn complete_last(&mut self, frame: &Object, source: &SourceRecord) -> bool {
        let events = &mut self.builder.session.events;
        let at = events.len().checked_sub(1);
        let (Some(at), Some(last)) = (at, events.last_mut()) else { return false };
        let is_same = !last.id.is_empty() && frame.get("id").and_then(Json::as_str) == Some(&*last.id);
        let artifacts = frame.get("actions").and_then(|it| it.get("artifactDelta")?.as_object());
        match artifacts.filter(|_| is_same && !frame.contains_key("content")) {
            Some(artifacts) => {
                Arc::make_mut(last).actions.artifact_delta.update(artifacts);
                self.builder.add_source(at, source.clone());
                true
            }
            None => false,
        }
    }

    /// A stream reports a failure as `{"error": …}`.
    fn error_event(&self, error: Json) -> Object {
        let message = match error {
            Json::String(text) => text,
            other => strata_model::json::to_compact(&other).into(),
        };
        let mut event = Object::new();
        event.push("author", "system");
        event.push("errorCode", "STREAM_ERROR");
        event.push("errorMessage", message);
        if let Some(last) = self.builder.session.events.last() {
            event.push("invocationId", last.invocation_id.clone());
            event.push("timestamp", last.timestamp);
        }
        event
    }

    fn finish(mut self, format: Format, findings: &mut Findings) -> ImportedSession {
        if !self.partial.is_empty() {
            let message = "the stream ends before the answer was whole; its pieces were kept";
            findings.warning("truncated", "", message);
        }
        for (piece, source) in std::mem::take(&mut self.partial) {
            self.builder.push_event(piece.into(), source, findings);
        }
        let last_update_time = self.builder.last_timestamp();
        let session = &mut self.builder.session;
        session.last_update_time = last_update_time;
        session.id = match session.events.first() {
            Some(first) if self.session_id.is_empty() => first.invocation_id.clone(),
            _ => self.session_id,
        };
        let mut imported = self.builder.finish(format, findings);
        imported.unmapped.records.extend(self.superseded.records);
        imported
    }
}

/// The JSON of a `data:` line; `None` for the other lines of a stream.
fn stream_payload(chunk: Chunk<'_>) -> Option<Chunk<'_>> {
    let bytes = chunk.bytes.trim_ascii_start().strip_prefix(b"data:")?;
    let start = chunk.start + (chunk.bytes.len() - bytes.len()) as u64;
    Some(Chunk { bytes, start, ..chunk })
}
