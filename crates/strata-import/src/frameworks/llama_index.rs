//! Memories of LlamaIndex: a chat store, a memory with one in it, the context of a workflow with a memory in that, or the
//! messages alone; and the table that its newer memory keeps.

use std::collections::BTreeMap;

use strata_model::take::{take_list, take_object, unpacked};
use strata_model::{Json, Object, Str};

use crate::document_file::DocumentFormat;
use crate::documents::Document;
use crate::draft::{Draft, EventDraft, Kind, say_message};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::rows::{json_of, seconds_of, text_of};
use crate::source::SourceRecord;
use crate::tables::{self, Table, TableError, TableSource};

/// A message whose content stands in blocks.
pub(crate) fn is_message(keys: Keys<'_>) -> bool {
    keys.has_all(&["role", "blocks"])
        && (keys.has("additional_kwargs") || keys.first_has("blocks", &["block_type"]))
}

/// What holds a store, or is one.
pub(crate) fn is_memory(keys: Keys<'_>) -> bool {
    let is_store = keys.has("store") && keys.text("class_name") == "SimpleChatStore";
    let is_memory = keys.has_all(&["chat_store", "chat_store_key"]);
    let is_context = keys.inner("state").is_some_and(|state| state.has_all(&["state_type", "state_data"]));
    is_store || is_memory || is_context || is_message(keys)
}

pub(crate) fn is_database(all: &[Table]) -> bool {
    let columns = ["key", "role", "status", "data"];
    columns.iter().all(|column| tables::has_column(all, TABLE, column))
}

const TABLE: &str = "llama_index_memory";

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &[""], repeats: false, read, read_other: None };

/// The messages under a key of a store, and what stands beside them.
struct Talk {
    id: Str,
    messages: Vec<(Json, SourceRecord, Option<f64>)>,
    rest: Object,
}

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut talks = Vec::new();
    let mut loose = Vec::new();
    for mut document in documents {
        let listed = document.take("");
        if !listed.is_empty() {
            let messages = listed.into_iter().map(|value| (value.source(), value.json));
            let messages = messages.map(|(source, json)| (json, source, None)).collect();
            talks.push(Talk { id: "memory".into(), messages, rest: Object::new() });
            continue;
        }
        let (fields, source) = (document.fields, document.source);
        if fields.contains_key("role") {
            loose.push((Json::Object(fields), source, None));
        } else {
            memory(fields, &source, &mut talks);
        }
    }
    if !loose.is_empty() {
        talks.push(Talk { id: "memory".into(), messages: loose, rest: Object::new() });
    }
    talks.into_iter().filter_map(|talk| session(talk, format, findings)).collect()
}

/// The conversations of a store, of the memory around it, or of the context around that.
fn memory(mut fields: Object, source: &SourceRecord, talks: &mut Vec<Talk>) {
    if let Some(mut state) = take_object(&mut fields, "state") {
        let mut data = take_object(&mut state, "state_data").unwrap_or_default();
        let mut values = take_object(&mut data, "_data").unwrap_or_default();
        let inner = values.remove("memory").map(unpacked);
        if let Some(Json::Object(mut inner)) = inner {
            memory(take_object(&mut inner, "value").unwrap_or(inner), source, talks);
        }
        if let Some(last) = talks.last_mut() {
            for (key, value) in values {
                last.rest.insert(key, value);
            }
        }
        return;
    }
    if let Some(store) = take_object(&mut fields, "chat_store") {
        fields.remove("chat_store_key");
        fields.remove("class_name");
        memory(store, source, talks);
        if let Some(last) = talks.last_mut() {
            last.rest.update(&fields);
        }
        return;
    }
    for (key, messages) in take_object(&mut fields, "store").unwrap_or_default() {
        let mut held = Object::from_iter([("messages", messages)]);
        let messages = take_list(&mut held, "messages").unwrap_or_default();
        let messages = messages.into_iter().map(|message| (message, source.clone(), None)).collect();
        talks.push(Talk { id: key, messages, rest: held });
    }
}

fn session(talk: Talk, format: Format, findings: &mut Findings) -> Option<ImportedSession> {
    let mut draft = Draft::new("llama-index", "agent");
    draft.session.id = talk.id;
    draft.note_rest("memory", &talk.rest);
    for (message, source, time) in talk.messages {
        let say = EventDraft { time, ..EventDraft::new(Kind::Notice, Vec::new(), source) };
        say_message(&mut draft, "message", message, say);
    }
    draft.finish(format, findings)
}

pub(crate) fn read_tables(
    source: &mut dyn TableSource,
    format: Format,
    findings: &mut Findings,
) -> Result<Vec<ImportedSession>, TableError> {
    let mut by_key: BTreeMap<Str, Talk> = BTreeMap::new();
    let columns = ["id", "key", "timestamp", "status", "data"];
    source.rows(TABLE, &columns, &["key", "timestamp", "id"], &mut |row| {
        let number = text_of(row.first()).unwrap_or_default();
        let key = text_of(row.get(1)).unwrap_or_default();
        let message = json_of(row.get(4), &format!("{TABLE} {number}"), findings);
        let talk = by_key.entry(key.clone()).or_insert_with(|| Talk {
            id: key,
            messages: Vec::new(),
            rest: Object::new(),
        });
        // What no longer fits is archived; it was said all the same.
        if text_of(row.get(3)).as_deref() == Some("archived") {
            let count = talk.rest.get("archived").and_then(Json::as_i64).unwrap_or(0);
            talk.rest.insert("archived", Json::Int(count + 1));
        }
        let record = SourceRecord::Row { table: TABLE, id: number };
        talk.messages.push((message, record, seconds_of(row.get(2))));
    })?;
    let talks = by_key.into_values();
    Ok(talks.filter_map(|talk| session(talk, format, findings)).collect())
}
