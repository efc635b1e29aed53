//! Messages of Pydantic AI, as its adapter writes them: requests and responses, of parts with a `part_kind`.

use strata_model::take::{take_any, take_first_text, take_list, take_object, take_text};
use strata_model::{Base64, Blob, FileData, Json, Object, Part, Str, json};
use strata_wire::message::{Role, Turn, thought};
use strata_wire::usage::UsageReport;
use strata_wire::usage::spelling::PYDANTIC_AI;

use crate::document_file::DocumentFormat;
use crate::documents::Document;
use crate::draft::{Draft, EventDraft, Kind, kind_of};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::time::{take_time, time_of};
use crate::values::Value;

/// A message, or what holds a list of them.
pub(crate) fn is_messages(keys: Keys<'_>) -> bool {
    let is_one = |keys: Keys<'_>| matches!(keys.text("kind"), "request" | "response") && keys.has("parts");
    is_one(keys) || LISTS.iter().any(|list| keys.first_of(list).is_some_and(is_one))
}

/// The list itself, and the names that programs keep it under.
const LISTS: [&str; 4] = ["", "messages", "message_history", "all_messages"];

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &LISTS, repeats: false, read, read_other: None };

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut sessions = Vec::new();
    let mut loose = Vec::new();
    for mut document in documents {
        let messages: Vec<Value> = LISTS.iter().flat_map(|list| document.take(list)).collect();
        if messages.is_empty() {
            // Messages may stand one a line.
            let SourceRecord::Bytes(bytes) = document.source else { continue };
            loose.push(Value { json: document.fields.into(), bytes, line: 0, is_glued: false });
        } else {
            sessions.extend(conversations(document.fields, messages, format, findings));
        }
    }
    if !loose.is_empty() {
        sessions.extend(conversations(Object::new(), loose, format, findings));
    }
    sessions
}

/// The conversations of a list, each by its id.
fn conversations(
    mut fields: Object,
    messages: Vec<Value>,
    format: Format,
    findings: &mut Findings,
) -> Vec<ImportedSession> {
    let own = take_first_text(&mut fields, &["id", "session_id", "conversation_id"]);
    let mut readings: Vec<(Option<Str>, Reading)> = Vec::new();
    for value in messages {
        let source = value.source();
        let Json::Object(message) = value.json else {
            if let Some((_, reading)) = readings.last_mut() {
                reading.draft.unmapped.record("record that is no message", source);
            }
            continue;
        };
        let id = message.get("conversation_id").and_then(Json::as_str).map(Str::from);
        // Older versions give none, and neither do messages of a program's own.
        let known = readings.iter().position(|(known, _)| id.is_none() || known.is_none() || *known == id);
        let at = known.unwrap_or_else(|| {
            readings.push((None, Reading::new(own.clone())));
            readings.len() - 1
        });
        let (known, reading) = &mut readings[at];
        if let (None, Some(id)) = (&known, id) {
            reading.draft.session.id = id.clone();
            *known = Some(id);
        }
        reading.message(message, source);
    }
    if let Some((_, first)) = readings.first_mut() {
        first.draft.note_rest("history", &fields);
    }
    readings.into_iter().filter_map(|(_, reading)| reading.draft.finish(format, findings)).collect()
}

struct Reading {
    draft: Draft,
    instructions: Str,
    is_response: bool,
}

impl Reading {
    fn new(id: Option<Str>) -> Self {
        let mut draft = Draft::new("pydantic-ai", "agent");
        draft.session.id = id.unwrap_or_default();
        Self { draft, instructions: Str::default(), is_response: false }
    }

    fn message(&mut self, mut message: Object, source: SourceRecord) {
        let kind = take_text(&mut message, "kind").unwrap_or_default();
        message.remove("conversation_id");
        let base = EventDraft {
            time: take_time(&mut message, "timestamp"),
            invocation: take_first_text(&mut message, &["run_id"]),
            ..EventDraft::new(Kind::Notice, Vec::new(), source)
        };
        if message.get("state").and_then(Json::as_str) == Some("complete") {
            message.remove("state");
        }
        let parts = take_list(&mut message, "parts").unwrap_or_default();
        self.is_response = &*kind == "response";
        if self.is_response {
            self.response(parts, &mut message, base);
        } else {
            self.request(parts, &mut message, &base);
        }
        self.draft.note_rest(if self.is_response { "response" } else { "request" }, &message);
    }

