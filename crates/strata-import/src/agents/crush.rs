//! The database of Crush, which the first opencode had in the same shape.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use strata_model::take::{take_any, take_first_text, take_object, take_text};
use strata_model::{Json, Object, Part, Str};
use strata_wire::message::{Role, Turn};

use crate::draft::{Draft, EventDraft, Kind, kind_of};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::{ImportedSession, ParentSession};
use crate::rows::{count_of, json_of, seconds_of, text_of};
use crate::source::SourceRecord;
use crate::tables::{self, SqlValue, Table, TableError, TableSource};

pub(crate) fn is_database(all: &[Table]) -> bool {
    tables::has_column(all, "messages", "parts")
        && tables::has_column(all, "messages", "session_id")
        && tables::has_column(all, "sessions", "parent_session_id")
}

struct Chat {
    draft: Draft,
    /// The size of its last call, as prompt and completion, and what it cost, by Crush's own account.
    last: (u64, u64),
    cost: f64,
}

pub(crate) fn read_tables(
    source: &mut dyn TableSource,
    format: Format,
    findings: &mut Findings,
) -> Result<Vec<ImportedSession>, TableError> {
    let all = source.tables()?;
    let column = |table: &str, name: &'static str, other: &'static str| {
        if tables::has_column(&all, table, name) { name } else { other }
    };
    let mut order: Vec<Str> = Vec::new();
    let mut chats: HashMap<Str, Chat> = HashMap::new();
    let columns = [
        "id",
        "parent_session_id",
        column("sessions", "title", "id"),
        column("sessions", "prompt_tokens", "parent_session_id"),
        column("sessions", "completion_tokens", "parent_session_id"),
        column("sessions", "cost", "parent_session_id"),
    ];
    source.rows("sessions", &columns, &["created_at", "id"], &mut |row| {
        let id = text_of(row.first()).unwrap_or_default();
        let mut draft = Draft::new("crush", "crush");
        draft.session.id = id.clone();
        draft.title = text_of(row.get(2));
        let parent = text_of(row.get(1)).filter(|parent| *parent != id && !parent.is_empty());
        draft.parent = parent.map(|session_id| ParentSession { session_id, agent_id: id.clone() });
        let last = (count_of(row.get(3)).unwrap_or(0), count_of(row.get(4)).unwrap_or(0));
        let cost = match row.get(5) {
            Some(SqlValue::Real(cost)) => *cost,
            _ => 0.0,
        };
        order.push(id.clone());
        chats.insert(id, Chat { draft, last, cost });
    })?;
    let is_summary = column("messages", "is_summary_message", "role");
    let provider = column("messages", "provider", "role");
    let model = column("messages", "model", "role");
    let columns = ["id", "session_id", "role", "parts", "created_at", model, provider, is_summary];
    source.rows("messages", &columns, &["created_at", "rowid"], &mut |row| {
        let id = text_of(row.first()).unwrap_or_default();
        let session = text_of(row.get(1)).unwrap_or_default();
        let Some(chat) = chats.get_mut(&session) else {
            let message = "messages belong to a session that has no row; they were left out";
            return findings.warning("no-session-row", format!("session {session}"), message);
        };
        let mut say = EventDraft::new(
            Kind::Notice,
            Vec::new(),
            SourceRecord::Row { table: "messages", id: id.clone() },
        );
        say.id = Some(id);
        say.time = seconds_of(row.get(4));
        say.model = text_of(row.get(5)).filter(|model| model_is_said(model, columns[5]));
        let provider = text_of(row.get(6)).filter(|_| columns[6] == "provider").filter(|it| !it.is_empty());
        say.source_notes.push_some("provider", provider);
        let is_summary = columns[7] != "role" && count_of(row.get(7)).unwrap_or(0) > 0;
        let parts = json_of(row.get(3), "messages", findings);
        chat.message(&text_of(row.get(2)).unwrap_or_default(), parts, is_summary, say);
    })?;
    let mut sessions = Vec::new();
    for id in order {
        let Some(chat) = chats.remove(&id) else { continue };
        let place = format!("session {id}");
        if chat.draft.len() == 0 {
            findings.info("empty-session", place, "a session holds no messages; it was left out");
            continue;
        }
        chat.tell_usage(place, findings);
        sessions.extend(chat.draft.finish(format, findings));
    }
    Ok(sessions)
}

