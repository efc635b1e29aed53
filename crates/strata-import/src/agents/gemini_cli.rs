//! Chats of Gemini CLI: one object that is rewritten at every change, or a log of lines of which a later one with the
//! same id replaces the earlier one. Checkpoints, the list of typed prompts (`logs.json`) and what `gemini -p` puts out
//! are read, too, as are chats of Qwen Code, which descends from it.

mod chat;
mod prompts;
mod stream;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use strata_model::take::{take_list, take_object, take_text};
use strata_model::{Json, Object, Part, Str, json};
use strata_wire::message::{Role, Turn, thought};
use strata_wire::usage::spelling::GEMINI_CLI;
use strata_wire::usage::{UsageReport, read as read_usage};

use crate::document_file::DocumentFormat;
use crate::documents::Document;
use crate::draft::{Draft, EventDraft, Kind, kind_of};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::time::take_time;
use chat::{Chat, Step};

/// A chat, a checkpoint, an entry of the list of prompts, or what the program puts out.
pub(crate) fn is_chat(keys: Keys<'_>) -> bool {
    let is_output = (keys.kind() == "init" && keys.has_all(&["session_id", "model"]))
        || (keys.has("response") && keys.inner_has("stats", &["models"]));
    // Qwen Code writes Gemini's contents into records like those of Claude Code.
    let is_qwen =
        keys.has("parentUuid") && (keys.inner_has("message", &["parts"]) || keys.has("systemPayload"));
    keys.has_all(&["sessionId", "projectHash"])
        || keys.has_all(&["history", "authType"])
        || keys.has_all(&["history", "clientHistory"])
        || keys.has_all(&["sessionId", "messageId", "message"])
        || keys.first_has("history", &["role", "parts"])
        || is_output
        || is_qwen
}

pub(crate) static DOCUMENTS: DocumentFormat = DocumentFormat {
    lists: &["", "messages", "history", "clientHistory"],
    repeats: false,
    read,
    read_other: None,
};

fn read(mut documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut chat = Chat::default();
    let mut draft = Draft::new("gemini-cli", "gemini");
    if let Some(sessions) = prompts::read(&mut documents, format, findings) {
        return sessions;
    }
    if documents.iter().any(|document| stream::is_output(&document.fields)) {
        return stream::read(documents, format, findings).into_iter().collect();
    }
    for mut document in documents {
        let source = document.source.clone();
        let mut messages = document.take("messages");
        // A checkpoint of a tool has the history as it was sent, beside what the interface shows.
        let sent = document.take("clientHistory");
        let shown = document.take("history");
        if sent.is_empty() {
            messages.extend(shown);
        } else {
            for value in &shown {
                draft.unmapped.record("history", value.source());
            }
            messages.extend(sent);
        }
        for value in document.take("") {
            let source = value.source();
            match value.json {
                Json::Object(line) => chat.line(line, source, &mut draft),
                other => draft.unmapped.field("chat", "[]", &other),
            }
        }
        for value in messages {
            let source = value.source();
            match value.json {
                Json::Object(message) => chat.message(message, source),
                other => draft.unmapped.field("chat", "messages[]", &other),
            }
        }
        chat.line(document.fields, source, &mut draft);
    }
    tell(chat, draft, format, findings).into_iter().collect()
}

/// What a chat is called by its summary, which the model may have been asked for as an object.
fn title(summary: Str) -> Option<Str> {
    match json::parse(summary.as_bytes()) {
        Ok(Json::Object(mut answer)) => take_text(&mut answer, "response"),
        _ => Some(summary),
    }
}

