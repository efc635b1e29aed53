//! Sessions of goose in files: a line that says what the session is and a line a message; or one object with a
//! `conversation`.

use strata_model::{Json, Object};

use super::Chat;
use crate::documents::{Document, read_documents};
use crate::draft::{Draft, Kind, Say};
use crate::findings::Findings;
use crate::format::Format;
use crate::import::{ImportedSession, ParentSession};
use crate::source::SourceRecord;
use crate::take::{take_count, take_object, take_text, take_time};
use crate::usage::Counts;
use crate::values::Value;

pub(crate) fn read(bytes: &[u8], findings: &mut Findings) -> Vec<ImportedSession> {
    let mut sessions = Vec::new();
    let mut open: Option<(Chat, SourceRecord)> = None;
    let mut close = |chat: Option<(Chat, SourceRecord)>, findings: &mut Findings| {
        let Some((mut chat, source)) = chat else { return };
        chat.tell_sum(source);
        sessions.extend(chat.draft.finish(Format::GooseFile, findings));
    };
    for mut document in read_documents(bytes, &["conversation", "messages", ""], findings) {
        let mut messages = document.take("conversation");
        messages.extend(document.take("messages"));
        messages.extend(document.take(""));
        let Document { mut fields, source, .. } = document;
        // `{type: "message", message}` of a run.
        let kind = fields.get("type").and_then(Json::as_str).unwrap_or_default().to_owned();
        if kind == "message"
            && let Some(message) = take_object(&mut fields, "message")
        {
            fields = message;
        }
        if fields.contains_key("role") {
            let (chat, _) = open.get_or_insert_with(|| (chat_of(Object::new()), source.clone()));
            message(
                chat,
                Value { json: Json::Object(fields), bytes: bytes_of(&source), line: 0, is_glued: false },
            );
            continue;
        }
        if kind == "complete" {
            if let Some((chat, _)) = &mut open {
                chat.sum = Some(
                    Counts { total: take_count(&mut fields, "total_tokens"), ..Counts::default() }.reported(),
                );
            }
            continue;
        }
        close(open.take(), findings);
        let mut chat = chat_of(fields);
        messages.into_iter().for_each(|value| message(&mut chat, value));
        open = Some((chat, source));
    }
    close(open.take(), findings);
    sessions
}

fn bytes_of(source: &SourceRecord) -> std::ops::Range<u64> {
    match source {
        SourceRecord::Bytes(range) => range.clone(),
        SourceRecord::Row { .. } => 0..0,
    }
}

fn chat_of(mut about: Object) -> Chat {
    let mut draft = Draft::new("goose", "goose");
    draft.session.id = take_text(&mut about, "id").unwrap_or_default();
    draft.title = take_text(&mut about, "name").or_else(|| take_text(&mut about, "description"));
    let parent = take_text(&mut about, "parent_session_id").filter(|parent| !parent.is_empty());
    draft.parent = parent.map(|session_id| ParentSession { session_id, agent_id: draft.session.id.clone() });
    let time = take_time(&mut about, "created_at");
    draft.set_clock(time);
    let model =
        about.get("model_config").and_then(|config| config.get("model_name")?.as_str()).map(Into::into);
    let mut count = |key: &str| take_count(&mut about, key);
    let counts = Counts {
        input: count("accumulated_input_tokens"),
        output: count("accumulated_output_tokens"),
        cached: count("accumulated_cache_read_tokens"),
        written: count("accumulated_cache_write_tokens"),
        total: count("accumulated_total_tokens"),
        ..Counts::default()
    };
    // These are those of the last call, which are part of the sums.
    for key in ["total_tokens", "input_tokens", "output_tokens", "message_count", "updated_at"] {
        about.remove(key);
    }
    draft.note_rest("session", &about);
    let sum = counts.input.map(|_| counts.reported());
    Chat { model, sum, ..Chat::new(draft) }
}

fn message(chat: &mut Chat, value: Value) {
    let mut say = Say::new(Kind::Notice, Vec::new(), value.source());
    let Json::Object(mut message) = value.json else {
        return chat.draft.unmapped.field("message", "not an object", &value.json);
    };
    say.time = take_time(&mut message, "created");
    say.id = take_text(&mut message, "id");
    let role = take_text(&mut message, "role").unwrap_or_default();
    let content = message.remove("content").unwrap_or_default();
    let metadata = take_object(&mut message, "metadata").unwrap_or_default();
    chat.draft.note_rest("message", &message);
    chat.message(&role, content, metadata, say);
}
