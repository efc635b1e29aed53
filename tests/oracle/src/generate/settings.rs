//! What surrounds a session: the invocation, state, artifacts and memory.

use strata_model::{Json, Object};

use super::agents::Cast;
use super::history::History;
use super::parts::{spoken, text_part};
use super::texts::{STATE_KEYS, data, text, value};
use crate::dice::{Dice, json, object};

/// Whether an agent of this name stands in a tool.
fn has_agent_in_tool(value: &Json, name: &str) -> bool {
    let has_it_below = |value: &Json| has_agent_in_tool(value, name);
    match value {
        Json::Array(items) => items.iter().any(has_it_below),
        Json::Object(object) => {
            let agent = object.get("agent").and_then(|agent| agent.get("name"));
            agent.and_then(Json::as_str) == Some(name) || object.values().any(has_it_below)
        }
        _ => false,
    }
}

pub(crate) fn invocation(dice: &mut Dice, cast: &Cast, app: &Json, history: &History) -> Json {
    let mut llms = cast.llms();
    if has_agent_in_tool(app, "expert") {
        llms.push("expert");
    }
    // The agent of the last event is the likeliest to be asked next.
    let mut latest =
        history.events.iter().rev().filter_map(|event| event.get("author").and_then(Json::as_str));
    let latest = latest.find_map(|author| llms.iter().find(|name| **name == author));
    let agent = match latest {
        Some(latest) if dice.chance(60) => latest,
        _ => dice.pick(&llms),
    };
    let mut invocation = object([("agent", (*agent).into())]);
    let id = if dice.chance(85) { history.invocation_id() } else { "inv-new".to_owned() };
    invocation.push("invocation_id", id);
    invocation.push("branch", history.habits.branch(dice));
    invocation.push("isolation_scope", history.habits.scope(dice));
    invocation.push("node_path", history.habits.node_path(dice));
    invocation.push("user_content", user_content(dice, history));
    if dice.chance(10) {
        invocation.push(
            "effective",
            object([
                ("mode", dice.maybe(60, |dice| dice.word(&["chat", "task", "single_turn"]))),
                ("include_contents", dice.maybe(60, |dice| dice.word(&["default", "none"]))),
            ]),
        );
    }
    if dice.chance(10) {
        invocation.push("plugins", vec![Json::from(dice.word(&["global_instruction", "second"]))]);
    }
    if dice.chance(6) {
        invocation.push("context_cache_config", super::agents::cache_config(dice));
    }
    if dice.chance(30) {
        invocation.push("run_config", run_config(dice));
    }
    Json::Object(invocation)
}

fn user_content(dice: &mut Dice, history: &History) -> Json {
    match dice.between(0, 9) {
        0 => Json::Null,
        1 => json([("role", "user".into()), ("parts", dice.several(0, 2, spoken).into())]),
        2 => json([("role", "user".into()), ("parts", vec![text_part(&text(dice))].into())]),
        _ => {
            let is_user = |event: &&Json| event.get("author").and_then(Json::as_str) == Some("user");
            let said = history.events.iter().rev().filter(is_user).find_map(|event| event.get("content"));
            said.cloned().unwrap_or_default()
        }
    }
}

fn run_config(dice: &mut Dice) -> Object {
    object([
        ("support_cfc", dice.maybe(8, |_| true)),
        ("labels", dice.maybe(30, |_| json([("env", "prod".into()), ("team", "y".into())]))),
        ("include_thoughts_from_other_agents", dice.maybe(60, |_| true)),
        ("service_tier", dice.maybe(20, |_| "flex")),
        (
            "model_input_context",
            dice.maybe(30, |dice| {
                dice.several(0, 2, |dice| {
                    json([("role", "user".into()), ("parts", vec![text_part(&text(dice))].into())])
                })
            }),
        ),
        (
            "http_options",
            dice.maybe(20, |_| {
                json([
                    ("headers", json([("x-a", "2".into()), ("x-b", "3".into())])),
                    ("timeout", Json::Int(7)),
                ])
            }),
        ),
    ])
}