fn model_is_said(model: &str, column: &str) -> bool {
    column == "model" && !model.is_empty()
}

impl Chat {
    /// What is known of its tokens: no call has a part of it.
    fn tell_usage(&self, place: String, findings: &mut Findings) {
        let (prompt, completion) = self.last;
        if prompt + completion == 0 && self.cost <= 0.0 {
            return;
        }
        let message = format!(
            "tokens are known of the last call alone, {prompt} of its prompt and {completion} of its answer, which \
             versions of Crush count differently; the session cost ${} by its own prices. No call has a part of it",
            self.cost
        );
        findings.info("own-total-alone", place, message);
    }

    fn message(&mut self, role: &str, parts: Json, is_summary: bool, mut say: EventDraft) {
        let parts = match parts {
            Json::Array(parts) => parts,
            Json::Null => Vec::new(),
            other => vec![other],
        };
        let role = match role {
            "assistant" => Role::Model,
            "tool" => Role::Tool,
            "system" => Role::System,
            _ => Role::User,
        };
        let mut reading = Reading { turn: Turn::new(role), finish: None, is_hidden: false, is_shell: false };
        for part in parts {
            let Some(mut part) = self.draft.object("parts", part) else { continue };
            let kind = take_text(&mut part, "type").unwrap_or_default();
            let data = take_object(&mut part, "data").unwrap_or_default();
            self.draft.note_rest("parts", &part);
            self.part(&kind, data, &mut reading);
        }
        let Reading { turn, finish, is_hidden, is_shell } = reading;
        if turn.role != Role::Model {
            say.model = None;
        }
        if let Some(mut finish) = finish {
            let reason = take_text(&mut finish, "reason").unwrap_or_default();
            let told = take_first_text(&mut finish, &["message"]);
            let details = take_first_text(&mut finish, &["details"]);
            finish.remove("time");
            self.draft.note_rest("finish", &finish);
            if matches!(&*reason, "error" | "canceled") {
                let text = [told, details].into_iter().flatten().collect::<Vec<_>>().join(": ");
                say.error = Some((
                    reason,
                    if text.is_empty() { "the answer was stopped".into() } else { text.into() },
                ));
            } else if turn.role == Role::Model {
                say.finish = Some(reason);
            }
        }
        self.draft.note_result_bytes(turn.result_bytes);
        say.kind = match kind_of(&turn) {
            _ if is_summary => Kind::Compaction,
            Kind::Prompt if is_hidden => Kind::Injected("client".into()),
            Kind::Prompt if is_shell => Kind::Injected("shell".into()),
            kind => kind,
        };
        say.parts = turn.parts;
        self.draft.push(say);
    }

