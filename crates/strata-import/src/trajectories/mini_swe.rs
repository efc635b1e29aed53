//! Trajectories of mini-swe-agent: messages, of which the assistant's keep the provider's whole answer under `extra`.

use strata_model::take::{take_object, take_text};
use strata_model::{Json, Object};
use strata_wire::message::{Role, Turn};
use strata_wire::usage;

use crate::documents::read_documents;
use crate::draft::say_turn;
use crate::draft::{Draft, EventDraft, Kind};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::time::take_time;
use crate::values::Value;

pub(crate) fn is_trajectory(keys: Keys<'_>) -> bool {
    keys.has("trajectory_format") || keys.inner_has("info", &["model_stats"])
}

pub(crate) fn read(bytes: &[u8], format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut sessions = Vec::new();
    for mut document in read_documents(bytes, &["messages"], findings) {
        let mut draft = Draft::new("mini-swe-agent", "mini-swe-agent");
        let fields = &mut document.fields;
        draft.session.id = take_text(fields, "instance_id").unwrap_or_default();
        let mut info = take_object(fields, "info").unwrap_or_default();
        for key in ["model_stats", "mini_version", "exit_status"] {
            if let Some(value) = info.remove(key) {
                draft.session.state.insert(key, value);
            }
        }
        for value in document.take("messages") {
            message(&mut draft, value);
        }
        document.fields.remove("trajectory_format");
        draft.note_rest("info", &info);
        draft.note_rest("trajectory", &document.fields);
        sessions.extend(draft.finish(format, findings));
    }
    sessions
}

fn message(draft: &mut Draft, value: Value) {
    let mut say = EventDraft::new(Kind::Notice, Vec::new(), value.source());
    let is_exit = value.json.get("role").and_then(Json::as_str) == Some("exit");
    if value.json.get("object").and_then(Json::as_str) == Some("response") {
        return response(draft, value.json, say);
    }
    let mut turn = draft.messages("message").read(value.json);
    let mut extra = take_object(&mut turn.rest, "extra").unwrap_or_default();
    say.time = take_time(&mut extra, "timestamp");
    if turn.role == Role::Model
        && let Some(mut response) = take_object(&mut extra, "response")
    {
        say.time = say.time.or_else(|| take_time(&mut response, "created"));
        say.id = take_text(&mut response, "id");
        say.model = take_text(&mut response, "model");
        say.finish = finish_of(&response);
        let counts = take_object(&mut response, "usage");
        say.usage = counts.and_then(|counts| usage::read(counts, "response.usage", &mut draft.unmapped));
    }
    turn.rest.remove("provider_specific_fields");
    for key in ["actions", "cost", "exit_status", "submission"] {
        extra.remove(key);
    }
    draft.note_rest("message.extra", &extra);
    if is_exit {
        // What the run ended with; no model wrote it, and none reads it.
        say.source_notes = Object::from_iter([("type", Json::from("exit")), ("text", turn.text().into())]);
        draft.push(say);
        return;
    }
    say_turn(draft, "message", turn, say);
}

/// An answer of the Responses API, which stands in the list as it came.
fn response(draft: &mut Draft, message: Json, mut say: EventDraft) {
    let Json::Object(mut message) = message else { return };
    let mut extra = take_object(&mut message, "extra").unwrap_or_default();
    say.time = take_time(&mut extra, "timestamp").or_else(|| take_time(&mut message, "created_at"));
    let answer = draft.reader().answer(Json::Object(message));
    (say.id, say.model, say.finish) = (answer.id, answer.model, answer.finish);
    (say.usage, say.error) = (answer.usage, answer.error);
    say_turn(draft, "message", answer.turn.unwrap_or_else(|| Turn::new(Role::Model)), say);
}

fn finish_of(response: &Object) -> Option<strata_model::Str> {
    let choice = response.get("choices")?.as_array()?.first()?;
    choice.get("finish_reason")?.as_str().map(Into::into)
}
