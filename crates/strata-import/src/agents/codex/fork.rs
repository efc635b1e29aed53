//! The history that a fork copies from its parent.

use strata_model::{Json, Object};

use crate::time::time_of;
use crate::values::Value;

/// Place of the first record that is the fork's own: everything before it, but its first line, is copied. 0 where
/// nothing is.
///
/// The ids of threads and turns begin with the time they were made, so the turns of the parent have smaller ids than
/// the fork; where turns have no such ids, their records are older than it.
pub(super) fn first_own(values: &[Value]) -> usize {
    let metas = || values.iter().filter(|value| kind_of(value) == "session_meta");
    let id_of = |meta: &Value| payload(meta)?.get("id")?.as_str().map(str::to_owned);
    let Some(own) = metas().next() else { return 0 };
    let own_id = id_of(own).unwrap_or_default();
    let names_parent = payload(own).is_some_and(|it| it.get("forked_from_id").is_some_and(Json::is_truthy));
    let is_fork = names_parent || metas().filter_map(id_of).any(|id| id != own_id);
    if !is_fork {
        return 0;
    }
    if let Some(began) = timed(&own_id) {
        let turns: Vec<(usize, bool)> = (1..values.len())
            .filter_map(|at| Some((at, timed(turn_of(payload(&values[at])?)?)? >= began)))
            .collect();
        if !turns.is_empty() {
            return turns.iter().find(|(_, is_own)| *is_own).map_or(values.len(), |(at, _)| *at);
        }
    }
    let Some(began) = payload(own).and_then(|meta| time_of(meta.get("timestamp")?)) else { return 0 };
    let time = |at: &usize| values[*at].json.get("timestamp").and_then(time_of);
    (1..values.len()).find(|at| time(at).is_none_or(|time| time >= began)).unwrap_or(values.len())
}

fn kind_of(value: &Value) -> &str {
    value.json.get("type").and_then(Json::as_str).unwrap_or_default()
}

fn payload(value: &Value) -> Option<&Object> {
    value.json.get("payload")?.as_object()
}

fn turn_of(payload: &Object) -> Option<&str> {
    let about = payload.get("internal_chat_message_metadata_passthrough");
    payload.get("turn_id").or_else(|| about?.get("turn_id"))?.as_str()
}

/// The digits of an id that say when it was made, in a UUID of version 7.
fn timed(id: &str) -> Option<&str> {
    let is_timed = id.len() == 36 && id.is_ascii() && id.as_bytes()[14] == b'7';
    is_timed.then(|| &id[..13])
}