    fn part(&mut self, kind: &str, mut data: Object, reading: &mut Reading) {
        let turn = &mut reading.turn;
        match kind {
            "text" => {
                reading.is_hidden |= data.remove("hidden").is_some_and(|flag| flag.is_truthy());
                let text = take_text(&mut data, "text").unwrap_or_default();
                if !text.is_empty() {
                    turn.parts.push(Part::from_text(text));
                }
            }
            "reasoning" => {
                let text = take_text(&mut data, "thinking").unwrap_or_default();
                let signature = take_first_text(&mut data, &["signature", "thought_signature"]);
                let mut block = Object::from_iter([("type", "thinking"), ("thinking", &*text)]);
                block.push_some("signature", signature);
                for key in ["signature", "thought_signature", "tool_id", "started_at", "finished_at"] {
                    data.remove(key);
                }
                self.draft.messages("reasoning").content(Json::Object(block), turn);
            }
            "tool_call" => {
                let id = take_text(&mut data, "id");
                let name = take_text(&mut data, "name");
                let input = data.remove("input");
                for key in ["finished", "type", "provider_executed"] {
                    data.remove(key);
                }
                self.draft.messages("tool_call").push_call(id, name, input, turn);
            }
            "tool_result" => {
                let id = take_text(&mut data, "tool_call_id");
                let name = take_first_text(&mut data, &["name"]);
                let is_error = data.remove("is_error").is_some_and(|flag| flag.is_truthy());
                let mut content = take_text(&mut data, "content").map(Json::from);
                let media = take_first_text(&mut data, &["data"]);
                if let Some(media) = media {
                    let mime = take_first_text(&mut data, &["mime_type"]).unwrap_or_default();
                    let text = content.take().filter(Json::is_truthy);
                    let text =
                        text.map(|text| Object::from_iter([("type", Json::from("text")), ("text", text)]));
                    let image =
                        Object::from_iter([("type", "image"), ("mimeType", &*mime), ("data", &*media)]);
                    let blocks = text.into_iter().chain([image]).map(Json::Object);
                    content = Some(Json::Array(blocks.collect()));
                }
                // What the interface shows of it.
                for key in ["metadata", "data", "mime_type"] {
                    data.remove(key);
                }
                self.draft.messages("tool_result").result(id, name, content, is_error, turn);
            }
            "finish" => {
                reading.finish = Some(data);
                return;
            }
            "binary" => return self.binary(data, turn),
            "image_url" => {
                let url = take_text(&mut data, "url").unwrap_or_default();
                let block = Object::from_iter([
                    ("type", Json::from("image_url")),
                    ("image_url", Json::Object(Object::from_iter([("url", url)]))),
                ]);
                data.remove("detail");
                self.draft.messages("image_url").content(Json::Array(vec![Json::Object(block)]), turn);
            }
            "shell_command" => {
                let command = take_text(&mut data, "command").unwrap_or_default();
                let output = take_text(&mut data, "output").unwrap_or_default();
                let code = data.remove("exit_code").and_then(|code| code.as_i64()).unwrap_or(0);
                reading.is_shell |= turn.parts.is_empty();
                turn.parts.push(Part::from_text(format!("$ {command}\n{output}\n(exit code {code})")));
            }
            other => {
                let data = Json::Object(data);
                return self.draft.unmapped.field("parts", other, &data);
            }
        }
        self.draft.note_rest(kind, &data);
    }

    /// A file; one of text is put among the words.
    fn binary(&mut self, mut data: Object, turn: &mut Turn) {
        let mime = take_text(&mut data, "MIMEType").unwrap_or_default();
        let path = take_first_text(&mut data, &["Path"]).unwrap_or_default();
        let bytes = take_any(&mut data, &["Data"]);
        let text = bytes.as_ref().and_then(Json::as_str).filter(|_| mime.starts_with("text/"));
        let text = text.and_then(|text| STANDARD.decode(text).ok());
        match text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()) {
            Some(text) => {
                let text = format!("<file path='{path}'>\n\n{text}\n</file>\n");
                turn.parts.push(Part::from_text(text));
            }
            None => {
                let mut block = Object::from_iter([("type", "image"), ("mimeType", &*mime)]);
                block.push_some("data", bytes);
                let content = Json::Array(vec![Json::Object(block)]);
                self.draft.messages("binary").content(content, turn);
            }
        }
        data.remove("Path");
        self.draft.note_rest("binary", &data);
    }
}

struct Reading {
    turn: Turn,
    finish: Option<Object>,
    /// The client wrote it in the person's name.
    is_hidden: bool,
    /// It begins with a command that the person ran.
    is_shell: bool,
}
