//! What outlives a run: files that agents save, and what they remember.

use serde_json::{Value, json};
use strata_app::report::{self, ArtifactChoice, MemoryChoice, RunChoice};
use tokio_util::sync::CancellationToken;

use super::{Desk, Quiet, one_agent, results, run, tool, value};

const TOOLS: &str = "export function write({n}, context) {\n  context.artifacts['report.md'] = `# Report ${n}`;\n  \
                     context.artifacts['user:logo.png'] = {mimeType: 'image/png', data: 'iVBORw0KGgo='};\n  return {ok: true}\n}\n\
                     export function read(args, context) { return context.artifacts }\n\
                     export function keep(args, context) { context.remember = true; return {kept: true} }\n";

fn desk() -> (Desk, RunChoice) {
    let tools = [
        tool("write"),
        tool("read"),
        tool("keep"),
        json!({"type": "load_memory"}),
        json!({"type": "load_artifacts"}),
    ];
    let desk = Desk::new(&one_agent(&tools));
    let tools = desk.file("tools.js", TOOLS);
    let choice = RunChoice { tools: Some(tools), ..desk.scripted(&json!(["Hello."])) };
    (desk, choice)
}

fn calls(calls: &[(&str, Value)]) -> Value {
    let calls = calls.iter().map(|(name, args)| json!({"calls": [{"name": name, "args": args}]}));
    calls.chain([json!("Done.")]).collect()
}

/// The choice with other answers of the model.
fn answering(desk: &Desk, choice: &RunChoice, script: &Value) -> RunChoice {
    RunChoice { model: desk.scripted(script).model, ..choice.clone() }
}

#[test]
fn files_are_there_in_the_next_run_of_their_session_and_user() {
    let (desk, choice) = desk();
    let script = calls(&[("write", json!({"n": 1})), ("write", json!({"n": 2})), ("write", json!({"n": 2}))]);
    let first = run(&answering(&desk, &choice, &script), &["Go."]).unwrap();
    let saved: Vec<_> =
        first.artifacts.iter().map(|saved| (&*saved.name, saved.version, saved.bytes)).collect();
    assert_eq!(
        saved,
        [
            ("report.md", 0, 10),
            ("user:logo.png", 0, 8),
            ("report.md", 1, 10),
            ("user:logo.png", 1, 8),
            ("user:logo.png", 2, 8)
        ],
        "a text that is the same is no new version"
    );
    let delta = value(&first)["events"]
        .as_array()
        .unwrap()
        .iter()
        .find_map(|event| event["actions"]["artifactDelta"].get("report.md").cloned());
    assert_eq!(delta, Some(json!(0)));
    let on = RunChoice {
        session: Some(first.session.clone()),
        ..answering(&desk, &choice, &calls(&[("read", json!({}))]))
    };
    let second = run(&on, &["What was it?"]).unwrap();
    assert_eq!(results(&second), [json!({"report.md": "# Report 2", "user:logo.png": null})]);
    let listed = value(&second)["calls"][0]["request"]["contents"].to_string()
        + &value(&second)["calls"][0]["request"]["config"].to_string();
    assert!(listed.contains("report.md"), "load_artifacts lists it: {listed}");
    let other = run(&answering(&desk, &choice, &calls(&[("read", json!({}))])), &["And here?"]).unwrap();
    assert_eq!(results(&other), [json!({"user:logo.png": null})], "files of a user are in all sessions");

    let store = Some(desk.path("x.db"));
    let listed = report::artifacts(store.as_deref(), &ArtifactChoice::default()).unwrap();
    assert_eq!((listed.artifacts.len(), listed.bytes, listed.distinct_bytes), (5, 44, 28));
    let shown = report::artifact(store.as_deref(), "report.md", Some(0), &ArtifactChoice::default()).unwrap();
    assert_eq!((shown.text.as_deref(), shown.versions.len()), (Some("# Report 1"), 2));
    let error =
        report::artifact(store.as_deref(), "report.md", Some(9), &ArtifactChoice::default()).unwrap_err();
    assert_eq!(error.message, "report.md has no version 9: the last one is 1.");
    let removed = report::remove_artifact(store.as_deref(), "report.md", &ArtifactChoice::default()).unwrap();
    assert_eq!(removed.versions, 2);
    let gone = report::artifact(store.as_deref(), "report.md", None, &ArtifactChoice::default()).unwrap_err();
    assert!(gone.message.starts_with("No file report.md is stored there"), "{}", gone.message);
}

