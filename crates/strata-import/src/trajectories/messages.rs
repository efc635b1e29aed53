//! Messages without anything around them: a list of them, or a conversation a line as for fine-tuning.

use std::ops::Range;

use strata_model::take::{take_first_text, take_list};
use strata_model::{Json, Object};

use crate::document_file::DocumentFormat;
use crate::documents::Document;
use crate::draft::say_message;
use crate::draft::{Draft, EventDraft, Kind};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::traffic::provider_log::is_record as is_model_traffic;
use crate::values::Value;

/// Every list that is read element by element.
const LISTS: [&str; 13] = [
    "messages",
    "history",
    "conversations",
    "conversation",
    "dialog",
    "chosen",
    "input.messages",
    "prompt",
    "completion",
    "preferred_output",
    "rejected",
    "non_preferred_output",
    "",
];

/// What comes first in a record, the conversation, and how it ends. Of each, the first list that is there is said.
const SAID: [&[&str]; 3] = [
    &["prompt", "input.messages"],
    &["messages", "history", "conversations", "conversation", "dialog", "chosen"],
    &["completion", "preferred_output"],
];

/// The list at a path such as `input.messages`.
fn list_at<'j>(value: &'j Json, path: &str) -> Option<&'j [Json]> {
    path.split('.').try_fold(value, |value, key| value.get(key))?.as_array()
}

/// Takes that list; every element stands at the place of the whole.
fn take_list_at(fields: &mut Object, path: &str, bytes: &Range<u64>) -> Vec<Value> {
    let taken = match path.split_once('.') {
        None => take_list(fields, path),
        Some((key, rest)) => fields
            .get_mut(key)
            .and_then(|inner| if let Json::Object(inner) = inner { take_list(inner, rest) } else { None }),
    };
    let items = taken.unwrap_or_default().into_iter();
    items.map(|json| Value { json, bytes: bytes.clone(), line: 0, is_glued: false }).collect()
}

/// Whether a value is a conversation rather than a message.
fn is_conversation(value: &Json) -> bool {
    // Most values are messages, which have none of these.
    let leads = |key: &str| LISTS.iter().any(|list| list.split('.').next() == Some(key));
    value.as_object().is_some_and(|fields| fields.keys().any(|key| leads(key)))
        && SAID.iter().copied().flatten().any(|list| list_at(value, list).is_some())
}

/// The messages of a record, in their order. Its lists overlap: a pair of answers repeats the prompt before each, and
/// some writers keep the chosen conversation once more as `messages`. Lists that are not said are counted.
fn said(mut take: impl FnMut(&str) -> Vec<Value>) -> (Vec<Value>, Object) {
    let mut whole: Vec<Value> = Vec::new();
    let mut unsaid = Object::new();
    for names in SAID {
        let mut lists = names.iter().map(|name| (*name, take(name))).filter(|(_, list)| !list.is_empty());
        let next = lists.next().map(|(_, list)| list).unwrap_or_default();
        lists.for_each(|(name, list)| unsaid.push(name, Json::Int(list.len() as i64)));
        if holds(&next, &whole) {
            whole = next;
        } else if !holds(&whole, &next) {
            whole.extend(next);
        }
    }
    for name in LISTS.iter().filter(|name| !name.is_empty()) {
        let n_unsaid = take(name).len();
        if n_unsaid > 0 {
            unsaid.push(*name, Json::Int(n_unsaid as i64));
        }
    }
    (whole, unsaid)
}

/// Whether a list has all of another in a row.
fn holds(list: &[Value], part: &[Value]) -> bool {
    let is_same = |(one, other): (&Value, &Value)| one.json == other.json;
    part.is_empty() || list.windows(part.len()).any(|some| some.iter().zip(part).all(is_same))
}

/// Lists of messages in data sets.
const TALKS: [&str; 5] = ["conversations", "conversation", "chosen", "prompt", "dialog"];

/// A message of a framework, or in the spelling of data sets.
fn is_foreign_message(keys: Keys<'_>) -> bool {
    let is_of_langchain = matches!(keys.kind(), "human" | "ai" | "system" | "tool" | "chat")
        && keys.has_any(&["data", "content"]);
    is_of_langchain || keys.has_all(&["lc", "kwargs"]) || keys.has_all(&["from", "value"])
}

