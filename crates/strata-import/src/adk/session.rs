//! Building a session out of events in ADK's own shape.

use std::sync::Arc;

use strata_model::{Content, Decoder, Event, FromJson, Json, NodePath, Object, Session, Str};

use crate::facts::{Facts, largest_result_bytes};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::{Alignment, ImportedSession, RecordedRequest};
use crate::marks;
use crate::repeated_ids::report_repeated_ids;
use crate::source::SourceRecord;
use crate::title;
use crate::unmapped::Unmapped;

/// Google-adk before 2.0.
pub(super) const FIRST_GENERATION: &str = "google-adk 1";

/// Whether an event was written by google-adk before 2.0: every release writes out an event's actions with these, empty
/// as they may be, and since 2.0 its place in the tree of nodes.
fn is_of_first_generation(event: &Json) -> bool {
    let has =
        |value: &Json, [camel, snake]: [&str; 2]| value.get(camel).or_else(|| value.get(snake)).is_some();
    let is_written_out = |actions: &Json| {
        [
            ["stateDelta", "state_delta"],
            ["artifactDelta", "artifact_delta"],
            ["requestedAuthConfigs", "requested_auth_configs"],
        ]
        .into_iter()
        .all(|field| has(actions, field))
    };
    event.get("actions").is_some_and(is_written_out)
        && !has(event, ["nodeInfo", "node_info"])
        && !has(event, ["nodePath", "node_path"])
}

/// A session while its events come in.
#[derive(Debug, Clone, Default)]
pub(super) struct SessionBuilder {
    pub(super) session: Session,
    sources: Vec<Vec<SourceRecord>>,
    unmapped: Unmapped,
    /// Elements of the event list so far, readable or not.
    n_elements: usize,
    /// Said before every place, such as `session s1`; empty when there is one session in the source.
    place: String,
}

impl SessionBuilder {
    /// A session that is one of several in its source.
    pub(super) fn at(place: String) -> Self {
        Self { place, ..Self::default() }
    }

    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// Appends the next element of the event list.
    pub(super) fn push_event(&mut self, value: Json, source: SourceRecord, findings: &mut Findings) {
        let mut decoder = Decoder::new();
        let index = self.n_elements;
        self.n_elements += 1;
        let n_before = self.session.events.len();
        let is_older = n_before == 0 && is_of_first_generation(&value);
        let events: Str = "events".into();
        decoder.within(&events, |decoder| {
            self.session.push_event(index, value, decoder);
            if self.session.events.len() > n_before {
                self.finish_event(decoder);
                if is_older {
                    self.mark_writer(FIRST_GENERATION);
                }
                self.sources.push(vec![source]);
            }
        });
        findings.take_from(&mut decoder, &self.place);
    }

    /// Notes what wrote the session, which the way it is written gives away.
    pub(super) fn mark_writer(&mut self, writer: &str) {
        if let Some(event) = self.session.events.first_mut().and_then(Arc::get_mut) {
            event.custom_metadata.get_or_insert_default().insert(marks::WRITER, writer);
        }
    }

    /// Notes that the next element of the event list could not be read.
    pub(super) fn skip_event(&mut self, why: &str, findings: &mut Findings) {
        let at = format!("events[{}]", self.n_elements);
        self.n_elements += 1;
        findings.error("broken-event", at, format!("an event is not valid JSON ({why}); it was left out"));
    }

    fn finish_event(&mut self, decoder: &mut Decoder) {
        let Some(event) = self.session.events.last_mut().and_then(Arc::get_mut) else { return };
        if !event.other.is_empty() {
            adopt_shorthands(event, decoder);
        }
        note_unknown_fields(event, &mut self.unmapped);
    }

    /// Counts what has no place in a session.
    pub(super) fn note_rest(&mut self, owner: &str, rest: &Object) {
        for (key, value) in rest.iter() {
            self.unmapped.field(owner, key, value);
        }
    }

    /// The time of the last event, in epoch seconds.
    pub(super) fn last_timestamp(&self) -> f64 {
        self.session.events.last().map_or(0.0, |event| event.timestamp)
    }

    /// Adds one more place an event was read from.
    pub(super) fn add_source(&mut self, event: usize, source: SourceRecord) {
        if let Some(sources) = self.sources.get_mut(event) {
            sources.push(source);
        }
    }

