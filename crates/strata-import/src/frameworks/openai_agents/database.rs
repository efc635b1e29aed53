//! The database of sessions: an item of the Responses API a row, and with the advanced session what each turn used.

use std::collections::BTreeMap;

use strata_model::take::take_text;
use strata_model::{Json, Object, Str};
use strata_wire::message::Role;
use strata_wire::usage;

use super::branches::{self, MAIN, Place};
use super::trace::handed_to;
use super::{NO_ID, take_provider_data};
use crate::draft::{Draft, EventDraft, Kind};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::rows::{count_of, json_of, object_of, seconds_of, text_of};
use crate::source::SourceRecord;
use crate::tables::{self, Table, TableError, TableSource};

const MESSAGES: &str = "agent_messages";
const USAGE: &str = "turn_usage";

pub(crate) fn is_database(all: &[Table]) -> bool {
    tables::has_column(all, MESSAGES, "message_data")
}

/// An item of a session, with where it stands.
struct Item {
    row: i64,
    json: Json,
    time: Option<f64>,
    place: Place,
}

pub(crate) fn read_tables(
    source: &mut dyn TableSource,
    format: Format,
    findings: &mut Findings,
) -> Result<Vec<ImportedSession>, TableError> {
    let places = branches::places(source)?;
    let mut by_session: BTreeMap<Str, Vec<Item>> = BTreeMap::new();
    let columns = ["id", "session_id", "message_data", "created_at"];
    source.rows(MESSAGES, &columns, &["session_id", "id"], &mut |row| {
        let number = row.first().and_then(|id| count_of(Some(id))).unwrap_or_default();
        by_session.entry(text_of(row.get(1)).unwrap_or_default()).or_default().push(Item {
            row: i64::try_from(number).unwrap_or_default(),
            json: json_of(row.get(2), &format!("{MESSAGES} {number}"), findings),
            time: seconds_of(row.get(3)),
            place: places.get(&number).cloned().unwrap_or_default(),
        });
    })?;
    let mut used = usages(source, findings)?;
    let mut sessions = Vec::new();
    for (id, items) in by_session {
        let used = used.remove(&id).unwrap_or_default();
        sessions.extend(session(id, items, used, format, findings));
    }
    Ok(sessions)
}

/// What a turn of a branch used, as it is written down.
type Used = BTreeMap<(Str, u64), (i64, Object)>;

fn usages(source: &mut dyn TableSource, findings: &mut Findings) -> Result<BTreeMap<Str, Used>, TableError> {
    let mut used: BTreeMap<Str, Used> = BTreeMap::new();
    if !tables::has_column(&source.tables()?, USAGE, "user_turn_number") {
        return Ok(used);
    }
    let columns = [
        "id",
        "session_id",
        "branch_id",
        "user_turn_number",
        "input_tokens",
        "output_tokens",
        "total_tokens",
        "input_tokens_details",
        "output_tokens_details",
    ];
    source.rows(USAGE, &columns, &["id"], &mut |row| {
        let number = count_of(row.first()).unwrap_or_default();
        let mut counted = Object::new();
        for (at, name) in columns.iter().enumerate().skip(4) {
            if name.ends_with("_details") {
                counted.push(*name, object_of(row.get(at), &format!("{USAGE} {number}"), findings));
            } else {
                let count = count_of(row.get(at)).and_then(|count| i64::try_from(count).ok());
                counted.push_some(name, count.map(Json::Int));
            }
        }
        let branch = text_of(row.get(2)).unwrap_or_else(|| MAIN.into());
        let turn = count_of(row.get(3)).unwrap_or_default();
        let of_session = used.entry(text_of(row.get(1)).unwrap_or_default()).or_default();
        of_session.insert((branch, turn), (i64::try_from(number).unwrap_or_default(), counted));
    })?;
    Ok(used)
}

fn record(table: &'static str, row: i64) -> SourceRecord {
    SourceRecord::Row { table, id: row.to_string().into() }
}

fn session(
    id: Str,
    items: Vec<Item>,
    mut used: Used,
    format: Format,
    findings: &mut Findings,
) -> Option<ImportedSession> {
    let mut draft = Draft::new("openai-agents", "agent");
    draft.session.id = id;
    let mut agent: Option<Str> = None;
    // The answer that goes on, with the id the provider gave it.
    let mut answer: Option<(usize, Option<Str>)> = None;
    let mut items = items.into_iter().peekable();
    while let Some(mut item) = items.next() {
        let mut provider = take_provider_data(&mut item.json);
        let mut turn = draft.messages("item").read(item.json);
        let model = take_text(&mut provider, "model");
        let response = take_text(&mut provider, "response_id");
        draft.note_rest("provider_data", &provider);
        // What other APIs give no id has this one.
        let own = take_text(&mut turn.rest, "id").filter(|id| &**id != NO_ID);
        for key in ["status", "type"] {
            turn.rest.remove(key);
        }
        draft.note_rest("item", &turn.rest);
        let Place { said_on, turn: number, branch } = item.place;
        let source = record(MESSAGES, item.row);
        let say = EventDraft {
            time: item.time,
            agent: agent.clone(),
            branch: branch.clone(),
            ..EventDraft::new(Kind::Notice, Vec::new(), source.clone())
        };
        match &answer {
            // The items of an answer come one after the other.
            Some((at, of)) if turn.role == Role::Model && (of.is_none() || *of == response) => {
                let at = *at;
                draft.extend(at, std::mem::take(&mut turn.parts), source);
                if let Some(event) = draft.event_mut(at) {
                    event.model_version = event.model_version.take().or(model);
                }
                answer = Some((at, response));
            }
            _ if turn.role == Role::Model => {
                let id = response.clone().or(own);
                let at = draft.push_turn(turn, EventDraft { id, model, ..say });
                answer = Some((at, response));
            }
            _ => {
                answer = None;
                agent = handed_to(&turn).or(agent);
                if !turn.parts.is_empty() {
                    draft.push_turn(turn, EventDraft { id: own, ..say });
                }
            }
        }
        let is_last =
            items.peek().is_none_or(|next| (&next.place.said_on, next.place.turn) != (&said_on, number));
        if is_last && let Some((row, counted)) = used.remove(&(said_on, number)) {
            let usage = usage::read(counted, "turn_usage", &mut draft.unmapped);
            let say = EventDraft::new(Kind::Notice, Vec::new(), record(USAGE, row));
            draft.push_sum(EventDraft { usage, agent: agent.clone(), branch, ..say });
            answer = None;
        }
    }
    for (row, _) in used.into_values() {
        draft.unmapped.record("usage of a turn that is not there", record(USAGE, row));
    }
    draft.finish(format, findings)
}