#[test]
fn what_agents_remember_is_found_in_other_sessions() {
    let (desk, choice) = desk();
    let first = run(
        &RunChoice { remembers: true, ..answering(&desk, &choice, &json!(["The whale is blue."])) },
        &["Which colour has the whale?"],
    );
    first.unwrap();
    let script = calls(&[("load_memory", json!({"query": "WHALE colours"}))]);
    let second = run(&answering(&desk, &choice, &script), &["And now?"]).unwrap();
    let memories = results(&second)[0]["result"]["memories"].as_array().unwrap().clone();
    let texts: Vec<_> =
        memories.iter().map(|memory| memory["content"]["parts"][0]["text"].as_str().unwrap()).collect();
    assert_eq!(texts, ["Which colour has the whale?", "The whale is blue."], "{memories:?}");
    let other = RunChoice { user: "other".to_owned(), ..answering(&desk, &choice, &script) };
    assert_eq!(
        results(&run(&other, &["And I?"]).unwrap())[0]["result"]["memories"],
        json!([]),
        "another's memory is another's"
    );

    let choice = MemoryChoice { database: Some(desk.path("x.db")), ..MemoryChoice::default() };
    let listed = report::memory(&choice).unwrap();
    assert_eq!(listed.sessions.len(), 1);
    assert_eq!(
        (listed.sessions[0].app.as_str(), listed.sessions[0].user.as_str(), listed.sessions[0].memories),
        ("desk", "u", 2)
    );
    let found = report::recall(&choice, "blue sky").unwrap().found;
    assert_eq!(found.iter().map(|row| &*row.text).collect::<Vec<_>>(), ["The whale is blue."]);
    let watch = Quiet(CancellationToken::new());
    let added = report::add_to_memory(&choice, &second.session, 5, &watch).unwrap();
    assert!(added.memories >= 3, "{added:?}");
    let id = listed.sessions[0].session.clone();
    assert_eq!(report::forget_memory(&choice, &id).unwrap().memories, 2);
    let gone = report::forget_memory(&choice, &id).unwrap_err();
    assert!(gone.message.starts_with("Nothing is remembered of a session"), "{}", gone.message);
}

#[test]
fn a_tool_adds_its_session_to_memory() {
    let (desk, choice) = desk();
    run(&answering(&desk, &choice, &calls(&[("keep", json!({}))])), &["Remember the zebra."]).unwrap();
    let choice = MemoryChoice { database: Some(desk.path("x.db")), ..MemoryChoice::default() };
    let found = report::recall(&choice, "zebra").unwrap().found;
    assert_eq!(found.iter().map(|row| &*row.text).collect::<Vec<_>>(), ["Remember the zebra."]);
}

#[test]
fn memory_is_put_before_what_the_user_says_where_the_app_asks_for_it() {
    let tools = [json!({"type": "preload_memory"})];
    let desk = Desk::new(&one_agent(&tools));
    run(&RunChoice { remembers: true, ..desk.scripted(&json!(["Noted."])) }, &["My cat is called Mio."])
        .unwrap();
    let second = run(&desk.scripted(&json!(["Mio."])), &["What is my cat called?"]).unwrap();
    let contents = value(&second)["calls"][0]["request"]["contents"].to_string();
    assert!(contents.contains("My cat is called Mio."), "{contents}");
}