    fn request(&mut self, parts: Vec<Json>, message: &mut Object, base: &EventDraft) {
        // They are sent before everything else, with each request.
        let instructions = take_first_text(message, &["instructions"]).unwrap_or_default();
        if !instructions.is_empty() && instructions != self.instructions {
            let said = vec![Part::from_text(instructions.clone())];
            let first = parts.first().and_then(|part| time_of(part.get("timestamp")?));
            let say = EventDraft { time: first.or(base.time), ..base.clone() };
            self.draft.push(EventDraft { kind: Kind::Injected("system".into()), parts: said, ..say });
            self.instructions = instructions;
        }
        // Results come together in one event, as they do in one message.
        let mut results: Option<usize> = None;
        for part in parts {
            let Some(mut part) = self.draft.object("parts", part) else { continue };
            let kind = take_text(&mut part, "part_kind").unwrap_or_default();
            let time = take_time(&mut part, "timestamp").or(base.time);
            let say = EventDraft { time, ..base.clone() };
            let mut turn = Turn::new(Role::User);
            let said = match &*kind {
                "system-prompt" => Some(Kind::Injected("system".into())),
                "user-prompt" => None,
                "tool-return" | "builtin-tool-return" => {
                    self.result(&mut part, &mut turn);
                    Some(Kind::Results)
                }
                // A call that has to be made anew answers itself.
                "retry-prompt" if part.get("tool_name").is_some_and(Json::is_truthy) => {
                    part.insert("outcome", "retried");
                    self.result(&mut part, &mut turn);
                    Some(Kind::Results)
                }
                "retry-prompt" | "retry-feedback" => Some(Kind::Injected("retry".into())),
                "compaction" => Some(Kind::Compaction),
                kind => Some(Kind::Injected(kind.into())),
            };
            if said != Some(Kind::Results) {
                let content = match part.remove("content") {
                    // Errors of a validation are sent as the list they are.
                    Some(errors @ Json::Array(_)) if kind.starts_with("retry-") => {
                        Some(json::to_compact(&errors).into())
                    }
                    content => content,
                };
                self.content(content, &mut turn);
                let words = take_first_text(&mut part, &["transcript"]);
                turn.parts.extend(words.map(Part::from_text));
            }
            self.part_rest(&kind, &part);
            if turn.parts.is_empty() {
                // What only says how the request was made: nothing of it was sent as a message.
                if !matches!(&*kind, "user-prompt" | "system-prompt") {
                    self.draft.unmapped.field("part", &kind, &Json::Bool(true));
                }
                continue;
            }
            match (said, results) {
                (Some(Kind::Results), Some(at)) => {
                    self.draft.note_result_bytes(turn.result_bytes);
                    self.draft.extend(at, turn.parts, None);
                }
                (Some(Kind::Results), None) => results = Some(self.draft.push_turn(turn, say)),
                (said, _) => {
                    let kind = said.unwrap_or_else(|| kind_of(&turn));
                    self.draft.push(EventDraft { kind, parts: turn.parts, ..say });
                }
            }
        }
    }

    fn response(&mut self, parts: Vec<Json>, message: &mut Object, base: EventDraft) {
        let mut turn = Turn::new(Role::Model);
        for part in parts {
            let Some(mut part) = self.draft.object("parts", part) else { continue };
            let kind = take_text(&mut part, "part_kind").unwrap_or_default();
            match &*kind {
                "thinking" => {
                    let mut said = thought(take_text(&mut part, "content").unwrap_or_default());
                    if let Some(sealed) = take_first_text(&mut part, &["signature"]) {
                        let notes = [("encrypted", Json::Bool(true)), ("content", sealed.into())];
                        said.other.push("partMetadata", Object::from_iter(notes));
                    }
                    turn.parts.push(said);
                }
                "tool-call" => {
                    let (id, name) = call_of(&mut part);
                    let args = part.remove("args");
                    self.draft.messages("part").push_call(id, name, args, &mut turn);
                }
                "builtin-tool-call" => turn.parts.push(provider_tool("toolCall", "args", "args", &mut part)),
                "builtin-tool-return" => {
                    turn.parts.push(provider_tool("toolResponse", "response", "content", &mut part));
                }
                "compaction" if part.get("content").is_none_or(Json::is_null) => {
                    let mut sealed = Part::default();
                    let notes = [("type", Json::from("compaction")), ("encrypted", Json::Bool(true))];
                    sealed.other.push("partMetadata", Object::from_iter(notes));
                    turn.parts.push(sealed);
                }
                _ => {
                    let words = take_first_text(&mut part, &["transcript"]);
                    self.content(part.remove("content").or(words.map(Json::String)), &mut turn);
                }
            }
            self.part_rest(&kind, &part);
        }
        let usage = take_object(message, "usage").and_then(|counted| self.usage(counted));
        let id = take_first_text(message, &["provider_response_id", "vendor_id"]);
        let say = EventDraft {
            id,
            usage,
            model: take_first_text(message, &["model_name"]),
            finish: take_first_text(message, &["finish_reason"]),
            ..base
        };
        self.draft.note_result_bytes(turn.result_bytes);
        self.draft.push(EventDraft { kind: Kind::Response, parts: turn.parts, ..say });
    }

