//! Checkpoints of LangGraph in SQLite. Every checkpoint holds the whole list of messages; the newest one of a thread is
//! its conversation, and the first one that has a message says when it came.

use std::collections::{BTreeMap, HashMap};

use rmpv::Value as Packed;
use strata_model::{Json, Object, Str};

use crate::draft::say_message;
use crate::draft::{Draft, EventDraft, Kind};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::rows::text_of;
use crate::source::SourceRecord;
use crate::tables::{self, Table};
use crate::tables::{SqlValue, TableError, TableSource};
use crate::time::time_of;

/// Values nested deeper than this are no checkpoint.
const MAX_DEPTH: usize = 48;

#[derive(Default)]
struct Thread {
    /// Messages by id, with the checkpoint they first stood in and its time, in the order they came.
    messages: Vec<(Json, Str, Option<f64>)>,
    places: HashMap<Str, usize>,
    /// Messages of the newest checkpoint that has any, in its order.
    newest: Vec<usize>,
    other_channels: BTreeMap<String, u64>,
}

pub(crate) fn is_database(all: &[Table]) -> bool {
    tables::has(all, "checkpoints") && tables::has(all, "writes")
}

pub(crate) fn read_tables(
    source: &mut dyn TableSource,
    format: Format,
    findings: &mut Findings,
) -> Result<Vec<ImportedSession>, TableError> {
    let mut threads: BTreeMap<(Str, Str), Thread> = BTreeMap::new();
    let columns = ["thread_id", "checkpoint_ns", "checkpoint_id", "type", "checkpoint"];
    source.rows("checkpoints", &columns, &columns[..3], &mut |row| {
        let text = |at: usize| text_of(row.get(at)).unwrap_or_default();
        let thread = threads.entry((text(0), text(1))).or_default();
        match checkpoint(row.get(4), &text(3)) {
            Ok(checkpoint) => thread.add(&checkpoint, &text(2)),
            Err(reason) => {
                let message = format!("a checkpoint cannot be read ({reason}); it was left out");
                findings.error("broken-checkpoint", format!("checkpoint {}", text(2)), message);
            }
        }
    })?;
    let mut sessions = Vec::new();
    for ((id, space), thread) in threads {
        let mut draft = Draft::new("langgraph", "graph");
        draft.session.id = if space.is_empty() { id } else { format!("{id}:{space}").into() };
        for (channel, count) in thread.other_channels {
            draft.unmapped.fields.insert(format!("channel_values.{channel}"), count);
        }
        let mut messages: Vec<_> = thread.messages.into_iter().map(Some).collect();
        let newest: Vec<_> = thread.newest.iter().filter_map(|at| messages.get_mut(*at)?.take()).collect();
        // What the graph removed, or what stands on a fork that was left.
        for (_, checkpoint, _) in messages.into_iter().flatten() {
            draft
                .unmapped
                .record("removed message", SourceRecord::Row { table: "checkpoints", id: checkpoint });
        }
        for (message, checkpoint, time) in newest {
            let record = SourceRecord::Row { table: "checkpoints", id: checkpoint };
            say_message(
                &mut draft,
                "message",
                message,
                EventDraft { time, ..EventDraft::new(Kind::Notice, Vec::new(), record) },
            );
        }
        if draft.len() == 0 {
            let place = format!("thread {}", draft.session.id);
            findings.info("empty-session", place, "a thread holds no messages; it was left out");
            continue;
        }
        sessions.extend(draft.finish(format, findings));
    }
    Ok(sessions)
}

impl Thread {
    fn add(&mut self, checkpoint: &Json, id: &Str) {
        let time = checkpoint.get("ts").and_then(time_of);
        let Some(channels) = checkpoint.get("channel_values").and_then(Json::as_object) else { return };
        for (channel, value) in channels.iter() {
            if &**channel != "messages" {
                *self.other_channels.entry(channel.to_string()).or_default() += 1;
                continue;
            }
            let mut now = Vec::new();
            for (at, message) in value.as_array().unwrap_or_default().iter().enumerate() {
                let own = message
                    .get("id")
                    .and_then(Json::as_str)
                    .map_or_else(|| format!("#{at}").into(), Str::from);
                match self.places.get(&own) {
                    // The last word on a message counts.
                    Some(place) => {
                        self.messages[*place].0 = message.clone();
                        now.push(*place);
                    }
                    None => {
                        now.push(self.messages.len());
                        self.places.insert(own, self.messages.len());
                        self.messages.push((message.clone(), id.clone(), time));
                    }
                }
            }
            if !now.is_empty() {
                self.newest = now;
            }
        }
    }
}

fn checkpoint(value: Option<&SqlValue<'_>>, kind: &str) -> Result<Json, String> {
    let bytes = match value {
        Some(SqlValue::Blob(bytes)) => bytes,
        Some(SqlValue::Text(text)) => text.as_bytes(),
        _ => return Err("it is empty".to_owned()),
    };
    if kind == "json" {
        return strata_model::json::parse(bytes).map_err(|error| error.message);
    }
    if kind != "msgpack" {
        return Err(format!("it is written as {kind}"));
    }
    unpack(bytes).map(|value| json_of(value, MAX_DEPTH))
}

fn unpack(bytes: &[u8]) -> Result<Packed, String> {
    rmpv::decode::read_value_with_max_depth(&mut &bytes[..], MAX_DEPTH * 4).map_err(|error| error.to_string())
}

fn json_of(value: Packed, depth: usize) -> Json {
    let Some(depth) = depth.checked_sub(1) else { return Json::Null };
    match value {
        Packed::Nil => Json::Null,
        Packed::Boolean(flag) => Json::Bool(flag),
        Packed::Integer(number) => {
            number.as_i64().map_or_else(|| Json::Float(number.as_f64().unwrap_or(0.0)), Json::Int)
        }
        Packed::F32(number) => Json::Float(number.into()),
        Packed::F64(number) => Json::Float(number),
        Packed::String(text) => Json::from(String::from_utf8_lossy(text.as_bytes()).into_owned()),
        Packed::Binary(bytes) => Json::from(String::from_utf8_lossy(&bytes).into_owned()),
        Packed::Array(items) => items.into_iter().map(|item| json_of(item, depth)).collect::<Vec<_>>().into(),
        Packed::Map(members) => {
            let members = members.into_iter().map(|(key, value)| {
                let key = json_of(key, depth);
                let key = key.as_str().map_or_else(|| strata_model::json::to_compact(&key), str::to_owned);
                (key, json_of(value, depth))
            });
            members.collect::<Object>().into()
        }
        // An object of Python: `[module, class, arguments, method]`. It is taken as its arguments; nothing is called.
        Packed::Ext(_, bytes) => match unpack(&bytes) {
            Ok(Packed::Array(mut parts)) if parts.len() >= 3 => json_of(parts.swap_remove(2), depth),
            Ok(other) => json_of(other, depth),
            Err(_) => Json::Null,
        },
    }
}