    /// Requests that Strata saved with the session. What is none of them stays a field nobody knows.
    fn take_requests(&mut self) -> Vec<RecordedRequest> {
        let Some(saved) = self.session.other.get(marks::RECORDED_REQUESTS).and_then(Json::as_array) else {
            return Vec::new();
        };
        let request = |saved: &Json| {
            let count =
                |key: &str| saved.get(key).and_then(Json::as_i64).and_then(|n| usize::try_from(n).ok());
            let answer = count("answer");
            let own = answer.and_then(|at| self.sources.get(at)?.first().cloned());
            Some(RecordedRequest {
                answer: answer.filter(|at| *at < self.session.events.len()),
                body: saved.get("body").filter(|body| body.as_object().is_some())?.clone(),
                source: own.unwrap_or(SourceRecord::Bytes(0..0)),
                alignment: Alignment {
                    shared: count("shared").unwrap_or(0),
                    appended: count("appended").unwrap_or(0),
                    removed: count("removed").unwrap_or(0),
                    rewritten: count("rewritten").unwrap_or(0),
                },
            })
        };
        let Some(requests) = saved.iter().map(request).collect::<Option<Vec<_>>>() else { return Vec::new() };
        self.session.other.remove(marks::RECORDED_REQUESTS);
        requests
    }

    /// Sets fields other than the events.
    pub(super) fn set_fields(&mut self, fields: Object, findings: &mut Findings) {
        let mut decoder = Decoder::new();
        for (key, value) in fields {
            self.session.set_field(key, value, &mut decoder);
        }
        findings.take_from(&mut decoder, &self.place);
    }

    pub(super) fn finish(mut self, format: Format, findings: &mut Findings) -> ImportedSession {
        let requests = self.take_requests();
        for (key, value) in self.session.other.iter().filter(|(key, _)| &***key != "unreadEvents") {
            self.unmapped.field("session", key, value);
        }
        report_repeated_ids(&self.session, &self.place, findings);
        let events = || self.session.events.iter().map(|event| &**event);
        let facts =
            Facts { largest_tool_result_bytes: largest_result_bytes(events()), ..Facts::of(events()) };
        let title = title::of_session(&self.session);
        ImportedSession {
            session: self.session,
            format,
            title,
            sources: self.sources,
            unmapped: self.unmapped,
            facts,
            requests,
            parent: None,
            app: None,
        }
    }
}

/// Moves the spellings that only ADK's constructors know to the fields they stand for
/// (ADK 2.13 events/event.py: `message`, `state`, `route`, `node_path`).
fn adopt_shorthands(event: &mut Event, decoder: &mut Decoder) {
    if event.content.is_none()
        && let Some(message) = event.other.remove("message")
    {
        match Content::from_json(message, decoder) {
            Ok(content) => event.content = Some(Arc::new(content)),
            Err(message) => {
                event.other.insert("message", message);
            }
        }
    }
    if event.actions.state_delta.is_empty()
        && let Some(Json::Object(state)) = event.other.get("state")
    {
        event.actions.state_delta = state.clone();
        event.other.remove("state");
    }
    if event.actions.route.is_none() {
        event.actions.route = event.other.remove("route");
    }
    for key in ["node_path", "nodePath"] {
        if let Some(Json::String(path)) = event.other.get(key) {
            event.node_info.path = NodePath::new(path.clone());
            event.other.remove(key);
        }
    }
}

fn note_unknown_fields(event: &Event, unmapped: &mut Unmapped) {
    let mut note = |owner: &str, other: &Object, names: &mut dyn Iterator<Item = &Str>| {
        for name in names {
            unmapped.field(owner, name, other.get(name).unwrap_or(&Json::Null));
        }
    };
    note("event", &event.other, &mut event.unknown_fields());
    note("event.actions", &event.actions.other, &mut event.actions.unknown_fields());
    note("event.nodeInfo", &event.node_info.other, &mut event.node_info.unknown_fields());
    if let Some(usage) = &event.usage_metadata {
        note("event.usageMetadata", &usage.other, &mut usage.unknown_fields());
    }
    if let Some(content) = &event.content {
        note("event.content", &content.other, &mut content.unknown_fields());
    }
    for part in event.parts() {
        note("part", &part.other, &mut part.unknown_fields());
        if let Some(call) = &part.function_call {
            note("part.functionCall", &call.other, &mut call.unknown_fields());
        }
        if let Some(response) = &part.function_response {
            note("part.functionResponse", &response.other, &mut response.unknown_fields());
        }
    }
}
