//! One invocation of an evaluation case, as events.

use strata_model::{Json, Object, Str};

use crate::adk::session::SessionBuilder;
use crate::adk::spelling::{take, take_text};
use crate::findings::Findings;
use crate::source::SourceRecord;

/// An event that was recorded as such, and whether its words were recorded as the final response instead.
pub(super) struct Recorded {
    /// Its place in the session.
    pub(super) event: usize,
    pub(super) is_final: bool,
}

pub(super) struct Invocation {
    id: Option<Str>,
    /// Who speaks where the set does not say.
    author: Str,
    prompt: Object,
    intermediate: Vec<Json>,
    final_response: Option<Json>,
    timestamp: Option<Json>,
}

impl Invocation {
    /// Reads an invocation of the session that is being built.
    pub(super) fn read(mut fields: Object, builder: &mut SessionBuilder) -> Self {
        let app_name = &builder.session.app_name;
        let mut author = if app_name.is_empty() { "agent".into() } else { app_name.clone() };
        let intermediate = match take(&mut fields, "intermediate_data", "intermediateData") {
            Some(Json::Object(mut data)) => {
                let events = intermediate_events(&mut data, &mut author);
                builder.note_rest("evalCase.invocation.intermediateData", &data);
                events
            }
            _ => Vec::new(),
        };
        let mut prompt = event_of("user", take(&mut fields, "user_content", "userContent"));
        if let Some(details) = take(&mut fields, "app_details", "appDetails") {
            prompt.push("customMetadata", Object::from_iter([("appDetails", details)]));
        }
        let invocation = Self {
            id: take_text(&mut fields, "invocation_id", "invocationId"),
            author,
            prompt,
            intermediate,
            final_response: take(&mut fields, "final_response", "finalResponse"),
            timestamp: take(&mut fields, "creation_timestamp", "creationTimestamp"),
        };
        builder.note_rest("evalCase.invocation", &fields);
        invocation
    }

    pub(super) fn append_to(
        self,
        builder: &mut SessionBuilder,
        source: &SourceRecord,
        recorded: &mut Vec<Recorded>,
        findings: &mut Findings,
    ) {
        let timestamp = self.timestamp.unwrap_or_else(|| builder.last_timestamp().into());
        let mut append = |event: Json| {
            let place = builder.session.events.len();
            let event = match event {
                Json::Object(mut event) => {
                    event.push_some("invocationId", self.id.clone());
                    event.push("timestamp", timestamp.clone());
                    event.into()
                }
                other => other,
            };
            builder.push_event(event, source.clone(), findings);
            place
        };
        append(self.prompt.into());
        let mut words = self.final_response;
        let n_intermediate = self.intermediate.len();
        for (index, mut event) in self.intermediate.into_iter().enumerate() {
            let is_last = index + 1 == n_intermediate;
            let is_final = is_last && give_words(&mut event, &mut words);
            recorded.push(Recorded { event: append(event), is_final });
        }
        if let Some(words) = words {
            append(event_of(&self.author, Some(words)).into());
        }
    }
}

/// ADK moves the content of the last event to the final response and leaves the usage behind; this moves it back.
fn give_words(event: &mut Json, words: &mut Option<Json>) -> bool {
    let Json::Object(event) = event else { return false };
    if words.is_none() || event.get("content").is_some_and(|content| !content.is_null()) {
        return false;
    }
    if let Some(words) = words.take() {
        event.insert("content", words);
    }
    true
}

fn event_of(author: &str, content: Option<Json>) -> Object {
    let mut event = Object::new();
    event.push("author", author);
    event.push_some("content", content);
    event
}

/// Takes the events out of either shape of `intermediate_data`; `author` becomes the last one named.
fn intermediate_events(data: &mut Object, author: &mut Str) -> Vec<Json> {
    if let Some(Json::Array(events)) = take(data, "invocation_events", "invocationEvents") {
        name_last_author(&events, author);
        return events;
    }
    let mut texts = Vec::new();
    if let Some(Json::Array(responses)) = take(data, "intermediate_responses", "intermediateResponses") {
        texts.extend(responses.into_iter().map(intermediate_response));
    }
    name_last_author(&texts, author);
    let lists = [
        ("tool_uses", "toolUses", "functionCall", "model"),
        ("tool_responses", "toolResponses", "functionResponse", "user"),
    ];
    let mut events = Vec::new();
    for (snake, camel, field, role) in lists {
        if let Some(Json::Array(items)) = take(data, snake, camel)
            && !items.is_empty()
        {
            let parts = items.into_iter().map(|item| Json::Object(Object::from_iter([(field, item)])));
            events.push(event_of(author, Some(content_of(role, parts.collect()))).into());
        }
    }
    events.extend(texts);
    events
}

fn name_last_author(events: &[Json], author: &mut Str) {
    if let Some(named) = events.iter().rev().find_map(|event| event.get("author")?.as_str()) {
        *author = named.into();
    }
}

/// An event of `[author, [part, …]]`; anything else as it is.
fn intermediate_response(response: Json) -> Json {
    match response.as_array() {
        Some([Json::String(author), Json::Array(parts)]) => {
            event_of(author, Some(content_of("model", parts.clone()))).into()
        }
        _ => response,
    }
}

pub(in crate::adk) fn content_of(role: &str, parts: Vec<Json>) -> Json {
    let mut content = Object::new();
    content.push("parts", parts);
    content.push("role", role);
    content.into()
}
