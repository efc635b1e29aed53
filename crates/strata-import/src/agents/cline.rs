//! Conversations of Cline and Roo: `<id>.messages.json` of the command line, `api_conversation_history.json` of the
//! extensions, whose usage is in the `ui_messages.json` beside it and whose models are in `task_metadata.json`.

mod interface;
mod tools;

use std::collections::HashMap;

use strata_model::take::{take_first_text, take_list, take_object, take_text};
use strata_model::{Json, Object, Part, Str};
use strata_wire::message::{Role, Turn};
use strata_wire::usage::UsageReport;
use strata_wire::usage::spelling::CLINE_MESSAGE;

use crate::documents::read_documents;
use crate::draft::say_turn;
use crate::draft::{Draft, EventDraft, Kind};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::time::{take_time, time_of};
use crate::trajectories::messages::{is_of_framework, is_said};
use crate::values::Value;
use interface::Interface;
use tools::OpenCalls;

/// A conversation of the command line, or of Roo in its second version.
pub(crate) fn is_conversation(keys: Keys<'_>) -> bool {
    keys.has_all(&["sessionId", "messages", "agent"])
        || (keys.has("version") && keys.first_has("messages", &["role", "ts"]))
}

/// A message of a task's conversation, or of its interface.
pub(crate) fn is_message(keys: Keys<'_>) -> bool {
    is_of_interface(keys) || (keys.has("ts") && is_said(keys) && !is_of_framework(keys))
}

fn is_of_interface(keys: Keys<'_>) -> bool {
    keys.has_all(&["ts", "type"]) && keys.has_any(&["say", "ask"])
}

/// A task folder is read as one text, of which the first file may be a list of plain messages.
pub(crate) fn is_task_folder(values: &[Json]) -> bool {
    let first_of =
        |value: &Json| value.as_array().and_then(|items| Some(is_of_interface(Keys::of(items.first()?)?)));
    values.len() > 1 && values.iter().any(|value| first_of(value).unwrap_or(false))
}

/// A task's conversation by itself. Where its messages have no times, what the extension wraps around words tells.
pub(crate) fn is_task(values: &[Json]) -> bool {
    let Some(messages) = values.first().and_then(Json::as_array) else { return false };
    let is_wrapped = |text: &str| text.trim_start().starts_with("<task>");
    let is_clients =
        |text: &str| text.trim_start().starts_with("<environment_details>") || tools::is_told_result(text);
    let Some(first) = messages.first() else { return false };
    first.get("role").and_then(Json::as_str) == Some("user")
        && texts_in(first).any(is_wrapped)
        && messages.iter().flat_map(texts_in).any(is_clients)
}

/// The texts of a message as far as it was looked at.
fn texts_in(message: &Json) -> impl Iterator<Item = &str> {
    let content = message.get("content");
    let blocks = content.and_then(Json::as_array).unwrap_or_default();
    let of_blocks = blocks.iter().filter_map(|block| block.get("text")?.as_str());
    content.and_then(Json::as_str).into_iter().chain(of_blocks)
}

pub(crate) fn read(bytes: &[u8], format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut conversations = Vec::new();
    let mut interface = Interface::default();
    let mut has_interface = false;
    let mut models = Models::default();
    for mut document in read_documents(bytes, &["messages", ""], findings) {
        let mut messages = document.take("messages");
        messages.extend(document.take(""));
        let of_interface = |first: &Value| first.json.get("say").or(first.json.get("ask")).is_some();
        if messages.first().is_some_and(of_interface) {
            has_interface = true;
            for value in &messages {
                interface.add(value);
            }
        } else if let Some(usage) = take_list(&mut document.fields, "model_usage") {
            models.add(usage);
        } else {
            conversations.push((document.fields, document.source, messages));
        }
    }
    if conversations.is_empty() && has_interface {
        let message = "these are the messages of Cline's interface; import `api_conversation_history.json` of the \
                       same folder, or the folder";
        findings.error("interface-messages", "", message);
    }
    let mut sessions = Vec::new();
    for (fields, source, messages) in conversations {
        let interface = std::mem::take(&mut interface);
        let draft = Conversation::new(interface, std::mem::take(&mut models)).tell(fields, source, messages);
        sessions.extend(draft.finish(format, findings));
    }
    sessions
}

/// Models by the time they were first used.
#[derive(Default)]
struct Models(Vec<(f64, Str)>);

impl Models {
    fn add(&mut self, usage: Vec<Json>) {
        for one in usage {
            let model = one.get("model_id").and_then(Json::as_str);
            if let (Some(time), Some(model)) = (one.get("ts").and_then(time_of), model) {
                self.0.push((time, model.into()));
            }
        }
    }

    fn at(&self, time: f64) -> Option<Str> {
        self.0.iter().rev().find(|(since, _)| *since <= time).map(|(_, model)| model.clone())
    }
}

