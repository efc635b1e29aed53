//! Sessions of opencode: its database, and what `opencode export` writes.
//!
//! Only the tables with sessions, messages and parts are read; the database also holds accounts and credentials.

use std::collections::HashMap;

use strata_model::take::{take_first_text, take_list, take_object, take_text};
use strata_model::{Json, Object, Part, Str};
use strata_wire::message::{Role, Turn, thought};
use strata_wire::usage::Counts;
use strata_wire::usage::spelling::{OPENCODE, OPENCODE_OF_GEMINI};

use crate::documents::read_documents;
use crate::draft::{Draft, EventDraft, Kind, kind_of};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::{ImportedSession, ParentSession};
use crate::keys::Keys;
use crate::own_total;
use crate::rows::{object_of, text_of};
use crate::source::SourceRecord;
use crate::tables::{self, Table};
use crate::tables::{TableError, TableSource};
use crate::time::take_time;

/// A message with its parts.
struct Message {
    info: Object,
    parts: Vec<(Object, SourceRecord)>,
    source: SourceRecord,
}

/// An export, or a file of the storage of old versions.
pub(crate) fn is_export(keys: Keys<'_>) -> bool {
    let has_info = keys.inner("info").is_some_and(|info| info.has_any(&["slug", "projectID", "version"]));
    (has_info && keys.has("messages"))
        || keys.has_all(&["id", "projectID", "time"])
        || keys.has_all(&["id", "sessionID", "messageID", "type"])
        || keys.has_all(&["id", "sessionID", "role", "time"])
}

pub(crate) fn is_database(all: &[Table]) -> bool {
    ["part", "message", "session"].iter().all(|name| tables::has(all, name))
}

pub(crate) fn read_export(bytes: &[u8], format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut sessions = Vec::new();
    let mut stored = Stored::default();
    for mut document in read_documents(bytes, &["messages"], findings) {
        if !document.fields.contains_key("info") {
            stored.add(document.fields, document.source);
            continue;
        }
        let info = take_object(&mut document.fields, "info").unwrap_or_default();
        let messages = document.take("messages").into_iter().filter_map(|value| {
            let source = value.source();
            let place = value.place();
            let Json::Object(mut message) = value.json else {
                let message =
                    format!("{} stands where a message should be; it was left out", value.json.kind());
                findings.error("unexpected-type", place, message);
                return None;
            };
            if message.get("info").and_then(Json::as_object).is_none() {
                let message = "a message does not say what it is (`info`); it was left out";
                findings.error("unexpected-type", place, message);
            }
            let info = take_object(&mut message, "info")?;
            let parts = take_list(&mut message, "parts").unwrap_or_default();
            let parts = parts.into_iter().filter_map(|part| match part {
                Json::Object(part) => Some((part, source.clone())),
                _ => None,
            });
            Some(Message { info, parts: parts.collect(), source })
        });
        let messages = messages.collect();
        sessions.extend(session(info, messages, format, findings));
    }
    sessions.extend(stored.finish(format, findings));
    sessions
}

/// Files of the storage of versions before 1.2: a session, a message or a part each.
#[derive(Default)]
struct Stored {
    sessions: Vec<Object>,
    messages: Vec<(Str, Message)>,
    parts: HashMap<Str, Vec<(Object, SourceRecord)>>,
}

impl Stored {
    fn add(&mut self, fields: Object, source: SourceRecord) {
        let text = |key: &str| fields.get(key).and_then(Json::as_str).map(Str::from);
        if let Some(message) = text("messageID") {
            self.parts.entry(message).or_default().push((fields, source));
        } else if let Some(session) = text("sessionID") {
            self.messages.push((session, Message { info: fields, parts: Vec::new(), source }));
        } else if text("type").is_some() && text("projectID").is_none() {
            // A part that does not say which message it belongs to.
            self.parts.entry(Str::default()).or_default().push((fields, source));
        } else {
            self.sessions.push(fields);
        }
    }