fn tell(chat: Chat, mut draft: Draft, format: Format, findings: &mut Findings) -> Option<ImportedSession> {
    let mut meta = chat.meta;
    draft.session.id = take_text(&mut meta, "sessionId").unwrap_or_default();
    draft.title = take_text(&mut meta, "summary").and_then(title);
    let is_sub_agent = meta.get("kind").and_then(Json::as_str) == Some("subagent");
    let start = take_time(&mut meta, "startTime");
    draft.set_clock(start);
    for key in ["projectHash", "lastUpdated", "kind"] {
        meta.remove(key);
    }
    draft.note_rest("chat", &meta);
    draft.counts.insert("messages", Json::Int(chat.current.len() as i64));
    let branch: Option<Str> = is_sub_agent.then(|| format!("agent.{}", draft.session.id).into());
    let mut teller =
        Teller { draft, branch, events: HashMap::new(), answered: HashSet::new(), summary: None };
    for step in chat.steps {
        match step {
            Step::Message(at) => {
                let (message, sources) = &chat.messages[at];
                teller.message(at, message.clone(), sources.clone());
            }
            Step::Replaced { fresh, gone, source } => {
                let fresh = fresh.iter().map(|at| chat.messages[*at].0.clone());
                teller.replaced(fresh.collect(), &gone, source);
            }
            Step::Rewound(at, source) => teller.rewound(at, source),
        }
    }
    teller.draft.finish(format, findings)
}

struct Teller {
    draft: Draft,
    branch: Option<Str>,
    /// The events of each message.
    events: HashMap<usize, Range<usize>>,
    /// Calls whose results were told.
    answered: HashSet<Str>,
    /// The last compaction; the next one stands for it, too.
    summary: Option<usize>,
}

impl Teller {
    fn say(&self, sources: &[SourceRecord]) -> EventDraft {
        let first = sources.first().cloned().unwrap_or(SourceRecord::Bytes(0..0));
        EventDraft {
            sources: sources.to_vec(),
            branch: self.branch.clone(),
            ..EventDraft::new(Kind::Notice, Vec::new(), first)
        }
    }

    fn message(&mut self, place: usize, mut message: Object, sources: Vec<SourceRecord>) {
        let time = take_time(&mut message, "timestamp").or_else(|| take_time(&mut message, "ts"));
        let id = take_text(&mut message, "id");
        let kind =
            take_text(&mut message, "type").or_else(|| take_text(&mut message, "role")).unwrap_or_default();
        let say = EventDraft { id, time, ..self.say(&sources) };
        let first = self.draft.len();
        match &*kind {
            "user" => self.user(message, say),
            "gemini" | "model" | "assistant" => self.response(message, say),
            "error" => {
                let text = message.get("content").and_then(Json::as_str).unwrap_or("error");
                let error = Some(("error".into(), text.into()));
                self.draft.push(EventDraft { error, ..say });
            }
            kind => {
                let kind = if kind.is_empty() { "message without a type" } else { kind };
                for source in sources {
                    self.draft.unmapped.record(kind, source);
                }
            }
        }
        if self.draft.len() > first {
            self.events.insert(place, first..self.draft.len());
        }
    }

    fn user(&mut self, mut message: Object, mut say: EventDraft) {
        let mut turn = Turn::new(Role::User);
        let content = message.remove("content").or_else(|| message.remove("parts")).unwrap_or_default();
        self.draft.messages("user").content(content, &mut turn);
        message.remove("displayContent");
        self.draft.note_rest("user", &message);
        // Newer versions write a result again, as the message it was sent with.
        let is_told = |part: &Part| {
            let id = part.function_response.as_ref().and_then(|it| it.id.as_ref());
            id.is_some_and(|id| self.answered.contains(id))
        };
        if !turn.parts.is_empty() && turn.parts.iter().all(is_told) {
            let last = self.draft.len().saturating_sub(1);
            say.sources.into_iter().for_each(|source| self.draft.add_source(last, source));
            return;
        }
        say.kind = kind_of(&turn);
        self.draft.note_result_bytes(turn.parts.iter().map(shown_bytes).max().unwrap_or(0));
        say.parts = turn.parts;
        self.draft.push(say);
    }

