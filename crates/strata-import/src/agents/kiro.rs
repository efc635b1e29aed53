//! The database of Kiro's command line, which was Amazon Q's: conversations as JSON, a pair of messages a turn.

use strata_model::take::{take_any, take_first_text, take_list, take_object, take_text};
use strata_model::{Json, Object, Part, Str};
use strata_wire::message::{Role, Turn};

use crate::draft::{Draft, EventDraft, Kind};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::rows::{object_of, seconds_of, text_of};
use crate::source::SourceRecord;
use crate::tables::{self, Table, TableError, TableSource};
use crate::time::{take_time, time_of};

const NEW: &str = "conversations_v2";
const OLD: &str = "conversations";

pub(crate) fn is_database(all: &[Table]) -> bool {
    let has = |table| tables::has_column(all, table, "key") && tables::has_column(all, table, "value");
    has(NEW) || (has(OLD) && tables::has(all, "auth_kv"))
}

pub(crate) fn read_tables(
    source: &mut dyn TableSource,
    format: Format,
    findings: &mut Findings,
) -> Result<Vec<ImportedSession>, TableError> {
    let all = source.tables()?;
    let mut sessions = Vec::new();
    let mut n_empty = 0_u64;
    for table in [OLD, NEW] {
        if !tables::has_column(&all, table, "value") {
            continue;
        }
        let column = |name| if tables::has_column(&all, table, name) { name } else { "key" };
        let columns = ["key", "value", column("conversation_id"), column("created_at")];
        source.rows(table, &columns, &["rowid"], &mut |row| {
            let key = text_of(row.first()).unwrap_or_default();
            let own = text_of(row.get(2)).filter(|_| columns[2] != "key");
            let created = seconds_of(row.get(3)).filter(|_| columns[3] != "key");
            let value = object_of(row.get(1), table, findings);
            let id = own.clone().unwrap_or(key);
            let record = SourceRecord::Row { table, id };
            match conversation(value, own, created, &record) {
                Some(draft) => sessions.extend(draft.finish(format, findings)),
                None => n_empty += 1,
            }
        })?;
    }
    findings.empty_sessions(n_empty);
    if !sessions.is_empty() {
        let message = "Kiro keeps no token counts; those that are shown are estimates of the words in it";
        findings.info("no-usage", "", message);
    }
    Ok(sessions)
}

fn conversation(
    mut value: Object,
    id: Option<Str>,
    created: Option<f64>,
    source: &SourceRecord,
) -> Option<Draft> {
    let mut draft = Draft::new("kiro", "kiro");
    let own = take_text(&mut value, "conversation_id");
    draft.session.id = own.or(id).unwrap_or_default();
    draft.set_clock(created);
    let model = take_object(&mut value, "model_info")
        .and_then(|mut model| take_first_text(&mut model, &["model_id"]));
    let model = model.or_else(|| take_first_text(&mut value, &["model"]));
    let summary = match take_any(&mut value, &["latest_summary"]) {
        Some(Json::Array(items)) => items.first().and_then(Json::as_str).map(Str::from),
        Some(Json::String(text)) => Some(text),
        _ => None,
    };
    if let Some(summary) = summary.filter(|summary| !summary.is_empty()) {
        let parts = vec![Part::from_text(summary)];
        draft.push(EventDraft { parts, ..EventDraft::new(Kind::Compaction, Vec::new(), source.clone()) });
    }
    let history = take_list(&mut value, "history").unwrap_or_default();
    let is_empty = history.is_empty();
    // The transcript says the same again, and the rest is what the program was set to.
    for key in ["transcript", "next_message", "tools", "context_manager", "valid_history_range"] {
        value.remove(key);
    }
    value.retain(|_, value| value.is_truthy());
    draft.note_rest("conversation", &value);
    for turn in history {
        let (user, assistant, about) = match turn {
            Json::Object(mut turn) => {
                (turn.remove("user"), turn.remove("assistant"), take_object(&mut turn, "request_metadata"))
            }
            Json::Array(pair) => {
                let mut pair = pair.into_iter();
                (pair.next(), pair.next(), None)
            }
            _ => continue,
        };
        add(&mut draft, user, assistant, about.unwrap_or_default(), model.as_ref(), source);
    }
    (!is_empty && draft.len() > 0).then_some(draft)
}

