//! `.test.json` and evaluation sets of early ADK: questions with the tool calls and the answer that were expected.

use strata_model::{Json, Object, Str};

use super::evalset::content_of;
use super::session::SessionBuilder;
use super::spelling::{take, take_text};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::source::SourceRecord;

/// The session of a set `{name?, data: [item, …], initial_session}`, or `initial_state` in its place.
pub(super) fn session_of_set(
    mut set: Object,
    source: &SourceRecord,
    format: Format,
    findings: &mut Findings,
) -> Option<ImportedSession> {
    let Some(Json::Array(items)) = set.remove("data") else {
        let message = "the list `data` of this test holds no questions; nothing was imported";
        findings.error("not-a-session", "", message);
        return None;
    };
    let mut objects = Vec::with_capacity(items.len());
    for item in items {
        match item {
            Json::Object(item) => objects.push((item, source.clone())),
            other => {
                let message = format!("{} stands where a question should be; it was left out", other.kind());
                findings.warning("unexpected-type", "data", message);
            }
        }
    }
    let initial = match take(&mut set, "initial_session", "initialSession") {
        Some(Json::Object(initial)) => initial,
        _ => Object::from_iter(set.remove("initial_state").map(|state| ("state", state))),
    };
    let mut imported = session(objects, initial, format, findings);
    if let Some(name) = take_text(&mut set, "name", "name") {
        imported.title = name.to_string();
    }
    Some(imported)
}

/// One invocation an item. What was expected stands for what happened; the file says no more.
pub(super) fn session(
    items: Vec<(Object, SourceRecord)>,
    mut initial: Object,
    format: Format,
    findings: &mut Findings,
) -> ImportedSession {
    let message = "this test records what was expected, not what happened, without ids, times and authors";
    findings.info("guessed", "", message);
    let mut builder = SessionBuilder::default();
    builder.session.app_name = take_text(&mut initial, "app_name", "appName").unwrap_or_default();
    builder.session.user_id = take_text(&mut initial, "user_id", "userId").unwrap_or_default();
    if let Some(Json::Object(state)) = take(&mut initial, "state", "state") {
        builder.session.state = state;
    }
    let agent = match &builder.session.app_name {
        name if name.is_empty() => "agent".into(),
        name => name.clone(),
    };
    builder.note_rest("test.initialSession", &initial);
    for (index, (mut item, source)) in items.into_iter().enumerate() {
        for mut event in events_of(&mut item, &agent) {
            event.push("invocationId", format!("turn-{}", index + 1));
            builder.push_event(event.into(), source.clone(), findings);
        }
        builder.note_rest("test", &item);
    }
    builder.finish(format, findings)
}

fn events_of(item: &mut Object, agent: &Str) -> Vec<Object> {
    let mut events = Vec::new();
    let mut say = |author: &str, role: &str, parts: Vec<Json>| {
        let mut event = Object::new();
        event.push("author", author);
        event.push("content", content_of(role, parts));
        events.push(event);
    };
    let text_part = |text: Json| Json::Object(Object::from_iter([("text", text)]));
    if let Some(query) = item.remove("query") {
        say("user", "user", vec![text_part(query)]);
    }
    let calls: Vec<_> = list(item, "expected_tool_use").into_iter().map(call_part).collect();
    if !calls.is_empty() {
        say(agent, "model", calls);
    }
    for mut response in list(item, "expected_intermediate_agent_responses") {
        let author = take_text(&mut response, "author", "author").unwrap_or_else(|| agent.clone());
        if let Some(text) = response.remove("text") {
            say(&author, "model", vec![text_part(text)]);
        }
    }
    if let Some(reference) = item.remove("reference").filter(Json::is_truthy) {
        say(agent, "model", vec![text_part(reference)]);
    }
    events
}

/// Takes a list of objects; anything else is left where it is.
fn list(item: &mut Object, key: &str) -> Vec<Object> {
    let is_list =
        |value: &Json| value.as_array().is_some_and(|items| items.iter().all(|it| it.as_object().is_some()));
    if !item.get(key).is_some_and(is_list) {
        return Vec::new();
    }
    let Some(Json::Array(items)) = item.remove(key) else { return Vec::new() };
    let objects = items.into_iter().filter_map(|item| match item {
        Json::Object(object) => Some(object),
        _ => None,
    });
    objects.collect()
}

/// A call of `{tool_name, tool_input}`; what else is said stays with it.
fn call_part(mut tool_use: Object) -> Json {
    let mut call = Object::new();
    call.push_some("name", tool_use.remove("tool_name"));
    call.push_some("args", tool_use.remove("tool_input"));
    for (key, value) in tool_use {
        call.insert(key, value);
    }
    Object::from_iter([("functionCall", call)]).into()
}
