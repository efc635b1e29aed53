//! Messages without anything around them: a list of them, or a conversation a line as for fine-tuning.

use strata_model::{Json, Object};

use crate::documents::read_documents;
use crate::draft::{Draft, Kind, Say};
use crate::findings::Findings;
use crate::format::Format;
use crate::import::ImportedSession;
use crate::message::say_message;
use crate::source::SourceRecord;
use crate::take::{take_first_text, take_list};
use crate::values::Value;

/// What lists of messages are called, in the order they are said in.
const LISTS: [&str; 13] = [
    "messages",
    "history",
    "conversations",
    "conversation",
    "dialog",
    "input.messages",
    "prompt",
    "chosen",
    "completion",
    "preferred_output",
    "",
    "rejected",
    "non_preferred_output",
];

/// How many of them are conversations; the others are answers that were not given.
const N_SAID: usize = 11;

fn list_of(value: &Json) -> Option<&[Json]> {
    LISTS[..N_SAID].iter().find_map(|list| value.get(list)?.as_array())
}

pub(crate) fn read(bytes: &[u8], findings: &mut Findings) -> Vec<ImportedSession> {
    let mut sessions = Vec::new();
    let mut loose: Vec<Value> = Vec::new();
    for (number, mut document) in read_documents(bytes, &LISTS, findings).into_iter().enumerate() {
        let (said, unsaid) = LISTS.split_at(N_SAID);
        let messages: Vec<Value> = said.iter().flat_map(|list| document.take(list)).collect();
        for list in unsaid {
            let n_unsaid = document.take(list).len();
            if n_unsaid > 0 {
                document.fields.push(*list, Json::Int(n_unsaid as i64));
            }
        }
        if messages.is_empty() {
            let SourceRecord::Bytes(bytes) = document.source else { continue };
            loose.push(Value { json: document.fields.into(), bytes, line: 0, is_glued: false });
            continue;
        }
        // A line may be a list of whole conversations.
        let (talks, messages): (Vec<Value>, Vec<Value>) =
            messages.into_iter().partition(|value| list_of(&value.json).is_some());
        for (at, talk) in talks.into_iter().enumerate() {
            let source = talk.source();
            let Json::Object(mut fields) = talk.json else { continue };
            let list =
                LISTS[..N_SAID].iter().find_map(|list| take_list(&mut fields, list)).unwrap_or_default();
            let SourceRecord::Bytes(bytes) = source else { continue };
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
    // A data set keeps the system prompt beside the messages.
    if let Some(text) = take_first_text(&mut fields, &["system", "system_prompt"]) {
        let message = Object::from_iter([("role", Json::from("system")), ("content", text.into())]);
        let source = messages.first().map(Value::source).into_iter().collect();
        let say = Say { sources: source, ..Say::new(Kind::Notice, Vec::new(), SourceRecord::Bytes(0..0)) };
        say_message(&mut draft, "message", message.into(), say);
    }
    draft.note_rest("conversation", &fields);
    for value in messages {
        let say = Say::new(Kind::Notice, Vec::new(), value.source());
        say_message(&mut draft, "message", value.json, say);
    }
    draft.finish(Format::Messages, findings)
}