    fn response(&mut self, mut message: Object, say: EventDraft) {
        let mut turn = Turn::new(Role::Model);
        let thoughts = take_list(&mut message, "thoughts").unwrap_or_default();
        let content = message.remove("content").or_else(|| message.remove("parts")).unwrap_or_default();
        let mut results = Turn::new(Role::Tool);
        let mut messages = self.draft.messages("gemini");
        messages.content(content, &mut turn);
        // A message that was written again has its thoughts and calls as parts, beside what says them in its own way.
        if !turn.parts.iter().any(Part::is_thought) {
            turn.parts.splice(0..0, thoughts.iter().map(thought_of));
        }
        let known: Vec<Str> =
            turn.parts.iter().filter_map(|part| part.function_call.as_ref()?.id.clone()).collect();
        let (mut answered, mut failed) = (Vec::new(), Vec::new());
        for call in take_list(&mut message, "toolCalls").unwrap_or_default() {
            let Json::Object(mut call) = call else {
                messages.unread.field("toolCalls", "[]", &call);
                continue;
            };
            let id = take_text(&mut call, "id");
            let name = take_text(&mut call, "name");
            let args = call.remove("args");
            if !id.as_ref().is_some_and(|id| known.contains(id)) {
                messages.push_call(id.clone(), name.clone(), args, &mut turn);
            }
            let status = take_text(&mut call, "status").unwrap_or_default();
            let is_error = matches!(&*status, "error" | "cancelled");
            if is_error {
                failed.push(Json::from(id.clone().unwrap_or_default()));
            }
            match call.remove("result") {
                Some(Json::Array(result)) => {
                    answered.extend(id);
                    messages.content(Json::Array(result), &mut results);
                }
                Some(Json::Null) | None => {}
                Some(other) => {
                    answered.extend(id.clone());
                    messages.result(id, name, Some(other), is_error, &mut results);
                }
            }
            for key in ["timestamp", "displayName", "description", "renderOutputAsMarkdown", "resultDisplay"]
            {
                call.remove(key);
            }
            for (key, value) in call.iter() {
                messages.unread.field("toolCalls", key, value);
            }
        }
        self.answered.extend(answered);
        let usage = take_object(&mut message, "tokens")
            .map(|mut tokens| UsageReport::from(GEMINI_CLI.take(&mut tokens)))
            .or_else(|| {
                let usage = take_object(&mut message, "usageMetadata")?;
                read_usage(usage, "usageMetadata", &mut self.draft.unmapped)
            });
        let model = take_text(&mut message, "model");
        self.draft.note_rest("gemini", &message);
        let mut after = EventDraft { id: None, ..say.clone() };
        if !failed.is_empty() {
            // The result is what the model was told, which does not always say so.
            after.source_notes.push("failedCalls", failed);
        }
        self.draft.push(EventDraft { kind: Kind::Response, parts: turn.parts, usage, model, ..say });
        if !results.parts.is_empty() {
            results.result_bytes = results.parts.iter().map(shown_bytes).max().unwrap_or(0);
            self.draft.push_turn(results, after);
        }
    }

    /// The list was replaced: what is new in it, before what was kept, stands for what is gone.
    fn replaced(&mut self, fresh: Vec<Object>, gone: &[usize], source: SourceRecord) {
        let mut parts = Vec::new();
        for mut message in fresh {
            let mut turn = Turn::new(Role::User);
            let content = message.remove("content").unwrap_or_default();
            self.draft.messages("$set.messages").content(content, &mut turn);
            parts.extend(turn.parts);
        }
        let say = EventDraft { kind: Kind::Compaction, parts, ..self.say(&[source]) };
        let at = self.draft.push(say);
        let gone = gone.iter().filter_map(|message| self.events.get(message).cloned()).flatten();
        self.draft.cover(at, &gone.chain(self.summary).collect::<Vec<_>>());
        self.summary = Some(at);
    }

    fn rewound(&mut self, at: Option<usize>, source: SourceRecord) {
        let first = at.and_then(|at| self.events.get(&at)).map_or(0, |events| events.start);
        let Some(invocation) = self.draft.event(first).map(|event| event.invocation_id.clone()) else {
            return;
        };
        let say = self.say(&[source]);
        self.draft.push_rewind(invocation, say);
    }
}

fn thought_of(one: &Json) -> Part {
    let text = |key: &str| one.get(key).and_then(Json::as_str).filter(|text| !text.is_empty());
    let words = [text("subject"), text("description")];
    thought(words.into_iter().flatten().collect::<Vec<_>>().join("\n"))
}

/// Bytes of the output of a tool, as text where it is one.
fn shown_bytes(part: &Part) -> u64 {
    let Some(answer) = part.function_response.as_ref().and_then(|it| it.response.as_ref()) else { return 0 };
    let text = answer.get("output").and_then(Json::as_str).filter(|_| answer.len() == 1);
    text.map_or_else(|| json::object_compact_len(answer), str::len) as u64
}
