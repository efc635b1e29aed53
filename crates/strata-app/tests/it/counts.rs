//! What the window can learn from all stored sessions of how providers count.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use strata_app::{Host, Options, Strata, report};

use crate::{ask, import, start, wait_until};

/// Calls of a transcript of Claude Code.
const CALLS: usize = 24;

/// A transcript whose provider reports 1.3 tokens for each word that is added, and 80 for each call.
fn transcript(id: &str) -> String {
    let mut text = String::new();
    let mut prompt = 9_000;
    for at in 0..CALLS * 2 {
        let n_words = 40 + (at * 37) % 160;
        let words = ["water", "garden", "green", "house", "bed", "seed", "light"].iter().cycle();
        let said = words.take(n_words).copied().collect::<Vec<_>>().join(" ");
        let parent = at.checked_sub(1).map(|parent| format!("{id}-{parent}"));
        let message = if at % 2 == 0 {
            prompt += 80 + n_words * 13 / 10;
            json!({ "role": "user", "content": said })
        } else {
            let content = json!([{ "type": "text", "text": "Beds." }]);
            let usage = json!({ "input_tokens": prompt, "output_tokens": 50 });
            json!({ "role": "assistant", "content": content, "id": format!("msg_{at}"), "model": "claude-opus-4-6",
                    "usage": usage })
        };
        let record = json!({
            "parentUuid": parent, "isSidechain": false, "type": message["role"], "message": message,
            "uuid": format!("{id}-{at}"), "sessionId": id, "version": "2.1.62", "cwd": "/home/ada/garden",
            "timestamp": format!("2026-03-02T09:{at:02}:00.000Z"),
        });
        text += &format!("{record}\n");
    }
    text
}

fn window(database: &Path) -> Arc<Strata> {
    let options = Options {
        host: Host::Browser,
        database: Some(database.to_owned()),
        open: Vec::new(),
        runtime: strata_testkit::runtime(),
    };
    Strata::start(options).expect("the store opens")
}

/// Learns, and says what came of the job.
fn learn(strata: &Arc<Strata>) -> Value {
    let job = ask(strata, "counts/learn", &json!({}))["job"].clone();
    let mut ended = Value::Null;
    wait_until(|| {
        let jobs = ask(strata, "job/list", &json!({}))["jobs"].as_array().expect("a list").clone();
        ended = jobs.into_iter().find(|known| known["job"] == job).unwrap_or_default();
        ended["state"] != "running"
    });
    assert_eq!(ended["state"], "done", "{ended}");
    ended["outcome"].clone()
}

#[test]
fn the_window_learns_what_the_command_line_does() {
    let scratch = tempfile::tempdir().expect("a folder");
    let database = scratch.path().join("garden.db");
    let strata = window(&database);
    for id in ["aaaa-1111", "bbbb-2222", "cccc-3333"] {
        let file = scratch.path().join(format!("{id}.jsonl"));
        std::fs::write(&file, transcript(id)).expect("it is written");
        assert_eq!(import(&strata, &file)["state"], "done");
    }
    let none = json!({ "models": [], "isInUse": true });
    assert_eq!(ask(&strata, "counts/learned", &json!({})), none);
    let n_sessions =
        ask(&strata, "session/list", &json!({ "filter": "", "offset": 0, "limit": 9 }))["total"].clone();
    assert_eq!(learn(&strata), format!("Learned from {n_sessions} sessions how one kind of model counts."));

    let learned = ask(&strata, "counts/learned", &json!({}));
    let model = &learned["models"][0];
    assert_eq!((&model["model"], &model["from"]["sessions"]), (&json!("claude-opus-4-6"), &json!(3)));
    assert_eq!(learned["isInUse"], false, "what is open goes on as it began");
    assert_eq!(ask(&window(&database), "counts/learned", &json!({}))["isInUse"], true);
    let of_command_line = report::learned(Some(&database)).expect("what was learned");
    assert_eq!(serde_json::to_value(of_command_line.models).expect("JSON"), learned["models"]);

    assert_eq!(ask(&strata, "counts/forget", &json!({})), none);
}

#[test]
fn sessions_that_tell_nothing_are_said_to() {
    let strata = start();
    let said = learn(&strata);
    assert!(said.as_str().is_some_and(|said| said.starts_with("Nothing is learned from ")), "{said}");
}
