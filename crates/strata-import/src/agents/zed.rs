//! The database of Zed's agent: threads as JSON, most of them packed with Zstandard.

use std::collections::HashMap;
use std::io::Read as _;

use strata_model::take::{take_any, take_first_text, take_list, take_object, take_text};
use strata_model::{Json, Object, Part, Str, json};
use strata_wire::message::{Role, Turn, thought};
use strata_wire::usage::Counts;
use strata_wire::usage::spelling::ZED;

use crate::draft::{Draft, EventDraft, Kind, kind_of};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::{ImportedSession, ParentSession};
use crate::own_total;
use crate::rows::text_of;
use crate::source::SourceRecord;
use crate::tables::{self, SqlValue, Table, TableError, TableSource};
use crate::time::{epoch_seconds, time_of};

/// A thread larger than this is not unpacked.
const LARGEST: u64 = 512 * 1024 * 1024;

pub(crate) fn is_database(all: &[Table]) -> bool {
    tables::has_column(all, "threads", "data_type") && tables::has_column(all, "threads", "data")
}

pub(crate) fn read_tables(
    source: &mut dyn TableSource,
    format: Format,
    findings: &mut Findings,
) -> Result<Vec<ImportedSession>, TableError> {
    let mut sessions = Vec::new();
    let columns = ["id", "summary", "updated_at", "data_type", "data"];
    source.rows("threads", &columns, &["updated_at", "id"], &mut |row| {
        let id = text_of(row.first()).unwrap_or_default();
        let place = format!("thread {id}");
        let packed = match row.get(4) {
            Some(SqlValue::Blob(bytes)) => *bytes,
            Some(SqlValue::Text(text)) => text.as_bytes(),
            _ => &[],
        };
        let unpacked = match text_of(row.get(3)).as_deref() {
            Some("zstd") => unpack(packed),
            _ => Some(packed.to_vec()),
        };
        let thread = unpacked.and_then(|bytes| json::parse(&bytes).ok());
        let Some(Json::Object(thread)) = thread else {
            let message = "a thread could not be unpacked or read; it was left out";
            return findings.error("broken-row", place, message);
        };
        let record = SourceRecord::Row { table: "threads", id: id.clone() };
        let updated = text_of(row.get(2)).and_then(|time| epoch_seconds(&time));
        let draft = read_thread(thread, id, text_of(row.get(1)), updated, record, findings);
        if draft.len() == 0 {
            return findings.info("empty-session", place, "a thread holds no messages; it was left out");
        }
        sessions.extend(draft.finish(format, findings));
    })?;
    Ok(sessions)
}

fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let decoder = ruzstd::decoding::StreamingDecoder::new(packed).ok()?;
    let mut bytes = Vec::new();
    decoder.take(LARGEST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn read_thread(
    mut thread: Object,
    id: Str,
    title: Option<Str>,
    updated: Option<f64>,
    source: SourceRecord,
    findings: &mut Findings,
) -> Draft {
    let mut draft = Draft::new("zed", "zed");
    let place = format!("thread {id}");
    draft.session.id = id.clone();
    draft.title = title.or_else(|| take_first_text(&mut thread, &["title", "summary"]));
    draft.set_clock(thread.get("updated_at").and_then(time_of).or(updated));
    let context = take_object(&mut thread, "subagent_context");
    let parent = context.and_then(|mut context| take_text(&mut context, "parent_thread_id"));
    draft.parent = parent.map(|session_id| ParentSession { session_id, agent_id: id });
    let model =
        take_object(&mut thread, "model").and_then(|mut model| take_first_text(&mut model, &["model"]));
    let usage = take_object(&mut thread, "request_token_usage").unwrap_or_default();
    let total = take_object(&mut thread, "cumulative_token_usage").map(|mut total| ZED.take(&mut total));
    let messages = take_list(&mut thread, "messages").unwrap_or_default();
    if let Some(snapshot) = take_any(&mut thread, &["initial_project_snapshot"]) {
        draft.unmapped.field("thread", "initial_project_snapshot", &snapshot);
    }
    let mut talk = Talk {
        draft,
        model,
        usage: usage_by_prompt(usage),
        source,
        prompt: None,
        last: None,
        sum: Counts::default(),
    };
    for message in messages {
        talk.message(message);
    }
    talk.tell_usage();
    if let Some(total) = total.filter(|total| total.input.unwrap_or(0) > 0) {
        own_total::check("the thread's own total", total, talk.sum, place, findings);
    }
    talk.draft
}

fn usage_by_prompt(usage: Object) -> HashMap<Str, Counts> {
    let counts = usage.into_iter().filter_map(|(prompt, counts)| match counts {
        Json::Object(mut counts) => Some((prompt, ZED.take(&mut counts))),
        _ => None,
    });
    counts.collect()
}

struct Talk {
    draft: Draft,
    model: Option<Str>,
    /// Of the last call that answered a prompt, by the prompt's id.
    usage: HashMap<Str, Counts>,
    source: SourceRecord,
    prompt: Option<Str>,
    /// The last answer to the prompt.
    last: Option<usize>,
    sum: Counts,
}

impl Talk {
    fn message(&mut self, message: Json) {
        let Json::Object(message) = message else {
            return self.draft.unmapped.record("Resume", self.source.clone());
        };
        if message.contains_key("role") {
            return self.old(message);
        }
        match message.into_iter().next() {
            Some((kind, Json::Object(user))) if &*kind == "User" => self.user(user),
            Some((kind, Json::Object(agent))) if &*kind == "Agent" => self.agent(agent),
            _ => self.draft.unmapped.record("message of another kind", self.source.clone()),
        }
    }

    fn say(&self) -> EventDraft {
        EventDraft::new(Kind::Notice, Vec::new(), self.source.clone())
    }

    fn user(&mut self, mut user: Object) {
        self.tell_usage();
        self.prompt = take_text(&mut user, "id");
        let mut turn = Turn::new(Role::User);
        let mut mentioned = Vec::new();
        for content in take_list(&mut user, "content").unwrap_or_default() {
            let Json::Object(mut content) = content else { continue };
            if let Some(text) = take_text(&mut content, "Text") {
                turn.parts.push(Part::from_text(text));
            } else if let Some(mut mention) = take_object(&mut content, "Mention") {
                mentioned.extend(take_first_text(&mut mention, &["content"]).map(Part::from_text));
            } else if let Some(mut image) = take_object(&mut content, "Image") {
                let mut block = Object::from_iter([("type", "image"), ("mimeType", "image/png")]);
                block.push_some("data", image.remove("source"));
                self.draft.messages("Image").content(Json::Array(vec![Json::Object(block)]), &mut turn);
            }
        }
        self.draft.note_rest("User", &user);
        let say = self.say();
        if !mentioned.is_empty() {
            let kind = Kind::Injected("context".into());
            self.draft.push(EventDraft { kind, parts: mentioned, ..say.clone() });
        }
        let id = self.prompt.clone();
        self.draft.push(EventDraft { kind: kind_of(&turn), parts: turn.parts, id, ..say });
    }

    fn agent(&mut self, mut agent: Object) {
        let mut turn = Turn::new(Role::Model);
        for content in take_list(&mut agent, "content").unwrap_or_default() {
            let Json::Object(mut content) = content else { continue };
            if let Some(text) = take_text(&mut content, "Text") {
                turn.parts.push(Part::from_text(text));
            } else if let Some(mut thinking) = take_object(&mut content, "Thinking") {
                turn.parts.push(thought(take_text(&mut thinking, "text").unwrap_or_default()));
            } else if let Some(mut call) = take_object(&mut content, "ToolUse") {
                let (id, name) = (take_text(&mut call, "id"), take_text(&mut call, "name"));
                let args = take_any(&mut call, &["input", "raw_input"]);
                self.draft.messages("ToolUse").push_call(id, name, args, &mut turn);
            } else {
                self.draft.note_rest("Agent.content", &content);
            }
        }
        let results = take_object(&mut agent, "tool_results").unwrap_or_default();
        let results = results.into_iter().map(|(_, result)| result).collect();
        self.draft.note_rest("Agent", &agent);
        self.answer(turn, results);
    }

    fn answer(&mut self, turn: Turn, results: Vec<Json>) {
        let say = self.say();
        let model = self.model.clone();
        let at =
            self.draft.push(EventDraft { kind: Kind::Response, parts: turn.parts, model, ..say.clone() });
        self.last = Some(at);
        let mut answers = Turn::new(Role::Tool);
        for result in results {
            let Json::Object(mut result) = result else { continue };
            let id = take_text(&mut result, "tool_use_id");
            let name = take_first_text(&mut result, &["tool_name"]);
            let is_error = result.remove("is_error").is_some_and(|flag| flag.is_truthy());
            let content = result.remove("content").map(plain);
            // What the interface shows of it.
            result.remove("output");
            self.draft.note_rest("tool_results", &result);
            self.draft.messages("tool_results").result(id, name, content, is_error, &mut answers);
        }
        if !answers.parts.is_empty() {
            self.draft.push_turn(answers, say);
        }
    }

    /// A message of the first versions: `{role, segments, tool_uses, tool_results}`.
    fn old(&mut self, mut message: Object) {
        let role = take_text(&mut message, "role").unwrap_or_default();
        let is_answer = &*role == "assistant";
        let mut turn = Turn::new(if is_answer { Role::Model } else { Role::User });
        for segment in take_list(&mut message, "segments").unwrap_or_default() {
            let Json::Object(mut segment) = segment else { continue };
            let kind = take_text(&mut segment, "type").unwrap_or_default();
            let Some(text) = take_first_text(&mut segment, &["text"]) else { continue };
            turn.parts.push(if &*kind == "thinking" { thought(text) } else { Part::from_text(text) });
        }
        for call in take_list(&mut message, "tool_uses").unwrap_or_default() {
            let Json::Object(mut call) = call else { continue };
            let (id, name) = (take_text(&mut call, "id"), take_text(&mut call, "name"));
            let args = take_any(&mut call, &["input"]);
            self.draft.messages("tool_uses").push_call(id, name, args, &mut turn);
        }
        let results = take_list(&mut message, "tool_results").unwrap_or_default();
        let context = take_first_text(&mut message, &["context"]);
        for key in ["id", "creases", "is_hidden"] {
            message.remove(key);
        }
        self.draft.note_rest("message", &message);
        if is_answer {
            return self.answer(turn, results);
        }
        let say = self.say();
        if let Some(context) = context {
            let kind = Kind::Injected("context".into());
            self.draft.push(EventDraft { kind, parts: vec![Part::from_text(context)], ..say.clone() });
        }
        if !turn.parts.is_empty() {
            self.draft.push(EventDraft { kind: kind_of(&turn), parts: turn.parts, ..say });
        }
    }

    /// The usage of the last call that answered the prompt.
    fn tell_usage(&mut self) {
        let (prompt, last) = (self.prompt.take(), self.last.take());
        let counts = prompt.and_then(|prompt| self.usage.remove(&prompt));
        let counts = counts.filter(Counts::has_tokens);
        if let (Some(at), Some(counts)) = (last, counts) {
            self.sum = self.sum.plus(counts);
            self.draft.set_usage(at, counts.into());
        }
    }
}

/// Contents by their kinds: `{"Text": …}`, alone or in a list.
fn plain(content: Json) -> Json {
    match content {
        Json::Object(mut content) => match take_any(&mut content, &["Text", "text"]) {
            Some(text) => text,
            None => Json::Object(content),
        },
        Json::Array(mut items) if items.len() == 1 => plain(items.remove(0)),
        Json::Array(items) => Json::Array(items.into_iter().map(plain).collect()),
        other => other,
    }
}
