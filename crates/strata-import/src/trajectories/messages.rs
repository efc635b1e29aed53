//! Messages without anything around them: a list of them, or a conversation a line as for fine-tuning.

use strata_model::{Json, Object};

use crate::documents::read_documents;
use crate::draft::{Draft, Kind, Say};
use crate::findings::Findings;
use crate::format::Format;
use crate::import::ImportedSession;
use crate::message::say_message;
use crate::take::take_first_text;
use crate::values::Value;

pub(crate) fn read(bytes: &[u8], findings: &mut Findings) -> Vec<ImportedSession> {
    let mut sessions = Vec::new();
    let mut loose: Vec<Value> = Vec::new();
    for (number, mut document) in
        read_documents(bytes, &["messages", "history", ""], findings).into_iter().enumerate()
    {
        let mut messages = document.take("messages");
        messages.extend(document.take("history"));
        messages.extend(document.take(""));
        if messages.is_empty() {
            let crate::source::SourceRecord::Bytes(bytes) = document.source else { continue };
            loose.push(Value { json: document.fields.into(), bytes, line: 0, is_glued: false });
            continue;
        }
        // A line may be a list of whole conversations.
        let (talks, messages): (Vec<Value>, Vec<Value>) = messages
            .into_iter()
            .partition(|value| value.json.get("messages").is_some_and(|it| it.as_array().is_some()));
        for (at, talk) in talks.into_iter().enumerate() {
            let source = talk.source();
            let Json::Object(mut fields) = talk.json else { continue };
            let list = crate::take::take_list(&mut fields, "messages").unwrap_or_default();
            let crate::source::SourceRecord::Bytes(bytes) = source else { continue };
            let values =
                list.into_iter().map(|json| Value { json, bytes: bytes.clone(), line: 0, is_glued: false });
            sessions.extend(conversation(
                fields,
                values.collect(),
                &format!("{}.{}", number + 1, at + 1),
                findings,
            ));
        }
        if !messages.is_empty() {
            sessions.extend(conversation(document.fields, messages, &(number + 1).to_string(), findings));
        }
    }
    if !loose.is_empty() {
        sessions.extend(conversation(Object::new(), loose, "1", findings));
    }
    sessions
}

fn conversation(
    mut fields: Object,
    messages: Vec<Value>,
    number: &str,
    findings: &mut Findings,
) -> Option<ImportedSession> {
    let mut draft = Draft::new("messages", "assistant");
    let id = take_first_text(&mut fields, &["id", "session_id", "sessionId", "conversation_id"]);
    draft.session.id = id.unwrap_or_else(|| format!("conversation-{number}").into());
    draft.note_rest("conversation", &fields);
    for value in messages {
        let say = Say::new(Kind::Notice, Vec::new(), value.source());
        say_message(&mut draft, "message", value.json, say);
    }
    draft.finish(Format::Messages, findings)
}
