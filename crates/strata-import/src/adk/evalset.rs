//! Evaluation sets: conversations with what the agent did in between, without ids, times or state changes.
//!
//! Shapes as in ADK 2.13 evaluation/eval_case.py. What happened inside an invocation is recorded either as events
//! (2.x) or as lists of calls, responses and texts (2025), whose order among each other is not known.

use strata_model::json::{Entered, JsonError};
use strata_model::{Event, Json, Object, Str};

use super::cursor::Cursor;
use super::document::{each, source};
use super::session::SessionBuilder;
use crate::facts::Facts;
use crate::findings::Findings;
use crate::format::Format;
use crate::import::ImportedSession;
use crate::repair::Repaired;
use crate::source::SourceRecord;

/// The cases of an evaluation set, as far as they were read.
#[derive(Debug, Default)]
pub(super) struct EvalSet {
    cases: Vec<Case>,
}

#[derive(Debug, Default)]
struct Case {
    fields: Object,
    invocations: Vec<(Json, SourceRecord)>,
}

impl EvalSet {
    pub(super) fn read_case(
        &mut self,
        cursor: &mut Cursor<'_>,
        repaired: Option<&Repaired>,
    ) -> Result<(), JsonError> {
        let Entered::Object(first_key) = cursor.enter()? else { return cursor.value().map(drop) };
        self.cases.push(Case::default());
        let Some(case) = self.cases.last_mut() else { return Ok(()) };
        let mut next = first_key;
        while let Some(key) = next {
            if key == "conversation" {
                each(cursor, |cursor| {
                    let start = cursor.next_offset();
                    let invocation = cursor.value()?;
                    case.invocations.push((invocation, source(repaired, start..cursor.offset())));
                    Ok(())
                })?;
            } else {
                let value = cursor.value()?;
                case.fields.insert(key, value);
            }
            next = cursor.next_key()?;
        }
        Ok(())
    }

    /// One session a case. `fields` are the set's own.
    pub(super) fn finish(self, fields: &Object, findings: &mut Findings) -> Vec<ImportedSession> {
        let message =
            "an evaluation set records no times and ids of events; the time of their invocation is used";
        findings.info("guessed", "", message);
        let mut sessions = Vec::with_capacity(self.cases.len());
        for case in self.cases {
            sessions.push(session_of(case, findings));
        }
        if sessions.is_empty() {
            let name = fields.get("name").and_then(Json::as_str).unwrap_or_default();
            findings.error("no-session", "", format!("the evaluation set {name} has no cases"));
        }
        sessions
    }
}

/// Reads `key` in either spelling. Null is nothing.
pub(super) fn take(object: &mut Object, snake: &str, camel: &str) -> Option<Json> {
    object.remove(snake).or_else(|| object.remove(camel)).filter(|value| !value.is_null())
}

pub(super) fn take_text(object: &mut Object, snake: &str, camel: &str) -> Option<Str> {
    match take(object, snake, camel)? {
        Json::String(text) if !text.is_empty() => Some(text),
        _ => None,
    }
}

fn session_of(mut case: Case, findings: &mut Findings) -> ImportedSession {
    let eval_id = take_text(&mut case.fields, "eval_id", "evalId").unwrap_or_default();
    let mut builder = SessionBuilder::at(format!("case {eval_id}"));
    if let Some(Json::Object(mut input)) = take(&mut case.fields, "session_input", "sessionInput") {
        builder.session.id =
            take_text(&mut input, "session_id", "sessionId").unwrap_or_else(|| eval_id.clone());
        builder.session.app_name = take_text(&mut input, "app_name", "appName").unwrap_or_default();
        builder.session.user_id = take_text(&mut input, "user_id", "userId").unwrap_or_default();
        if let Some(Json::Object(state)) = take(&mut input, "state", "state") {
            builder.session.state = state;
        }
    } else {
        builder.session.id = eval_id.clone();
    }
    if let Some(Json::Object(state)) = take(&mut case.fields, "final_session_state", "finalSessionState") {
        builder.session.state.update(&state);
    }
    let n_turns = case.invocations.len() as u64;
    let mut recorded = Vec::new();
    for (invocation, source) in case.invocations {
        let Json::Object(invocation) = invocation else {
            let message =
                format!("an invocation should be an object but is {}; it was left out", invocation.kind());
            findings.error("unexpected-type", builder.place(), message);
            continue;
        };
        Invocation::read(invocation, &builder).append_to(&mut builder, &source, &mut recorded, findings);
    }
    builder.session.last_update_time = builder.session.events.last().map_or(0.0, |event| event.timestamp);
    let mut imported = builder.finish(Format::AdkEvalSet, findings);
    imported.facts = facts_of(&imported, &recorded, n_turns);
    if !eval_id.is_empty() {
        imported.title = eval_id.to_string();
    }
    imported
}

/// An event that was recorded as such, and whether its words were recorded as the final response instead.
struct Recorded {
    event: usize,
    is_final: bool,
}

/// The set's own counts: of the events recorded between a prompt and the final response.
fn facts_of(imported: &ImportedSession, recorded: &[Recorded], n_turns: u64) -> Facts {
    let events: Vec<Event> = recorded
        .iter()
        .filter_map(|it| Some((imported.session.events.get(it.event)?, it.is_final)))
        .map(|(event, is_final)| {
            let content = event.content.clone().filter(|_| !is_final);
            Event { content, invocation_id: "".into(), ..Event::clone(event) }
        })
        .collect();
    Facts { user_turns: n_turns, ..Facts::of(&events) }
}

struct Invocation {
    id: Str,
    /// Who speaks where the set does not say.
    author: Str,
    user_content: Option<Json>,
    final_response: Option<Json>,
    app_details: Option<Json>,
    timestamp: Option<Json>,
    intermediate: Vec<Object>,
}

