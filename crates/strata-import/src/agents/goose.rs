//! Sessions of goose: its database, the files of versions before 1.10, and what `goose session export` and
//! `goose run --output-format` write. Reasoning may be stored as one part a token; those are put together.

mod file;

use std::collections::HashMap;

use strata_model::take::{take_any, take_list, take_object, take_text};
use strata_model::{Json, Object, Part, Str};
use strata_wire::message::{Role, Turn, thought};
use strata_wire::usage::{Counts, UsageReport, read as read_usage};

use crate::draft::{Draft, EventDraft, Kind, kind_of};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::{ImportedSession, ParentSession};
use crate::rows::{count_of, json_of, object_of, seconds_of, text_of};
use crate::source::SourceRecord;
use crate::tables::{self, Table};
use crate::tables::{TableError, TableSource};

pub(crate) use file::{DOCUMENTS, is_session};

struct Chat {
    draft: Draft,
    model: Option<Str>,
    /// Usage of calls that no message reports, in the order of time.
    ledger: Vec<(f64, UsageReport, bool)>,
    has_ledger: bool,
    /// Its event and time.
    last_response: Option<(usize, Option<f64>)>,
    n_messages: i64,
    n_thinking_parts: i64,
    /// The usage of the whole session, for those of which no call reports its own.
    sum: Option<UsageReport>,
    has_usage: bool,
}

pub(crate) fn is_database(all: &[Table]) -> bool {
    let has_messages = tables::has_column(all, "messages", "content_json");
    tables::has(all, "usage_ledger") || (has_messages && tables::has(all, "sessions"))
}

pub(crate) fn read_tables(
    source: &mut dyn TableSource,
    format: Format,
    findings: &mut Findings,
) -> Result<Vec<ImportedSession>, TableError> {
    let tables = source.tables()?;
    let has = |table: &str, column: &str| tables.iter().any(|it| it.name == table && it.has(column));
    let has_ledger = has("usage_ledger", "is_compaction");
    let mut order: Vec<Str> = Vec::new();
    let mut chats: HashMap<Str, Chat> = HashMap::new();
    let title = if has("sessions", "name") { "name" } else { "description" };
    let mut columns = vec!["id", title];
    for column in
        ["parent_session_id", "model_config_json", "accumulated_input_tokens", "accumulated_output_tokens"]
    {
        columns.push(if has("sessions", column) { column } else { "id" });
    }
    let has_sums = has("sessions", "accumulated_input_tokens");
    source.rows("sessions", &columns, &["id"], &mut |row| {
        let id = text_of(row.first()).unwrap_or_default();
        let mut draft = Draft::new("goose", "goose");
        draft.session.id = id.clone();
        draft.title = text_of(row.get(1));
        let parent = text_of(row.get(2)).filter(|parent| *parent != id && !parent.is_empty());
        draft.parent = parent.map(|session_id| ParentSession { session_id, agent_id: id.clone() });
        let model = if columns[3] == "id" {
            None
        } else {
            object_of(row.get(3), "sessions", findings)
                .get("model_name")
                .and_then(Json::as_str)
                .map(Str::from)
        };
        order.push(id.clone());
        let counts =
            Counts { input: count_of(row.get(4)), output: count_of(row.get(5)), ..Counts::default() };
        let sum = counts.input.filter(|_| has_sums && !has_ledger).map(|_| UsageReport::from(counts));
        chats.insert(id, Chat { model, has_ledger, sum, ..Chat::new(draft) });
    })?;
    if has_ledger {
        read_ledger(source, &mut chats, findings)?;
    }
    let id_column = if has("messages", "message_id") { "message_id" } else { "id" };
    let metadata = if has("messages", "metadata_json") { "metadata_json" } else { "role" };
    let columns = ["id", "session_id", "role", "content_json", "created_timestamp", metadata, id_column];
    source.rows("messages", &columns, &["id"], &mut |row| {
        let session = text_of(row.get(1)).unwrap_or_default();
        let Some(chat) = chats.get_mut(&session) else {
            let message = "messages belong to a session that has no row; they were left out";
            return findings.warning("no-session-row", format!("session {session}"), message);
        };
        let record = SourceRecord::Row { table: "messages", id: text_of(row.first()).unwrap_or_default() };
        let metadata =
            if metadata == "role" { Object::new() } else { object_of(row.get(5), "messages", findings) };
        let content = json_of(row.get(3), "messages", findings);
        let mut say = EventDraft::new(Kind::Notice, Vec::new(), record);
        say.time = seconds_of(row.get(4));
        say.id = text_of(row.get(6));
        chat.message(&text_of(row.get(2)).unwrap_or_default(), content, metadata, say);
    })?;
    let drafts = order.iter().filter_map(|id| chats.remove(id));
    let mut sessions = Vec::new();
    for mut chat in drafts {
        if chat.draft.len() == 0 {
            let place = format!("session {}", chat.draft.session.id);
            findings.info("empty-session", place, "a session holds no messages; it was left out");
            continue;
        }
        let source = SourceRecord::Row { table: "sessions", id: chat.draft.session.id.clone() };
        chat.tell_ledger(&source);
        chat.tell_sum(source);
        sessions.extend(chat.draft.finish(format, findings));
    }
    Ok(sessions)
}