    fn finish(mut self, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
        let mut of_session: Vec<(Str, Vec<Message>)> = Vec::new();
        for (id, mut message) in self.messages {
            let own = message.info.get("id").and_then(Json::as_str).map(Str::from).unwrap_or_default();
            message.parts = self.parts.remove(&own).unwrap_or_default();
            match of_session.iter_mut().find(|(session, _)| *session == id) {
                Some((_, messages)) => messages.push(message),
                None => of_session.push((id, vec![message])),
            }
        }
        let mut sessions = Vec::new();
        for (id, messages) in of_session {
            let at =
                self.sessions.iter().position(|info| info.get("id").and_then(Json::as_str) == Some(&*id));
            let info = at.map_or_else(|| Object::from_iter([("id", id)]), |at| self.sessions.remove(at));
            sessions.extend(session(info, messages, format, findings));
        }
        for info in self.sessions {
            let id = info.get("id").and_then(Json::as_str).unwrap_or_default();
            findings.info(
                "empty-session",
                format!("session {id}"),
                "a session holds no messages; it was left out",
            );
        }
        if !self.parts.is_empty() {
            let message = "parts belong to messages that are not in this file; they were left out. Import the folder \
                           `storage`, which has them";
            findings.warning("lost-parts", "", message);
        }
        sessions
    }
}

pub(crate) fn read_tables(
    source: &mut dyn TableSource,
    format: Format,
    findings: &mut Findings,
) -> Result<Vec<ImportedSession>, TableError> {
    let mut parts: HashMap<Str, Vec<(Object, SourceRecord)>> = HashMap::new();
    source.rows("part", &["id", "message_id", "data"], &["message_id", "id"], &mut |row| {
        let id = text_of(row.first()).unwrap_or_default();
        let message = text_of(row.get(1)).unwrap_or_default();
        let part = object_of(row.get(2), "part", findings);
        parts.entry(message).or_default().push((part, SourceRecord::Row { table: "part", id }));
    })?;
    let mut messages: HashMap<Str, Vec<Message>> = HashMap::new();
    source.rows("message", &["id", "session_id", "data"], &["time_created", "id"], &mut |row| {
        let id = text_of(row.first()).unwrap_or_default();
        let mut info = object_of(row.get(2), "message", findings);
        info.insert("id", id.clone());
        let parts = parts.remove(&id).unwrap_or_default();
        let message = Message { info, parts, source: SourceRecord::Row { table: "message", id } };
        messages.entry(text_of(row.get(1)).unwrap_or_default()).or_default().push(message);
    })?;
    let mut infos = Vec::new();
    let has_revert = source.tables()?.iter().any(|table| table.name == "session" && table.has("revert"));
    let columns = ["id", "parent_id", "title", if has_revert { "revert" } else { "id" }];
    source.rows("session", &columns, &["id"], &mut |row| {
        let mut info = Object::new();
        for (at, key) in ["id", "parentID", "title"].iter().enumerate() {
            info.push_some(key, text_of(row.get(at)));
        }
        if has_revert && text_of(row.get(3)).is_some_and(|text| !text.is_empty()) {
            info.push("revert", object_of(row.get(3), "session", findings));
        }
        infos.push(info);
    })?;
    let mut sessions = Vec::new();
    for info in infos {
        let id = info.get("id").and_then(Json::as_str).unwrap_or_default().to_owned();
        let messages = messages.remove(&*id).unwrap_or_default();
        if messages.is_empty() {
            findings.info(
                "empty-session",
                format!("session {id}"),
                "a session holds no messages; it was left out",
            );
            continue;
        }
        sessions.extend(session(info, messages, format, findings));
    }
    Ok(sessions)
}

fn session(
    mut info: Object,
    messages: Vec<Message>,
    format: Format,
    findings: &mut Findings,
) -> Option<ImportedSession> {
    let mut draft = Draft::new("opencode", "opencode");
    draft.session.id = take_text(&mut info, "id").unwrap_or_default();
    draft.title = take_text(&mut info, "title");
    draft.parent = take_text(&mut info, "parentID")
        .map(|session_id| ParentSession { session_id, agent_id: draft.session.id.clone() });
    let revert = take_object(&mut info, "revert").and_then(|mut revert| take_text(&mut revert, "messageID"));
    let reverted = revert.zip(messages.last().map(|last| last.source.clone()));
    let own = take_object(&mut info, "tokens");
    for key in ["cost", "time", "version", "slug", "projectID", "directory"] {
        info.remove(key);
    }
    draft.note_rest("session", &info);
    draft.counts.insert("messages", Json::Int(messages.len() as i64));
    if let Some(own) = &own {
        let calls = messages.iter().filter_map(|message| message.info.get("tokens")?.as_object());
        let calls = calls.map(all_tokens).fold(Counts::default(), Counts::plus);
        let place = format!("session {}", draft.session.id);
        own_total::check("the session's own total", all_tokens(own), calls, place, findings);
    }
    let mut system = String::new();
    for mut message in messages {
        tell_system(&mut draft, &mut message, &mut system);
        for step in steps(message) {
            add(&mut draft, step);
        }
    }
    if let Some((message, source)) = reverted {
        tell_revert(&mut draft, &message, source);
    }
    draft.finish(format, findings)
}

