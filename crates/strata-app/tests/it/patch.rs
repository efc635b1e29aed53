//! Experiments as patches of somebody's own google-adk app.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use strata_app::Strata;

use crate::samples::of_formats;
use crate::{ask, import, refuse, sample, start};

/// Edits laid over a session, as what asks for their export.
fn edited(strata: &Arc<Strata>, session: &str, edits: &Value) -> Value {
    let made = ask(strata, "experiment/create", &json!({ "session": session, "name": "Short ones" }));
    let experiment = made["experiment"].clone();
    ask(strata, "experiment/edit", &json!({ "experiment": experiment, "edits": edits }));
    json!({ "session": experiment, "as": "patch", "masksSecrets": true })
}

/// The only session of a file.
fn imported(strata: &Arc<Strata>, path: &Path) -> String {
    assert_eq!(import(strata, path)["state"], "done", "{}", path.display());
    let name = path.file_name().expect("a name").to_string_lossy().into_owned();
    let rows = ask(strata, "session/list", &json!({ "filter": name, "offset": 0, "limit": 1 }));
    rows["rows"][0]["session"].as_str().expect("a session").to_owned()
}

#[test]
fn a_patch_holds_what_changes_and_says_what_it_cannot() {
    let strata = start();
    let session = sample(&strata);
    let edits = json!([
        { "edit": "set_instruction", "agent": "log_analyst", "text": "Find the cause.\nBe \"brief\"." },
        { "edit": "set_include_contents", "agent": "log_analyst", "value": "none" },
        { "edit": "insert_processor", "use": "drop_tools", "params": { "tools": ["grep"] }, "agent": "log_analyst" },
        { "edit": "set_tool", "agent": "report_writer", "tool": "save_artifact", "declaration": null },
        { "edit": "set_cache", "config": { "cacheIntervals": 3, "ttlSeconds": 60, "minTokens": 10 } },
        { "edit": "drop_event", "event": 3 },
    ]);
    let patch = ask(&strata, "experiment/export", &edited(&strata, &session, &edits));
    assert_eq!(patch["file"], "short_ones_patch.py");
    let messages: Vec<&str> = patch["diagnostics"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|row| row["message"].as_str())
        .collect();
    assert_eq!(messages, ["\"Drop E3\": it changes one event of this session, and no code of an app."]);
    insta::assert_snapshot!("patch", patch["text"].as_str().expect("a module"));
}

#[test]
fn what_is_taken_back_is_in_no_patch() {
    let strata = start();
    let session = sample(&strata);
    let edits = json!([
        { "edit": "insert_processor", "use": "cap_rows", "params": {} },
        { "edit": "disable_processor", "processor": "cap_rows" },
    ]);
    for asked in [
        edited(&strata, &session, &edits),
        edited(&strata, &session, &json!([{ "edit": "drop_event", "event": 3 }])),
        json!({ "session": session, "as": "patch", "masksSecrets": true }),
    ] {
        let (_, message) = refuse(&strata, "experiment/export", &asked);
        assert!(message.starts_with("There is nothing to patch: "), "{message}");
    }
}

#[test]
fn a_patch_leaves_out_what_an_inferred_app_does_not_know() {
    let strata = start();
    let file = strata_testkit::samples::own().join("adk/weather.session.json");
    let session = imported(&strata, &file);
    let header = ask(&strata, "session/open", &json!({ "session": session }));
    let agent = header["agents"][0]["name"].clone();
    let instruction = json!({ "edit": "set_instruction", "agent": agent, "text": "Be brief." });
    let asked = edited(&strata, &session, &json!([instruction]));
    let (_, message) = refuse(&strata, "experiment/export", &asked);
    assert_eq!(message, "There is nothing to patch: no edit is one of the app's code.");

    let cap = json!({ "edit": "insert_processor", "use": "cap_rows", "params": {} });
    let patch = ask(&strata, "experiment/export", &edited(&strata, &session, &json!([instruction, cap])));
    let text = patch["text"].as_str().expect("a module");
    assert!(text.contains("cap_rows(max_rows=20") && !text.contains("Be brief."), "{text}");
    assert!(text.contains("# Not in here: The instruction of "), "{text}");
    let (changes, _) = text.split_once("\"\"\"\n\n").expect("what it changes");
    assert!(
        changes.contains("- Cap rows of tool results") && !changes.contains("instruction of"),
        "{changes}"
    );
}

#[test]
fn sessions_of_other_tools_have_no_app_to_patch() {
    let strata = start();
    let cap = json!([{ "edit": "insert_processor", "use": "cap_rows", "params": {} }]);
    // A transcript, and an archive of what a browser sent.
    for file in ["claude-code.jsonl", "traffic.har"] {
        let session = imported(&strata, &of_formats().join(file));
        let (_, message) = refuse(&strata, "experiment/export", &edited(&strata, &session, &cap));
        assert!(message.contains("no google-adk app"), "{file}: {message}");
    }
}