/// State in which most templates find what they name.
pub(crate) fn state(dice: &mut Dice) -> Json {
    let mut state = Object::new();
    for key in STATE_KEYS.iter().filter(|key| **key != "queries") {
        if dice.chance(97) {
            let value = if *key == "none" { Json::Null } else { value(dice, 2) };
            state.insert(*key, value);
        }
    }
    if dice.chance(5) {
        state.push("_code_executor_error_counts", object([("inv-1", Json::Int(2)), ("inv-2", Json::Int(1))]));
    }
    if dice.chance(60) {
        let query = |dice: &mut Dice| {
            json([
                ("query_title", dice.maybe(80, text)),
                ("status", dice.word(&["success", "error", "pending"]).into()),
                ("row_count", dice.maybe(60, |_| Json::Int(40))),
                ("error_message", dice.maybe(40, text)),
                ("query", dice.maybe(40, text)),
                ("depends_on", dice.maybe(40, |_| vec![Json::from("q1")])),
            ])
        };
        let queries: Object = ["q1", "q2"].into_iter().map(|name| (name, query(dice))).collect();
        state.push("queries", queries);
    }
    Json::Object(state)
}

pub(crate) fn artifacts(dice: &mut Dice) -> Json {
    if dice.chance(10) {
        return Json::Null;
    }
    let blob = |dice: &mut Dice| {
        let mime = dice.word(&[
            "text/csv",
            "IMAGE/PNG; q=1",
            "application/json",
            "application/zip",
            "TEXT/PLAIN; x=y",
            "image/svg+xml",
        ]);
        json([("inlineData", json([("data", "aWQ7w6k=".into()), ("mimeType", mime.into())]))])
    };
    let file = |dice: &mut Dice| {
        const TARGETS: &[&str] = &[
            "artifact://apps/demo/users/u1/sessions/s1/artifacts/notes.txt/versions/0",
            "artifact://apps/demo/users/u1/artifacts/user:cv.txt/versions/0",
            "artifact://apps/demo/users/u1/artifacts/user:cv.txt/versions/1",
            "gs://bucket/spec.pdf",
        ];
        let file = [("fileUri", dice.word(TARGETS).into()), ("mimeType", "text/plain".into())];
        json([("fileData", json(file))])
    };
    // What a rewind leaves of an artifact.
    let tombstone = || {
        json([("inlineData", json([("data", "".into()), ("mimeType", "application/octet-stream".into())]))])
    };
    // References only lead to artifacts that are none: google-adk refuses circles.
    let part = |dice: &mut Dice, name: &str| match dice.between(0, 9) {
        0..5 => text_part(&text(dice)),
        5..8 => blob(dice),
        8 if name == "plot.png" => file(dice),
        _ => tombstone(),
    };
    let mut artifacts = Vec::new();
    for name in ["notes.txt", "user:cv.txt", "plot.png", "été \"1\".bin"] {
        if dice.chance(45) {
            artifacts.push(json([
                ("filename", name.into()),
                ("versions", dice.several(1, 2, |dice| part(dice, name)).into()),
            ]));
        }
    }
    artifacts.into()
}

pub(crate) fn memory(dice: &mut Dice) -> Json {
    if dice.chance(10) {
        return Json::Null;
    }
    let event = |dice: &mut Dice, at: usize| {
        json([
            ("id", format!("m{at}").into()),
            ("author", dice.word(&["user", "root"]).into()),
            ("invocationId", "old".into()),
            ("timestamp", Json::Float(1_750_000_000.0 + dice.between(0, 40_000_000) as f64 / 1e7)),
            (
                "content",
                dice.maybe(95, |dice| {
                    json([("role", "user".into()), ("parts", dice.several(1, 2, spoken).into())])
                }),
            ),
            ("actions", json([("stateDelta", data(dice, 0).into())])),
        ])
    };
    let session = |dice: &mut Dice, at: usize| {
        let events: Vec<Json> = (0..dice.between(0, 5)).map(|at| event(dice, at)).collect();
        json([
            ("id", format!("old{at}").into()),
            ("appName", "demo".into()),
            ("userId", dice.word(&["u1", "u1", "u2"]).into()),
            ("events", events.into()),
        ])
    };
    (0..dice.between(0, 2)).map(|at| session(dice, at)).collect::<Vec<_>>().into()
}