fn read_ledger(
    source: &mut dyn TableSource,
    chats: &mut HashMap<Str, Chat>,
    findings: &mut Findings,
) -> Result<(), TableError> {
    let columns = [
        "session_id",
        "created_timestamp",
        "input_tokens",
        "output_tokens",
        "cache_read_tokens",
        "cache_write_tokens",
        "is_compaction",
    ];
    source.rows("usage_ledger", &columns, &["id"], &mut |row| {
        let session = text_of(row.first()).unwrap_or_default();
        let Some(chat) = chats.get_mut(&session) else {
            let message = "usage belongs to a session that has no row; it was left out";
            return findings.warning("no-session-row", format!("session {session}"), message);
        };
        let counts = Counts {
            input: count_of(row.get(2)),
            output: count_of(row.get(3)),
            cached: count_of(row.get(4)),
            written: count_of(row.get(5)),
            ..Counts::default()
        };
        let is_compaction = count_of(row.get(6)).unwrap_or(0) > 0;
        chat.ledger.push((seconds_of(row.get(1)).unwrap_or(0.0), UsageReport::from(counts), is_compaction));
    })
}

impl Chat {
    fn new(draft: Draft) -> Self {
        Self {
            draft,
            model: None,
            ledger: Vec::new(),
            has_ledger: false,
            last_response: None,
            n_messages: 0,
            n_thinking_parts: 0,
            sum: None,
            has_usage: false,
        }
    }

    /// What is counted over all messages, and the usage of all calls where none reported its own.
    fn tell_sum(&mut self, source: SourceRecord) {
        self.draft.counts.insert("messages", Json::Int(self.n_messages));
        self.draft.counts.insert("thinking_parts", Json::Int(self.n_thinking_parts));
        let Some(usage) = self.sum.take().filter(|_| !self.has_usage) else { return };
        let model = self.model.clone();
        self.draft.push_sum(EventDraft {
            usage: Some(usage),
            model,
            ..EventDraft::new(Kind::Notice, Vec::new(), source)
        });
    }

    /// Calls of the ledger that no message answers: summaries, and calls that failed or whose answers are gone.
    fn tell_ledger(&mut self, source: &SourceRecord) {
        for (time, usage, is_compaction) in std::mem::take(&mut self.ledger) {
            let kind = if is_compaction { Kind::Compaction } else { Kind::Notice };
            let model = self.model.clone();
            self.has_usage = true;
            self.draft.push(EventDraft {
                time: Some(time),
                usage: Some(usage),
                model,
                ..EventDraft::new(kind, Vec::new(), source.clone())
            });
        }
    }

    fn message(&mut self, role: &str, content: Json, mut metadata: Object, mut say: EventDraft) {
        let parts = match content {
            Json::Array(parts) => parts,
            Json::Null => Vec::new(),
            other => vec![other],
        };
        self.n_messages += 1;
        let is_thinking = |part: &&Json| part.get("type").and_then(Json::as_str) == Some("thinking");
        self.n_thinking_parts += parts.iter().filter(is_thinking).count() as i64;
        let is_model = role.eq_ignore_ascii_case("assistant");
        let mut turn = Turn::new(if is_model { Role::Model } else { Role::User });
        for part in parts {
            match part {
                Json::Object(part) => self.part(part, &mut turn),
                other => self.draft.unmapped.field("message", "content[]", &other),
            }
        }
        let usage = take_object(&mut metadata, "usage")
            .and_then(|usage| read_usage(usage, "usage", &mut self.draft.unmapped));
        let is_visible = metadata.remove("agentVisible").is_none_or(|flag| flag.is_truthy());
        if !is_visible {
            say.source_notes.push("agentVisible", false);
        }
        // What only the model is shown was written by the client: summaries, reminders.
        let is_shown = metadata.remove("userVisible").is_none_or(|flag| flag.is_truthy());
        self.draft.note_rest("metadata", &metadata);
        if turn.role == Role::Model {
            say.kind = Kind::Response;
            say.model.clone_from(&self.model);
            let has_ledger = self.has_ledger;
            say.usage = match usage {
                Some(own) => {
                    self.told(&own, say.time);
                    Some(own)
                }
                None => self.of_ledger(say.time),
            };
            self.has_usage |= say.usage.is_some();
            // Calls made side by side are messages of their own, of which the first reports the usage.
            let before = self.last_response.filter(|(_, time)| has_ledger && *time == say.time);
            if let (None, Some((at, _))) = (&say.usage, before) {
                let calls = turn.parts.into_iter().filter(|part| part.function_call.is_some());
                return self.draft.extend(at, calls.collect(), say.sources[0].clone());
            }
            self.last_response = Some((self.draft.len(), say.time));
            self.note_compactions(&say);
        } else {
            say.kind = match kind_of(&turn) {
                Kind::Prompt if !is_shown => Kind::Injected("client".into()),
                kind => kind,
            };
        }
        self.draft.note_result_bytes(turn.result_bytes);
        say.parts = turn.parts;
        self.draft.push(say);
    }