impl Invocation {
    fn read(mut fields: Object, builder: &SessionBuilder) -> Self {
        let app_name = &builder.session.app_name;
        let unnamed = if app_name.is_empty() { "agent".into() } else { app_name.clone() };
        let data = take(&mut fields, "intermediate_data", "intermediateData");
        let mut author = unnamed;
        let intermediate = match data {
            Some(Json::Object(data)) => intermediate_events(data, &mut author),
            _ => Vec::new(),
        };
        Self {
            id: take_text(&mut fields, "invocation_id", "invocationId").unwrap_or_default(),
            author,
            user_content: take(&mut fields, "user_content", "userContent"),
            final_response: take(&mut fields, "final_response", "finalResponse"),
            app_details: take(&mut fields, "app_details", "appDetails"),
            timestamp: take(&mut fields, "creation_timestamp", "creationTimestamp"),
            intermediate,
        }
    }

    fn append_to(
        self,
        builder: &mut SessionBuilder,
        source: &SourceRecord,
        recorded: &mut Vec<Recorded>,
        findings: &mut Findings,
    ) {
        let Self { id, author, user_content, mut final_response, app_details, timestamp, intermediate } =
            self;
        let mut append = |mut event: Object, findings: &mut Findings| {
            event.insert("invocationId", id.clone());
            let event_index = builder.session.events.len();
            let last = builder.session.events.last().map_or(0.0, |event| event.timestamp);
            event.insert("timestamp", timestamp.clone().unwrap_or(Json::Float(last)));
            builder.push_event(event.into(), source.clone(), findings);
            event_index
        };
        let mut prompt = event_of("user", user_content);
        if let Some(details) = app_details {
            prompt.push("customMetadata", Object::from_iter([("appDetails", details)]));
        }
        append(prompt, findings);
        let n_intermediate = intermediate.len();
        for (index, mut event) in intermediate.into_iter().enumerate() {
            // ADK moves the content of the last event to the final response and leaves its usage behind.
            let has_no_words = event.get("content").is_none_or(Json::is_null);
            let is_final = index + 1 == n_intermediate && has_no_words && final_response.is_some();
            if is_final && let Some(words) = final_response.take() {
                event.insert("content", words);
            }
            recorded.push(Recorded { event: append(event, findings), is_final });
        }
        if let Some(words) = final_response {
            append(event_of(&author, Some(words)), findings);
        }
    }
}

fn event_of(author: &str, content: Option<Json>) -> Object {
    let mut event = Object::new();
    event.push("author", author);
    event.push_some("content", content);
    event
}

/// Events of both shapes of `intermediate_data`; `author` becomes the last one named.
fn intermediate_events(mut data: Object, author: &mut Str) -> Vec<Object> {
    if let Some(Json::Array(events)) = take(&mut data, "invocation_events", "invocationEvents") {
        let events = events.into_iter().filter_map(|event| match event {
            Json::Object(event) => Some(event),
            _ => None,
        });
        let events: Vec<_> = events.collect();
        name_last_author(&events, author);
        return events;
    }
    let mut texts = Vec::new();
    if let Some(Json::Array(responses)) = take(&mut data, "intermediate_responses", "intermediateResponses") {
        texts.extend(responses.into_iter().filter_map(intermediate_response));
    }
    name_last_author(&texts, author);
    let mut events = Vec::new();
    let lists = [
        ("tool_uses", "toolUses", "functionCall", "model"),
        ("tool_responses", "toolResponses", "functionResponse", "user"),
    ];
    for (snake, camel, field, role) in lists {
        if let Some(Json::Array(items)) = take(&mut data, snake, camel)
            && !items.is_empty()
        {
            let parts = items.into_iter().map(|item| Json::Object(Object::from_iter([(field, item)])));
            events.push(event_of(author, Some(content_of(role, parts.collect()))));
        }
    }
    events.extend(texts);
    events
}

fn name_last_author(events: &[Object], author: &mut Str) {
    let named = events.iter().rev().find_map(|event| event.get("author")?.as_str());
    if let Some(named) = named {
        *author = named.into();
    }
}

/// An event of `[author, [part, …]]`.
fn intermediate_response(response: Json) -> Option<Object> {
    let Json::Array(pair) = response else { return None };
    let mut pair = pair.into_iter();
    let (Some(Json::String(author)), Some(Json::Array(parts))) = (pair.next(), pair.next()) else {
        return None;
    };
    Some(event_of(&author, Some(content_of("model", parts))))
}

pub(super) fn content_of(role: &str, parts: Vec<Json>) -> Json {
    let mut content = Object::new();
    content.push("parts", parts);
    content.push("role", role);
    content.into()
}

/// The session inside the result of an evaluated case, when it was kept.
pub(super) fn session_of_result(
    result: Json,
    source: &SourceRecord,
    findings: &mut Findings,
) -> Option<SessionBuilder> {
    let Json::Object(mut result) = result else { return None };
    let eval_id = take_text(&mut result, "eval_id", "evalId").unwrap_or_default();
    let Some(Json::Object(mut session)) = take(&mut result, "session_details", "sessionDetails") else {
        let message = "the result of this case does not hold the session it ran; it was left out";
        findings.warning("no-session-details", format!("case {eval_id}"), message);
        return None;
    };
    let mut builder = SessionBuilder::at(format!("case {eval_id}"));
    match session.remove("events") {
        Some(Json::Array(events)) => {
            for event in events {
                builder.push_event(event, source.clone(), findings);
            }
        }
        Some(other) => drop(session.insert("events", other)),
        None => {}
    }
    builder.set_fields(session, findings);
    Some(builder)
}
