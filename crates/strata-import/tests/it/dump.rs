//! Imports as compact text, to be read by people.

use std::fmt::Write as _;

use strata_import::{Import, ImportedSession, SourceRecord};
use strata_model::{Event, Object, Part, json};

pub(crate) fn dump(import: &Import) -> String {
    let mut out = String::new();
    for session in &import.sessions {
        session_text(&mut out, session);
    }
    for found in &import.diagnostics {
        writeln!(out, "{:?} {} at {:?}: {}", found.severity, found.code, found.at, found.message).unwrap();
    }
    out
}

fn session_text(out: &mut String, imported: &ImportedSession) {
    let session = &imported.session;
    let (id, app, user) = (&session.id, &session.app_name, &session.user_id);
    writeln!(out, "session {id:?} of app {app:?}, user {user:?}: {:?}", imported.title).unwrap();
    writeln!(out, "  format {}, last update {}", imported.format.id(), session.last_update_time).unwrap();
    if let Some(parent) = &imported.parent {
        writeln!(out, "  sub-agent {} of session {}", parent.agent_id, parent.session_id).unwrap();
    }
    writeln!(out, "  state {}", object(&session.state)).unwrap();
    for (index, (event, sources)) in session.events.iter().zip(&imported.sources).enumerate() {
        event_text(out, index + 1, event, sources);
    }
    for request in &imported.requests {
        let answer = request.answer.map_or("nothing".to_owned(), |at| format!("E{}", at + 1));
        let it = request.alignment;
        let (shared, appended, removed, rewritten) = (it.shared, it.appended, it.removed, it.rewritten);
        let bytes = json::to_compact(&request.body).len();
        writeln!(out, "  request of {bytes} bytes answered by {answer}: {shared} shared, {appended} appended, {removed} removed, {rewritten} rewritten").unwrap();
    }
    let counts: Vec<_> = imported.unmapped.counts().map(|(name, count)| format!("{name} {count}")).collect();
    writeln!(out, "  unmapped: {}", counts.join(", ")).unwrap();
    writeln!(out, "  {}", serde_json::to_string(&imported.summary()).unwrap()).unwrap();
}

fn event_text(out: &mut String, number: usize, event: &Event, sources: &[SourceRecord]) {
    let branch = event.branch.as_deref().map(|branch| format!(" on {branch}")).unwrap_or_default();
    let (author, invocation) = (&event.author, &event.invocation_id);
    write!(out, "  E{number} {author}{branch}, invocation {invocation:?}, id {:?}, ", event.id).unwrap();
    writeln!(
        out,
        "at {}, from {}",
        event.timestamp,
        sources.iter().map(source).collect::<Vec<_>>().join(" ")
    )
    .unwrap();
    for part in event.parts() {
        writeln!(out, "     {}", part_text(part)).unwrap();
    }
    if let Some(compaction) = &event.actions.compaction {
        let span = (compaction.start_timestamp, compaction.end_timestamp);
        writeln!(out, "     compaction of {span:?}").unwrap();
        for part in compaction.compacted_content.iter().flat_map(|content| content.parts()) {
            writeln!(out, "       {}", part_text(part)).unwrap();
        }
    }
    rest_text(out, event);
}

/// What is left of an event when everything printed already is taken away.
fn rest_text(out: &mut String, event: &Event) {
    let mut rest = event.clone();
    rest.content = None;
    rest.actions.compaction = None;
    let strata_model::Json::Object(mut rest) = strata_model::FromJson::to_json(&rest) else {
        panic!("an object")
    };
    for key in ["author", "invocationId", "id", "timestamp", "branch"] {
        rest.remove(key);
    }
    if let Some(strata_model::Json::Object(actions)) = rest.get_mut("actions") {
        actions.retain(|_, value| value.is_truthy());
    }
    rest.retain(|key, value| {
        value.is_truthy() && !(key == "nodeInfo" && value.get("path") == Some(&"".into()))
    });
    for (key, value) in rest.iter() {
        writeln!(out, "     {key} {}", json::to_compact(value)).unwrap();
    }
}

fn part_text(part: &Part) -> String {
    let mut out = String::new();
    if let Some(text) = &part.text {
        write!(out, "{} {text:?}", if part.is_thought() { "thought" } else { "text" }).unwrap();
    }
    if let Some(call) = &part.function_call {
        let args = call.args.as_ref().map(|args| object(args)).unwrap_or_default();
        write!(out, "call {}{args} {:?}", name(call.name.as_deref()), call.id).unwrap();
    }
    if let Some(response) = &part.function_response {
        let answer = response.response.as_ref().map(|answer| object(answer)).unwrap_or_default();
        write!(out, "result {}{answer} {:?}", name(response.name.as_deref()), response.id).unwrap();
        if !response.other.is_empty() {
            write!(out, " {}", object(&response.other)).unwrap();
        }
    }
    if let Some(blob) = &part.inline_data {
        write!(out, "data {}, {:?}", name(blob.mime_type.as_deref()), blob.data.as_deref()).unwrap();
    }
    if let Some(signature) = &part.thought_signature {
        write!(out, " signed {}", &**signature).unwrap();
    }
    if !part.other.is_empty() {
        write!(out, "other {}", object(&part.other)).unwrap();
    }
    out
}

fn name(name: Option<&str>) -> &str {
    name.unwrap_or("?")
}

fn object(object: &Object) -> String {
    json::object_to_compact(object)
}

fn source(source: &SourceRecord) -> String {
    match source {
        SourceRecord::Bytes(range) => format!("{}..{}", range.start, range.end),
        SourceRecord::Row { table, id } => format!("{table}[{id}]"),
    }
}