    /// Counts, where there are any: a response whose provider said nothing has zeros.
    fn usage(&mut self, mut counted: Object) -> Option<UsageReport> {
        let counts = PYDANTIC_AI.take(&mut counted);
        // Details repeat counts that have a name of their own, and zeros of audio say that there was none.
        if let Some(details) = take_object(&mut counted, "details") {
            let other = details.iter().filter(|(key, value)| !is_counted(key) && value.is_truthy());
            other.for_each(|(key, value)| self.draft.unmapped.field("usage.details", key, value));
        }
        counted.retain(|_, value| value.is_truthy());
        self.draft.note_rest("usage", &counted);
        counts.has_tokens().then(|| counts.into())
    }

    fn result(&mut self, part: &mut Object, turn: &mut Turn) {
        let (id, name) = call_of(part);
        let outcome = take_text(part, "outcome");
        let is_error = outcome.is_some_and(|outcome| &*outcome != "success");
        let content = part.remove("content");
        self.draft.messages("part").result(id, name, content, is_error, turn);
    }

    /// Words, files, or a list of both.
    fn content(&mut self, content: Option<Json>, turn: &mut Turn) {
        match content {
            None | Some(Json::Null) => {}
            Some(Json::String(text)) if text.is_empty() => {}
            Some(Json::String(text)) => turn.parts.push(Part::from_text(text)),
            Some(Json::Array(items)) => items.into_iter().for_each(|item| self.content(Some(item), turn)),
            Some(Json::Object(item)) => self.item(item, turn),
            Some(other) => turn.parts.push(Part::from_text(json::to_compact(&other))),
        }
    }

    fn item(&mut self, mut item: Object, turn: &mut Turn) {
        let kind = take_text(&mut item, "kind").unwrap_or_default();
        let mime_type = take_first_text(&mut item, &["media_type"]);
        let url = take_first_text(&mut item, &["url", "file_id"]);
        if let Some(data) = take_text(&mut item, "data") {
            let blob = Blob { data: Some(Base64::new(data)), mime_type, ..Blob::default() };
            turn.parts.push(Part { inline_data: Some(Box::new(blob)), ..Part::default() });
        } else if let Some(url) = url {
            let file = FileData { file_uri: Some(url), mime_type, ..FileData::default() };
            turn.parts.push(Part { file_data: Some(Box::new(file)), ..Part::default() });
        } else if let Some(content) = take_any(&mut item, &["content"]) {
            self.content(Some(content), turn);
        } else if &*kind != "cache-point" {
            turn.parts.push(Part::from_text(json::object_to_compact(&item)));
            return;
        }
        item.remove("identifier");
        let owner = if kind.is_empty() { "content".to_owned() } else { format!("content.{kind}") };
        self.draft.note_rest(&owner, &item);
    }

    fn part_rest(&mut self, kind: &str, part: &Object) {
        let owner = format!("part.{kind}");
        let says_nothing = |value: &Json| matches!(value, Json::Array(items) if items.is_empty());
        for (key, value) in part.iter().filter(|(key, _)| !matches!(&***key, "id" | "scope")) {
            if !says_nothing(value) {
                self.draft.unmapped.field(&owner, key, value);
            }
        }
    }
}

fn is_counted(key: &str) -> bool {
    let counted = ["reasoning_tokens", "thoughts_tokens", "cached_tokens", "cache_read_tokens"];
    let of_anthropic =
        ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
    counted.contains(&key) || of_anthropic.contains(&key)
}

fn call_of(part: &mut Object) -> (Option<Str>, Option<Str>) {
    (take_first_text(part, &["tool_call_id"]), take_first_text(part, &["tool_name"]))
}

/// A tool that ran at the provider, in the shape genai gives it.
fn provider_tool(field: &str, payload: &str, key: &str, part: &mut Object) -> Part {
    let (id, name) = call_of(part);
    let mut tool = Object::new();
    tool.push_some("id", id);
    tool.push_some("toolType", name);
    tool.push_some(payload, part.remove(key).filter(|value| !value.is_null()));
    let mut said = Part::default();
    said.other.push(field, tool);
    said
}