/// Sums of a session say nothing of what its outputs hold: to be compared, reasoning is added to them either way.
fn all_tokens(tokens: &Object) -> Counts {
    let mut tokens = tokens.clone();
    tokens.remove("total");
    let counts = OPENCODE_OF_GEMINI.take(&mut tokens);
    Counts { cached: None, ..counts }
}

/// Early versions kept the system prompt with every answer.
fn tell_system(draft: &mut Draft, message: &mut Message, last: &mut String) {
    let Some(pieces) = take_list(&mut message.info, "system") else { return };
    let texts: Vec<_> = pieces.iter().filter_map(Json::as_str).collect();
    let text = texts.join("\n");
    if text.is_empty() || text == *last {
        return;
    }
    let mut turn = Turn::new(Role::System);
    turn.parts.extend(texts.iter().map(|text| Part::from_text(*text)));
    *last = text;
    draft.push_turn(turn, EventDraft::new(Kind::Notice, Vec::new(), message.source.clone()));
}

/// Everything from this message on was taken back.
fn tell_revert(draft: &mut Draft, message: &str, source: SourceRecord) {
    let mut events = (0..draft.len()).filter_map(|at| draft.event(at));
    let first = events.find(|event| &*event.id == message).map(|event| event.invocation_id.clone());
    let Some(invocation) = first else { return draft.unmapped.record("session.revert", source) };
    let own = Some("revert".into());
    draft.push_rewind(
        invocation,
        EventDraft { invocation: own, ..EventDraft::new(Kind::Notice, Vec::new(), source) },
    );
}

/// The calls of the model that made a message. Early versions wrote all of a turn into one, whose own tokens are those
/// of the last call.
fn steps(message: Message) -> Vec<Message> {
    let kind_of =
        |part: &Object| part.get("type").and_then(Json::as_str).map(str::to_owned).unwrap_or_default();
    let tokens_of = |part: &Object| part.get("tokens").filter(|_| kind_of(part) == "step-finish").cloned();
    if message.parts.iter().filter(|(part, _)| tokens_of(part).is_some()).count() < 2 {
        return vec![message];
    }
    let Message { info, parts, source } = message;
    let mut groups: Vec<Vec<(Object, SourceRecord)>> = vec![Vec::new()];
    for part in parts {
        let is_new = kind_of(&part.0) == "step-start" && groups.last().is_some_and(|group| !group.is_empty());
        if is_new {
            groups.push(Vec::new());
        }
        if let Some(group) = groups.last_mut() {
            group.push(part);
        }
    }
    let n_groups = groups.len();
    let steps = groups.into_iter().enumerate().map(|(at, parts)| {
        let mut info = info.clone();
        info.remove("tokens");
        info.push_some("tokens", parts.iter().find_map(|(part, _)| tokens_of(part)));
        if at > 0 {
            info.remove("id");
        }
        if at + 1 < n_groups {
            info.remove("error");
            info.remove("finish");
        }
        Message { info, parts, source: source.clone() }
    });
    steps.collect()
}