struct Conversation {
    draft: Draft,
    interface: Interface,
    models: Models,
    /// The model that the client told the model it is.
    told_model: Option<Str>,
    /// Thoughts that stand in a message of their own, before the answer they belong to.
    thoughts: Vec<Part>,
    /// Events that were hidden, by the id of the summary or the mark that hides them.
    hidden: HashMap<Str, Vec<usize>>,
    /// Summaries and marks by their ids.
    hiding: Vec<(Str, usize)>,
    calls: OpenCalls,
}

impl Conversation {
    fn new(interface: Interface, models: Models) -> Self {
        let draft = Draft::new("cline", "cline");
        Self {
            draft,
            interface,
            models,
            told_model: None,
            thoughts: Vec::new(),
            hidden: HashMap::new(),
            hiding: Vec::new(),
            calls: OpenCalls::default(),
        }
    }

    fn tell(mut self, mut fields: Object, source: SourceRecord, messages: Vec<Value>) -> Draft {
        let draft = &mut self.draft;
        let began = messages.first().and_then(|first| first.json.get("ts")?.as_i64());
        // A task is named after the millisecond it began in.
        draft.session.id = take_text(&mut fields, "sessionId")
            .or_else(|| began.map(|millis| format!("task-{millis}").into()))
            .unwrap_or_default();
        for key in ["version", "updated_at", "agent", "origin"] {
            fields.remove(key);
        }
        if let Some(system) = take_text(&mut fields, "system_prompt") {
            let first = messages.first().map_or(source, Value::source);
            let time = messages.first().and_then(|first| time_of(first.json.get("ts")?));
            let mut turn = Turn::new(Role::System);
            turn.parts.push(Part::from_text(system));
            draft.push_turn(turn, EventDraft { time, ..EventDraft::new(Kind::Notice, Vec::new(), first) });
        }
        draft.note_rest("conversation", &fields);
        self.interface.leave_out_summaries_of(&messages);
        for id in messages.iter().flat_map(|message| hidden_by(&message.json)) {
            self.hidden.entry(id).or_default();
        }
        for value in messages {
            let hidden_by = hidden_by(&value.json);
            let first = self.draft.len();
            self.message(value);
            for id in hidden_by {
                self.hidden.entry(id).or_default().extend(first..self.draft.len());
            }
        }
        for (id, at) in std::mem::take(&mut self.hiding) {
            if let Some(hidden) = self.hidden.get(&id) {
                self.draft.cover(at, hidden);
            }
        }
        // Summaries that later ones took the place of, and requests of which no message was kept.
        self.tell_condensed_until(Some(f64::INFINITY));
        for (usage, source) in self.interface.rest() {
            self.draft.push(lone_request(usage, source, None));
        }
        self.draft.unmapped.add(std::mem::take(&mut self.interface.unmapped));
        if let Some((sum, source)) = self.interface.deleted.take() {
            let say = EventDraft { usage: Some(sum), ..EventDraft::new(Kind::Notice, Vec::new(), source) };
            self.draft.push_sum(say);
        }
        self.draft
    }

    fn message(&mut self, value: Value) {
        let mut say = EventDraft::new(Kind::Notice, Vec::new(), value.source());
        let mut turn = self.draft.messages("message").read(with_content(value.json));
        say.time = take_time(&mut turn.rest, "ts");
        self.tell_condensed_until(say.time);
        if turn.role == Role::Model {
            if turn.parts.iter().all(Part::is_thought) && !turn.parts.is_empty() {
                return self.thoughts.append(&mut turn.parts);
            }
            turn.parts.splice(0..0, std::mem::take(&mut self.thoughts));
            self.calls.answered(&mut turn, &mut self.draft.messages("message"));
            self.about_answer(&mut turn, &mut say);
        } else if let Some(model) = turn.parts.iter().find_map(told_model) {
            self.told_model = Some(model);
        }
        // They say which summary or mark hides the message, which is told with that.
        for key in HIDDEN_BY {
            if turn.rest.get(key).and_then(Json::as_str).is_some() {
                turn.rest.remove(key);
            }
        }
        let is_summary = turn.rest.remove("isSummary").is_some_and(|flag| flag.is_truthy());
        let is_mark = turn.rest.remove("isTruncationMarker").is_some_and(|flag| flag.is_truthy());
        let id = ["condenseId", "truncationId"].iter().find_map(|key| turn.rest.get(key)?.as_str());
        let id = id.filter(|id| self.hidden.contains_key(*id)).map(Str::from);
        if is_summary || (is_mark && id.is_some()) {
            self.hiding.extend(id.map(|id| (id, self.draft.len())));
            say.kind = Kind::Compaction;
            say.parts = turn.parts;
            say.source_notes = turn.rest;
            self.draft.push(say);
            return;
        }
        if turn.role == Role::User && !is_typed(&turn) {
            self.calls.told(&mut turn, &mut self.draft.messages("message"));
        }
        let client = if is_mark { Some("truncation") } else { written_by_client(&turn) };
        if let Some(kind) = client {
            say.kind = Kind::Injected(kind.into());
            say.parts = turn.parts;
            say.source_notes = turn.rest;
            self.draft.push(say);
            return;
        }
        mark_prompt(&mut turn);
        say_turn(&mut self.draft, "message", turn, say);
    }

