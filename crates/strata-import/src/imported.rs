//! What an import gives: sessions with what their source says about them, and diagnostics.

use strata_model::{App, Diagnostic, Event, EventActions, Json, Part, Session, Str};

use crate::answer_places::AnswerPlaces;
use crate::facts::Facts;
use crate::findings::Findings;
use crate::format::Format;
use crate::source::SourceRecord;
use crate::summary::SessionSummary;
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
    /// The configuration the session ran with, where the source holds it.
    pub app: Option<App>,
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
    pub session_id: Str,
    pub agent_id: Str,
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

    /// The requests of this trace whose answers are events of `session`, by their ids or the provider's, in the order of
    /// the answers.
    pub fn requests_for(&self, session: &Session) -> Vec<RecordedRequest> {
        let answer_of = |request: &RecordedRequest| self.session.events.get(request.answer?);
        let answered = || self.requests.iter().filter(|request| answer_of(request).is_some());
        let answers: Vec<&Event> = answered().filter_map(|request| Some(&**answer_of(request)?)).collect();
        let places = AnswerPlaces::of(session).find_all(&answers);
        let found = answered()
            .zip(places)
            .filter_map(|(request, place)| Some(RecordedRequest { answer: Some(place?), ..request.clone() }));
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

    /// Whether any event holds more than its name and time. A session without events is one that did not begin.
    fn says_something(&self) -> bool {
        let mut events = self.session.events.iter();
        self.session.events.is_empty()
            || !self.requests.is_empty()
            || events.any(|event| says_something(event))
    }

    /// Why a session is not kept in which nothing is said.
    fn told_empty(&self) -> String {
        let unread: Vec<&str> = self.unmapped.fields.keys().take(4).map(|field| &**field).collect();
        let unread =
            if unread.is_empty() { String::new() } else { format!(" (not read: {})", unread.join(", ")) };
        let n_events = self.session.events.len();
        let events = if n_events == 1 { "1 event was".to_owned() } else { format!("{n_events} events were") };
        format!(
            "{events} found and none holds a text, a call, a result or a count of tokens{unread}; nothing of it was \
             imported. It was read as a file of this kind: {}. It may be of another tool, or of a version that Strata \
             does not know",
            self.format.name()
        )
    }

    /// Moves every place in the file by so many bytes.
    pub(crate) fn move_places(&mut self, by: u64) {
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

/// Whether an event holds words, media, calls, results, numbers, a change, or an error.
fn says_something(event: &Event) -> bool {
    let is_empty = |part: &Part| *part == Part::default() || *part == Part::from_text("");
    event.parts().iter().any(|part| !is_empty(part))
        || event.usage_metadata.is_some()
        || event.error_code.is_some()
        || event.output.is_some()
        || event.input_transcription.is_some()
        || event.output_transcription.is_some()
        || event.actions != EventActions::default()
        || !event.other.is_empty()
}

impl Import {
    /// A source that gave nothing, and why.
    pub(crate) fn refused(code: &'static str, message: impl Into<String>) -> Self {
        Self { sessions: Vec::new(), diagnostics: vec![Diagnostic::error(code, "", message)] }
    }

    /// Keeps the promise that nothing is never returned without a reason, and that a source in whose events nothing is
    /// said is nothing. Among others, a session that was ended before anything was said is one.
    pub(crate) fn of(mut sessions: Vec<ImportedSession>, mut findings: Findings) -> Self {
        if !sessions.iter().any(ImportedSession::says_something) {
            for empty in sessions.drain(..) {
                findings.error("no-content", format!("session {}", empty.session.id), empty.told_empty());
            }
        }
        if sessions.is_empty() {
            findings.nothing_was_kept();
        }
        if sessions.is_empty() && !findings.has_errors() {
            let message = "no session was found in this file; nothing was imported";
            findings.error("no-session", "", message);
        }
        Self { sessions, diagnostics: findings.into_diagnostics() }
    }
}