    /// Takes the row of a call whose message reports its usage itself: the one that says the same, since a row may be
    /// written long after the message began.
    fn told(&mut self, own: &UsageReport, time: Option<f64>) {
        let counts = |it: &UsageReport| (it.usage.prompt_token_count, it.usage.output_tokens());
        let same = self
            .ledger
            .iter()
            .position(|(_, row, is_compaction)| !is_compaction && counts(row) == counts(own));
        match same {
            Some(at) => drop(self.ledger.remove(at)),
            None => drop(self.of_ledger(time)),
        }
    }

    /// The usage of the call that ended at this time, where messages do not report their own.
    fn of_ledger(&mut self, time: Option<f64>) -> Option<UsageReport> {
        let time = time?;
        let at = self
            .ledger
            .iter()
            .position(|(written, _, is_compaction)| !is_compaction && (written - time).abs() < 1.0)?;
        Some(self.ledger.remove(at).1)
    }

    /// Calls that wrote a summary before this response.
    fn note_compactions(&mut self, say: &EventDraft) {
        let now = say.time.unwrap_or(0.0);
        while let Some(at) =
            self.ledger.iter().position(|(time, _, is_compaction)| *is_compaction && *time <= now)
        {
            let (time, usage, _) = self.ledger.remove(at);
            let event = EventDraft {
                kind: Kind::Compaction,
                time: Some(time),
                usage: Some(usage),
                parts: Vec::new(),
                id: None,
                ..say.clone()
            };
            self.draft.push(event);
        }
    }

    fn part(&mut self, mut part: Object, turn: &mut Turn) {
        let kind = take_text(&mut part, "type").unwrap_or_default();
        match &*kind {
            "thinking" | "reasoning" => {
                let text = take_text(&mut part, if &*kind == "thinking" { "thinking" } else { "text" })
                    .unwrap_or_default();
                match turn.parts.last_mut() {
                    Some(last) if last.is_thought() => {
                        last.text = last.text.as_ref().map(|before| format!("{before}{text}").into());
                    }
                    _ => turn.parts.push(thought(text)),
                }
            }
            "toolRequest" | "frontendToolRequest" => {
                let id = take_text(&mut part, "id");
                let mut call = take_object(&mut part, "toolCall").unwrap_or_default();
                let mut value = take_object(&mut call, "value").unwrap_or_default();
                let name = take_text(&mut value, "name");
                // A call that could not be read has its text in the error.
                let args = value.remove("arguments").or_else(|| call.remove("error"));
                self.draft.messages("toolRequest").push_call(id, name, args, turn);
            }
            "toolResponse" => {
                let id = take_text(&mut part, "id");
                let mut result = take_object(&mut part, "toolResult").unwrap_or_default();
                let error = result.remove("error").filter(|error| !error.is_null());
                // Before 1.2 the value was the content itself.
                let content = take_list(&mut result, "value").map(Json::Array);
                let mut value = take_object(&mut result, "value").unwrap_or_default();
                let is_error = error.is_some() || value.get("isError").is_some_and(Json::is_truthy);
                let content = error
                    .or(content)
                    .or_else(|| take_any(&mut value, &["content"]))
                    .or(Some(Json::Object(value)));
                self.draft.messages("toolResponse").result(id, None, content, is_error, turn);
            }
            "systemNotification"
            | "contextLengthExceeded"
            | "summarizationRequested"
            | "conversationCompacted" => {
                let text =
                    take_text(&mut part, "msg").or_else(|| take_text(&mut part, "text")).unwrap_or_default();
                turn.parts.push(Part::from_text(text));
            }
            _ => {
                part.insert("type", kind);
                return self.draft.messages("message").content(Json::Array(vec![part.into()]), turn);
            }
        }
        self.draft.note_rest(&kind, &part);
    }
}