    /// Model and usage, from the message itself or from what the interface recorded of its request.
    fn about_answer(&mut self, turn: &mut Turn, say: &mut EventDraft) {
        let info = take_object(&mut turn.rest, "modelInfo");
        say.model = info.and_then(|mut info| take_first_text(&mut info, &["id", "modelId"]));
        let mut metrics = turn.rest.get("metrics").and_then(Json::as_object).cloned().unwrap_or_default();
        let tokens = take_object(&mut metrics, "tokens");
        if turn.rest.contains_key("metrics") && tokens.is_none() {
            return;
        }
        turn.rest.remove("metrics");
        for (usage, source) in self.interface.requests_before(say.time) {
            self.draft.push(lone_request(usage, source, say.time));
        }
        say.usage = self
            .interface
            .request_of(say.time)
            .or_else(|| tokens.map(|mut tokens| CLINE_MESSAGE.take(&mut tokens).into()));
        let time = say.time.unwrap_or(0.0);
        say.model = say.model.take().or_else(|| self.models.at(time)).or_else(|| self.told_model.clone());
    }

    fn tell_condensed_until(&mut self, time: Option<f64>) {
        for (time, summary, source) in self.interface.condensed_until(time) {
            let parts = vec![Part::from_text(summary)];
            self.draft
                .push(EventDraft { time: Some(time), ..EventDraft::new(Kind::Compaction, parts, source) });
        }
    }
}

/// Fields of a message that say which summary or mark hides it.
const HIDDEN_BY: [&str; 2] = ["condenseParent", "truncationParent"];

fn hidden_by(message: &Json) -> Vec<Str> {
    HIDDEN_BY.iter().filter_map(|key| message.get(key)?.as_str().map(Str::from)).collect()
}

fn lone_request(usage: UsageReport, source: SourceRecord, time: Option<f64>) -> EventDraft {
    EventDraft { usage: Some(usage), time, ..EventDraft::new(Kind::Notice, Vec::new(), source) }
}

/// Thoughts that are kept as a message of their own have no content.
fn with_content(message: Json) -> Json {
    let is_thought = message.get("type").and_then(Json::as_str) == Some("reasoning");
    let Json::Object(mut message) = message else { return message };
    if is_thought && !message.contains_key("content") {
        let mut thought = Object::from_iter([("type", Json::from("reasoning"))]);
        for key in ["text", "summary", "encrypted_content", "id"] {
            thought.push_some(key, message.remove(key));
        }
        message.remove("type");
        message.insert("content", vec![Json::Object(thought)]);
    }
    Json::Object(message)
}

/// Beginnings of what the extension wraps around what was typed.
const TYPED: [&str; 5] = ["<task>", "<feedback>", "<answer>", "<user_message>", "<user_input"];

fn texts_of(turn: &Turn) -> impl Iterator<Item = &str> {
    turn.parts.iter().filter_map(|part| part.text.as_deref()).map(str::trim_start)
}

/// Whether some of it was typed, by what the extension wraps around that.
fn is_typed(turn: &Turn) -> bool {
    texts_of(turn).any(|text| {
        let is_wrapped = TYPED.iter().any(|start| text.starts_with(start));
        let quotes = || TYPED[1..4].iter().any(|tag| holds(text, &format!("\n{tag}\n")));
        is_wrapped || (text.starts_with('[') && quotes())
    })
}

/// Texts are long, and most hold no tag: this is several times quicker than `contains`.
fn holds(text: &str, tag: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), tag.as_bytes()).is_some()
}

/// What the extension says in the user's name: where tools are called in words, it answers in words.
fn written_by_client(turn: &Turn) -> Option<&'static str> {
    if turn.role != Role::User || turn.has_results() || is_typed(turn) {
        return None;
    }
    texts_of(turn).find_map(|text| {
        let line = text.lines().next().unwrap_or_default();
        if line.starts_with("[ERROR]") {
            Some("error")
        } else if line.starts_with("[TASK RESUMPTION]") {
            Some("resumption")
        } else if line.starts_with('[') && line.contains("] Result:") {
            Some("tool-result")
        } else {
            None
        }
    })
}

/// Roo tells the model its own name, among the details of the environment.
fn told_model(part: &Part) -> Option<Str> {
    let text = part.text.as_deref()?;
    if !holds(text, "<model>") {
        return None;
    }
    let (_, details) = text.split_once("<environment_details>")?;
    let (_, model) = details.split_once("<model>")?;
    let (model, _) = model.split_once("</model>")?;
    (!model.is_empty() && model.len() < 200).then(|| model.into())
}

/// The extension wraps what was typed.
fn mark_prompt(turn: &mut Turn) {
    let is_typed = |part: &Part| {
        let text = part.text.as_deref().unwrap_or_default().trim_start();
        TYPED.iter().any(|start| text.starts_with(start))
    };
    // A prompt comes before what the client adds to it, so that the session is named by it.
    if let Some(at) = turn.parts.iter().position(is_typed)
        && turn.role == Role::User
    {
        turn.parts[..=at].rotate_right(1);
    }
}