/// A message as providers take it.
pub(crate) fn is_said(keys: Keys<'_>) -> bool {
    let is_of_dotnet = keys.has("Role") && keys.first_has("Items", &["$type"]);
    is_of_dotnet || keys.has("role") && keys.has_any(&["content", "tool_calls", "parts"])
}

/// A message of a framework that is no record of Claude Code, which have types and contents, too.
pub(crate) fn is_of_framework(keys: Keys<'_>) -> bool {
    is_foreign_message(keys) && !keys.has_any(&["session_id", "sessionId", "uuid", "parentUuid"])
}

/// An element of a list of messages.
pub(crate) fn is_listed_message(keys: Keys<'_>) -> bool {
    is_of_framework(keys) || is_said(keys)
}

/// A conversation in the spelling of a data set, or messages that are neither a request nor an answer.
pub(crate) fn is_talk(keys: Keys<'_>) -> bool {
    // A prompt for a model that is named is a request.
    let talks = TALKS.iter().filter(|list| **list != "prompt" || !keys.has("model"));
    let mut firsts = talks.filter_map(|list| keys.first_of(list));
    let is_talk = firsts.any(|first| is_foreign_message(first) || first.has("role"));
    let is_preference = keys.inner_has("input", &["messages"]) && keys.has("preferred_output");
    let is_plain = keys.has("messages") || is_foreign_message(keys) || is_said(keys);
    is_talk || is_preference || (is_plain && !is_model_traffic(keys))
}

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &LISTS, repeats: false, read, read_other: None };

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut sessions = Vec::new();
    let mut loose: Vec<Value> = Vec::new();
    for (number, mut document) in documents.into_iter().enumerate() {
        let number = number + 1;
        let (mut messages, unsaid) = said(|list| document.take(list));
        messages.extend(document.take(""));
        let mut fields = document.fields;
        fields.update(&unsaid);
        if messages.is_empty() {
            let SourceRecord::Bytes(bytes) = document.source else { continue };
            loose.push(Value { json: fields.into(), bytes, line: 0, is_glued: false });
            continue;
        }
        // A line may be a list of whole conversations.
        let (talks, messages): (Vec<Value>, Vec<Value>) =
            if messages.iter().any(|value| is_conversation(&value.json)) {
                messages.into_iter().partition(|value| is_conversation(&value.json))
            } else {
                (Vec::new(), messages)
            };
        for (at, talk) in talks.into_iter().enumerate() {
            let Json::Object(mut fields) = talk.json else { continue };
            let (messages, unsaid) = said(|list| take_list_at(&mut fields, list, &talk.bytes));
            fields.update(&unsaid);
            sessions.extend(conversation(
                fields,
                messages,
                &format!("{number}.{}", at + 1),
                format,
                findings,
            ));
        }
        if !messages.is_empty() {
            sessions.extend(conversation(fields, messages, &number.to_string(), format, findings));
        }
    }
    if !loose.is_empty() {
        sessions.extend(conversation(Object::new(), loose, "1", format, findings));
    }
    sessions
}

fn conversation(
    mut fields: Object,
    messages: Vec<Value>,
    number: &str,
    format: Format,
    findings: &mut Findings,
) -> Option<ImportedSession> {
    let mut draft = Draft::new("messages", "assistant");
    let id = take_first_text(&mut fields, &["id", "session_id", "sessionId", "conversation_id"]);
    draft.session.id = id.unwrap_or_else(|| format!("conversation-{number}").into());
    // A data set keeps the system prompt beside the messages.
    if let Some(text) = take_first_text(&mut fields, &["system", "system_prompt"]) {
        let message = Object::from_iter([("role", Json::from("system")), ("content", text.into())]);
        let source = messages.first().map(Value::source).into_iter().collect();
        let say = EventDraft {
            sources: source,
            ..EventDraft::new(Kind::Notice, Vec::new(), SourceRecord::Bytes(0..0))
        };
        say_message(&mut draft, "message", message.into(), say);
    }
    draft.note_rest("conversation", &fields);
    for value in messages {
        let say = EventDraft::new(Kind::Notice, Vec::new(), value.source());
        say_message(&mut draft, "message", value.json, say);
    }
    draft.finish(format, findings)
}