fn add(
    draft: &mut Draft,
    user: Option<Json>,
    assistant: Option<Json>,
    mut about: Object,
    model: Option<&Str>,
    source: &SourceRecord,
) {
    let say = EventDraft::new(Kind::Notice, Vec::new(), source.clone());
    let started = about.get("request_start_timestamp_ms").and_then(time_of);
    let ended = about.get("stream_end_timestamp_ms").and_then(time_of);
    if let Some(Json::Object(mut user)) = user {
        said(draft, &mut user, EventDraft { time: started, ..say.clone() });
    }
    let Some(Json::Object(assistant)) = assistant else { return };
    let Some((_, Json::Object(mut message))) = assistant.into_iter().next() else { return };
    let mut turn = Turn::new(Role::Model);
    if let Some(text) = take_first_text(&mut message, &["content"]) {
        turn.parts.push(Part::from_text(text));
    }
    for call in take_list(&mut message, "tool_uses").unwrap_or_default() {
        let Some(mut call) = draft.object("tool_uses", call) else { continue };
        let (id, name) = (take_text(&mut call, "id"), take_text(&mut call, "name"));
        let args = take_any(&mut call, &["args"]);
        for key in ["orig_name", "orig_args"] {
            call.remove(key);
        }
        draft.note_rest("tool_uses", &call);
        draft.messages("tool_uses").push_call(id, name, args, &mut turn);
    }
    let id = take_first_text(&mut message, &["message_id"]);
    draft.note_rest("assistant", &message);
    let model = take_first_text(&mut about, &["model_id"]).or_else(|| model.cloned());
    draft.push(EventDraft {
        kind: Kind::Response,
        parts: turn.parts,
        id,
        model,
        time: ended.or(started),
        ..say
    });
}

/// What is sent for a person: words, results, and what the program adds to them.
fn said(draft: &mut Draft, user: &mut Object, mut say: EventDraft) {
    say.time = take_time(user, "timestamp").or(say.time);
    if let Some(text) = take_first_text(user, &["additional_context"]) {
        let kind = Kind::Injected("context".into());
        draft.push(EventDraft { kind, parts: vec![Part::from_text(text)], ..say.clone() });
    }
    user.remove("env_context");
    if let Some(images) = take_any(user, &["images"]).filter(Json::is_truthy) {
        draft.unmapped.field("user", "images", &images);
    }
    let content = take_object(user, "content").unwrap_or_default();
    draft.note_rest("user", user);
    let Some((_, Json::Object(mut content))) = content.into_iter().next() else { return };
    let mut results = Turn::new(Role::Tool);
    for result in take_list(&mut content, "tool_use_results").unwrap_or_default() {
        let Some(mut result) = draft.object("tool_use_results", result) else { continue };
        let id = take_text(&mut result, "tool_use_id");
        let is_error =
            take_text(&mut result, "status").is_some_and(|status| status.eq_ignore_ascii_case("error"));
        let blocks = take_list(&mut result, "content").unwrap_or_default().into_iter();
        let mut values: Vec<Json> = blocks
            .filter_map(|block| match block {
                Json::Object(mut block) => take_any(&mut block, &["Text", "Json"]),
                other => Some(other),
            })
            .collect();
        let content = if values.len() == 1 { values.remove(0) } else { Json::Array(values) };
        draft.note_rest("tool_use_results", &result);
        draft.messages("tool_use_results").result(id, None, Some(content), is_error, &mut results);
    }
    if !results.parts.is_empty() {
        draft.push_turn(results, say.clone());
    }
    if let Some(prompt) = take_first_text(&mut content, &["prompt"]) {
        draft.push(EventDraft { kind: Kind::Prompt, parts: vec![Part::from_text(prompt)], ..say });
    }
    draft.note_rest("user.content", &content);
}