fn add(draft: &mut Draft, message: Message) {
    let Message { mut info, parts, source } = message;
    let role = take_text(&mut info, "role").unwrap_or_default();
    let mut time = take_object(&mut info, "time").unwrap_or_default();
    let mut say = EventDraft {
        id: take_text(&mut info, "id"),
        time: take_time(&mut time, "completed").or_else(|| take_time(&mut time, "created")),
        invocation: take_text(&mut info, "parentID"),
        ..EventDraft::new(Kind::Notice, Vec::new(), source)
    };
    let mut reading = Reading {
        draft,
        turn: Turn::new(if &*role == "assistant" { Role::Model } else { Role::User }),
        results: Turn::new(Role::Tool),
        compaction: None,
        is_typed: false,
    };
    for (part, source) in parts {
        say.sources.push(source.clone());
        reading.part(part, source);
    }
    let Reading { draft, turn, results, compaction, is_typed } = reading;
    let after = EventDraft { id: None, usage: None, ..say.clone() };
    if turn.role == Role::Model {
        let is_summary = info.remove("summary").is_some_and(|flag| flag.as_bool() == Some(true));
        say.model = take_text(&mut info, "modelID");
        say.agent = take_text(&mut info, "agent")
            .filter(|agent| &**agent != "build")
            .map(|agent| format!("opencode.{agent}").into());
        info.remove("mode");
        say.finish = take_text(&mut info, "finish");
        let is_gemini = say.model.as_ref().is_some_and(|model| model.contains("gemini"));
        let spelling = if is_gemini { OPENCODE_OF_GEMINI } else { OPENCODE };
        say.usage = take_object(&mut info, "tokens").map(|mut tokens| spelling.take(&mut tokens).into());
        say.error = take_object(&mut info, "error").map(|mut error| {
            let name = take_text(&mut error, "name").unwrap_or_else(|| "error".into());
            let data = take_object(&mut error, "data").and_then(|mut data| take_text(&mut data, "message"));
            (name.clone(), data.unwrap_or(name))
        });
        if is_summary {
            // The summary stands for everything before it; the call that wrote it reports its own usage.
            say.kind = Kind::Compaction;
            say.parts = turn.parts.iter().filter(|part| !part.is_thought()).cloned().collect();
            draft.push(say);
            return;
        }
    }
    for key in ["path", "cost", "providerID", "sessionID", "model", "agent", "summary"] {
        info.remove(key);
    }
    draft.note_rest("message", &info);
    if let Some(compaction) = compaction.filter(|_| turn.parts.is_empty()) {
        draft.unmapped.record("part.compaction", compaction);
        return;
    }
    if turn.role == Role::User {
        say.invocation = None;
        say.kind = match kind_of(&turn) {
            Kind::Prompt if !is_typed => Kind::Injected("synthetic".into()),
            kind => kind,
        };
        say.parts = turn.parts;
        draft.push(say);
    } else {
        say.kind = Kind::Response;
        say.parts = turn.parts;
        draft.push(say);
    }
    if !results.parts.is_empty() {
        draft.push_turn(results, after);
    }
}

struct Reading<'d> {
    draft: &'d mut Draft,
    turn: Turn,
    results: Turn,
    compaction: Option<SourceRecord>,
    /// Some of it was not written by the client.
    is_typed: bool,
}

impl Reading<'_> {
    fn part(&mut self, mut part: Object, source: SourceRecord) {
        let kind = take_text(&mut part, "type").unwrap_or_default();
        let is_synthetic = part.remove("synthetic").is_some_and(|flag| flag.is_truthy());
        if part.remove("ignored").is_some_and(|flag| flag.is_truthy()) {
            // Shown to the person only.
            return self.draft.unmapped.record(&format!("part.{kind} (ignored)"), source);
        }
        self.is_typed |= !is_synthetic && matches!(&*kind, "text" | "file" | "subtask");
        match &*kind {
            "subtask" => {
                let text = take_text(&mut part, "prompt").unwrap_or_default();
                self.turn.parts.push(Part::from_text(text));
            }
            "text" => {
                let text = take_text(&mut part, "text").unwrap_or_default();
                self.turn.parts.push(Part::from_text(text));
            }
            "reasoning" => self.turn.parts.push(thought(take_text(&mut part, "text").unwrap_or_default())),
            "tool" => self.tool(&mut part),
            "file" => {
                let mut file = Object::from_iter([("type", Json::from("file"))]);
                file.push_some("url", part.remove("url"));
                file.push_some("mime_type", part.remove("mime"));
                file.push_some("filename", part.remove("filename"));
                self.draft.messages("part").content(Json::Array(vec![file.into()]), &mut self.turn);
            }
            "compaction" => return self.compaction = Some(source),
            // Their usage is that of the message.
            "step-start" | "step-finish" => {
                return self.draft.unmapped.record(&format!("part.{kind}"), source);
            }
            kind => {
                let kind = if kind.is_empty() { "without a type" } else { kind };
                return self.draft.unmapped.record(&format!("part.{kind}"), source);
            }
        }
        for key in ["id", "sessionID", "messageID", "time"] {
            part.remove(key);
        }
        self.draft.note_rest(&format!("part.{kind}"), &part);
    }

    fn tool(&mut self, part: &mut Object) {
        let id = take_text(part, "callID");
        let name = take_text(part, "tool");
        let mut state = take_object(part, "state").unwrap_or_default();
        let status = take_text(&mut state, "status").unwrap_or_default();
        let mut messages = self.draft.messages("part.tool");
        messages.push_call(id.clone(), name.clone(), state.remove("input"), &mut self.turn);
        let is_error = &*status == "error";
        let answer = if is_error {
            take_first_text(&mut state, &["error", "output"])
        } else {
            take_text(&mut state, "output")
        };
        if matches!(&*status, "completed" | "error") || answer.is_some() {
            messages.result(id, name, answer.map(Json::String), is_error, &mut self.results);
        }
        for key in ["time", "title"] {
            state.remove(key);
        }
        self.draft.note_rest("part.tool.state", &state);
    }
}
