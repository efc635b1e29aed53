//! What happened, as the corpus tells it.

use strata_model::{Event, FromJson as _, Json, Object};
use strata_runtime::Failure;

use super::journal::Journal;
use super::services::ScenarioServices;
use super::turn::Outcome;

pub(super) fn error(failure: &Failure) -> Json {
    let mut out = Object::from_iter([("type", failure.kind.clone())]);
    out.push("message", failure.message.clone());
    out.into()
}

pub(super) fn result(outcomes: &[Outcome], journal: &Journal, kept: &ScenarioServices) -> Json {
    let entries = journal.entries();
    // Compactions name events of the session as it is in the end.
    let last = outcomes.iter().rev().find_map(|outcome| outcome.session.as_ref());
    let times: Vec<f64> =
        last.iter().flat_map(|session| &session.events).map(|event| event.timestamp).collect();
    let mut out = Object::new();
    out.push("turns", outcomes.iter().map(|outcome| turn(outcome, &times)).collect::<Vec<_>>());
    out.push("requests", entries.requests);
    for (key, list) in
        [("tool_calls", entries.tool_calls), ("node_runs", entries.node_runs), ("hooks", entries.hooks)]
    {
        out.push_some(key, Some(list).filter(|list| !list.is_empty()));
    }
    out.push("state", kept.state());
    out.push_some("artifacts", Some(kept.artifacts()).filter(|artifacts| !artifacts.is_empty()));
    out.push_some("memory", Some(kept.memory()).filter(|memory| !memory.is_empty()));
    out.into()
}

fn turn(outcome: &Outcome, times: &[f64]) -> Json {
    let mut yielded: Vec<Json> = outcome.yielded.iter().map(|told| event(told, times)).collect();
    share_nodes(&outcome.yielded, &mut yielded);
    let stored = outcome.stored.iter().map(|kept| {
        let kept = event(kept, times);
        match yielded.iter().position(|told| *told == kept) {
            Some(at) => Object::from_iter([("yielded", at as i64)]),
            None => Object::from_iter([("event", kept)]),
        }
    });
    let stored: Vec<Json> = stored.map(Json::from).collect();
    let mut out = Object::new();
    out.push("events", yielded);
    out.push("stored", stored);
    out.push_some("state", outcome.state.clone());
    out.push_some("error", outcome.error.as_ref().map(error));
    let seconds = (outcome.seconds * 1e6).round() / 1e6;
    out.push_some("virtual_seconds", Some(seconds).filter(|seconds| *seconds != 0.0));
    out.into()
}

/// In ADK the pieces of a stream and the whole share what tells of the node, so all of them show what became of it.
fn share_nodes(events: &[std::sync::Arc<Event>], shown: &mut [Json]) {
    for at in 0..events.len() {
        let is_whole =
            |later: &&usize| events[**later].id == events[at].id && events[**later].partial != Some(true);
        let later: Vec<usize> = (at + 1..events.len()).collect();
        let Some(whole) = later.iter().find(is_whole).filter(|_| events[at].partial == Some(true)) else {
            continue;
        };
        let info = shown[*whole].get("nodeInfo").cloned();
        if let (Json::Object(piece), Some(info)) = (&mut shown[at], info) {
            piece.insert("nodeInfo", info);
        }
    }
}

fn event(event: &Event, times: &[f64]) -> Json {
    let Json::Object(mut out) = event.to_json() else { return Json::Null };
    out.remove("timestamp");
    if event.partial == Some(true) {
        out.remove("actions");
    }
    let mut actions =
        out.remove("actions").and_then(|actions| actions.as_object().cloned()).unwrap_or_default();
    for key in ["stateDelta", "artifactDelta", "requestedAuthConfigs", "requestedToolConfirmations"] {
        if actions.get(key).and_then(Json::as_object).is_some_and(Object::is_empty) {
            actions.remove(key);
        }
    }
    if let Some(Json::Object(compaction)) = actions.get_mut("compaction") {
        for key in ["startTimestamp", "endTimestamp"] {
            let time = compaction.get(key).and_then(Json::as_f64);
            if let Some(at) =
                time.and_then(|time| times.iter().position(|known| known.to_bits() == time.to_bits()))
            {
                compaction.insert(key, Object::from_iter([("event", at as i64)]));
            }
        }
    }
    if !actions.is_empty() {
        out.push("actions", actions);
    }
    let is_bare = |info: &Json| {
        info.as_object().is_some_and(|info| {
            info.iter().all(|(key, value)| &**key == "path" && value.as_str() == Some("") || value.is_null())
        })
    };
    if out.get("nodeInfo").is_some_and(is_bare) {
        out.remove("nodeInfo");
    }
    out.into()
}
