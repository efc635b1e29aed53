//! Sessions of google-adk with the files and the memory of their apps.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use strata_app::Strata;
use strata_app::report::{self, CallChoice, CompileContents, CompileReport, Source, StoresChoice};
use tempfile::TempDir;

use crate::samples::Unwatched;
use crate::{ask, import, refuse, start};

const APP: &str = r"
name: notes
root_agent:
  type: llm
  name: desk
  model: gemini-2.5-flash
  instruction: 'You keep notes. Style: {artifact.user:style.md?}'
  tools:
    - {type: load_artifacts}
    - {type: preload_memory}
";

/// A call that loads what was saved before, at ten seconds; then the file changes, and another call loads it at thirty.
fn session() -> Value {
    let loaded = |invocation: &str, at: f64| {
        let call = json!({"functionCall": {"id": "c", "name": "load_artifacts", "args": {"artifact_names": ["a.txt"]}}});
        let result = json!({"functionResponse": {"id": "c", "name": "load_artifacts",
            "response": {"artifact_names": ["a.txt"], "status": "ok"}}});
        [event(invocation, "desk", &call, at), event(invocation, "desk", &result, at + 1.0)]
    };
    let saved = |invocation: &str, at: f64, version: u32| {
        let mut saved = event(invocation, "user", &json!({"text": "What is the boiler code?"}), at);
        saved["actions"] = json!({"artifactDelta": {"a.txt": version}});
        saved
    };
    let said = |invocation: &str, at: f64| event(invocation, "desk", &json!({"text": "4711"}), at);
    let events: Vec<Value> = [
        vec![saved("i1", 10.0, 0)],
        loaded("i1", 11.0).into(),
        vec![said("i1", 13.0), saved("i2", 30.0, 1)],
        loaded("i2", 31.0).into(),
        vec![said("i2", 33.0)],
    ]
    .concat();
    json!({"id": "s1", "appName": "notes", "userId": "ana", "state": {}, "events": events, "lastUpdateTime": 33.0})
}

fn event(invocation: &str, author: &str, part: &Value, at: f64) -> Value {
    let role = if author == "user" || part.get("functionResponse").is_some() { "user" } else { "model" };
    json!({"id": format!("{invocation}-{at}"), "invocationId": invocation, "author": author, "timestamp": at,
        "content": {"role": role, "parts": [part]}, "actions": {}})
}

/// A folder with the session, its app, and what was asked for of its services.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(TempDir::new().expect("a folder"));
        folder.write("s1.session.json", &session().to_string());
        folder.write("app.yaml", APP);
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        fs::write(path, text).expect("a file");
    }

    /// A version of a file as a `FileArtifactService` writes it, below a root.
    fn artifact(&self, root: &str, scope: &str, name: &str, version: usize, text: &str, saved_at: f64) {
        let bare = name.trim_start_matches("user:");
        let folder = format!("{root}/apps/notes/users/ana/{scope}artifacts/{bare}/versions/{version}");
        self.write(&format!("{folder}/{bare}"), text);
        let metadata =
            json!({"fileName": name, "mimeType": null, "version": version, "createTime": saved_at});
        self.write(&format!("{folder}/metadata.json"), &metadata.to_string());
    }

    fn artifacts(&self, root: &str) {
        self.artifact(root, "sessions/s1/", "a.txt", 0, "the first text", 10.0);
        self.artifact(root, "sessions/s1/", "a.txt", 1, "the second text", 30.0);
        self.artifact(root, "", "user:style.md", 0, "short sentences", 20.0);
    }

    fn memory(&self, name: &str) {
        self.database(
            name,
            &[
                ("ana", "old", 1.0, "The boiler code is 4711."),
                ("ben", "other", 2.0, "My boiler code is 1234."),
                ("ana", "later", 20.0, "The code of the boiler is 0815 now."),
                ("ana", "s1", 5.0, "What I said myself about the boiler code."),
            ],
        );
    }

    /// A database as a `SqliteMemoryService` writes it: user, session, time and text of each memory.
    fn database(&self, name: &str, memories: &[(&str, &str, f64, &str)]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
        let database = rusqlite::Connection::open(path).expect("a database");
        database
            .execute_batch(
                "CREATE TABLE memory_events (id INTEGER PRIMARY KEY AUTOINCREMENT, app_name TEXT, user_id TEXT,
                    session_id TEXT, event_id TEXT, author TEXT, timestamp REAL, content_json TEXT, search_text TEXT);",
            )
            .expect("a table");
        for (user, session, at, text) in memories {
            let content = json!({"role": "user", "parts": [{"text": text}]}).to_string();
            database
                .execute(
                    "INSERT INTO memory_events (app_name, user_id, session_id, event_id, author, timestamp,
                        content_json, search_text) VALUES ('notes', ?1, ?2, ?3, 'user', ?3, ?4, ?5)",
                    rusqlite::params![user, session, at, content, text.to_lowercase()],
                )
                .expect("a row");
        }
    }

    fn source(&self) -> Source {
        Source {
            name: self.path("s1.session.json").display().to_string(),
            app: Some(self.path("app.yaml")),
            ..Source::default()
        }
    }
}

fn compiled(source: &Source, call: u32) -> CompileReport {
    let contents = CompileContents::default();
    report::compile(source, None, &CallChoice::Number(call), contents, &Unwatched::default())
        .unwrap_or_else(|error| panic!("C{call}: {error:?}"))
}

/// What the request says, all of it.
fn request(report: &CompileReport) -> String {
    strata_model::json::to_compact(&report.request)
}

fn codes(report: &CompileReport) -> Vec<&str> {
    let stages = report.stages.iter().flat_map(|stage| &stage.diagnostics);
    stages.map(|diagnostic| &*diagnostic.code).collect()
}

#[test]
fn what_was_not_given_is_a_gap_with_a_name() {
    let folder = Folder::new();
    let report = compiled(&folder.source(), 2);
    assert_eq!(codes(&report), ["value-not-recorded", "artifact-not-known", "memories-not-known"]);
    let lacks = ", without settings of the run, memories that were found, files that were loaded";
    assert!(report.evidence.said.ends_with(lacks), "{}", report.evidence.said);
    let tools = report.stages.iter().find(|stage| stage.processor == "agent_tools").expect("a stage");
    assert!(tools.note.contains("memories that are not known"), "{}", tools.note);
    assert!(!request(&report).contains("PAST_CONVERSATIONS"));
    // The first call loads nothing.
    let first = compiled(&folder.source(), 1);
    assert_eq!(codes(&first), ["value-not-recorded", "memories-not-known"]);
}

#[test]
fn what_lies_beside_a_session_is_found_and_used() {
    let folder = Folder::new();
    folder.artifacts(".adk/artifacts");
    folder.memory(".adk/memory.db");
    let source = folder.source();
    let (second, fourth) = (compiled(&source, 2), compiled(&source, 4));
    for report in [&second, &fourth] {
        assert_eq!(codes(report), [""; 0]);
        assert!(report.evidence.said.ends_with(", without settings of the run"), "{}", report.evidence.said);
        assert!(!request(report).contains("1234"), "of another user");
        assert!(!request(report).contains("said myself"), "of the session itself");
        assert_eq!(report.app.notes.len(), 2, "{:?}", report.app.notes);
    }
    assert!(request(&second).contains("the first text"));
    assert!(request(&second).contains("The boiler code is 4711."));
    assert!(!request(&second).contains("0815"), "was said later");
    assert!(!request(&second).contains("short sentences"), "was saved later");
    assert!(request(&fourth).contains("the second text"));
    assert!(request(&fourth).contains("The code of the boiler is 0815 now."));
    assert!(request(&fourth).contains("Style: short sentences"));
}

/// Texts that match the words of "What is the boiler code?", as the full-text index of SQLite orders them.
fn ranked_by_sqlite(texts: &[&str]) -> Vec<String> {
    let database = rusqlite::Connection::open_in_memory().expect("a database");
    database.execute_batch("CREATE VIRTUAL TABLE texts USING fts5(text)").expect("a table");
    for text in texts {
        database.execute("INSERT INTO texts VALUES (?1)", [text]).expect("a row");
    }
    let words = r#""what" OR "is" OR "the" OR "boiler" OR "code""#;
    let mut found = database
        .prepare("SELECT text FROM texts WHERE texts MATCH ?1 ORDER BY bm25(texts)")
        .expect("a query");
    let found = found.query_map([words], |row| row.get(0)).expect("rows");
    found.collect::<Result<_, _>>().expect("texts")
}

#[test]
fn memories_of_a_database_stand_in_the_order_of_its_index() {
    let texts = [
        "the code of the garden door is on the list, and the list is in the drawer",
        "a boiler",
        "nothing of this kind was ever asked by anybody",
        "what is that",
        "boiler boiler boiler and a code",
        "the café has a new boiler_code, says the owner",
        "the weather is fine and the roads are dry",
        "code",
        "ask the plumber what the pressure of the boiler is",
        "the of the by the",
        "the meeting is on friday",
    ];
    let folder = Folder::new();
    let memories: Vec<_> =
        texts.iter().enumerate().map(|(at, text)| ("ana", "old", at as f64 / 10.0, *text)).collect();
    folder.database(".adk/memory.db", &memories);
    let request = request(&compiled(&folder.source(), 1));
    let expected = ranked_by_sqlite(&texts);
    assert_eq!(expected.len(), 10);
    let places: Vec<usize> = expected
        .iter()
        .map(|text| request.find(&format!("user: {text}")).unwrap_or_else(|| panic!("{text}: {request}")))
        .collect();
    assert!(places.is_sorted(), "{places:?} of {expected:#?}");
    assert!(!request.contains("nothing of this kind"));
}

#[test]
fn what_is_named_counts_before_what_lies_beside() {
    let folder = Folder::new();
    folder.artifacts(".adk/artifacts");
    folder.artifact("elsewhere", "sessions/s1/", "a.txt", 0, "from elsewhere", 10.0);
    let memories = json!({"memories": [{"content": {"role": "user", "parts": [{"text": "The code of a boiler"}]},
        "author": "ben", "timestamp": "1970-01-01T00:00:02"}]});
    folder.write("memories.json", &memories.to_string());
    let source = Source {
        artifacts: Some(folder.path("elsewhere")),
        memory: Some(folder.path("memories.json")),
        ..folder.source()
    };
    let report = compiled(&source, 2);
    assert!(request(&report).contains("from elsewhere"));
    assert!(request(&report).contains("Time: 1970-01-01T00:00:02\\nben: The code of a boiler"));
    // The second version is told of and is not there.
    let fourth = compiled(&source, 4);
    assert_eq!(codes(&fourth), ["artifact-not-known"]);
}

#[test]
fn sessions_that_were_remembered_can_be_given() {
    let folder = Folder::new();
    let mut old = session();
    old["id"] = json!("old");
    old["events"] = json!([event("i0", "user", &json!({"text": "Mind the boiler code 99"}), 1.0)]);
    folder.write("old/old.json", &old.to_string());
    let source = Source { memory: Some(folder.path("old/old.json")), ..folder.source() };
    assert!(request(&compiled(&source, 1)).contains("user: Mind the boiler code 99"));
}

#[test]
fn what_cannot_be_read_is_refused() {
    let folder = Folder::new();
    folder.write("nothing/readme", "");
    let compile = |source: Source| {
        let contents = CompileContents::default();
        let compiled = report::compile(&source, None, &CallChoice::Last, contents, &Unwatched::default());
        compiled.expect_err("it is refused").message
    };
    let message = compile(Source { artifacts: Some(folder.path("nothing")), ..folder.source() });
    assert!(message.contains("there are no files of the app notes in it"), "{message}");
    let message = compile(Source { memory: Some(folder.path("app.yaml")), ..folder.source() });
    assert!(message.contains("cannot be used as memory"), "{message}");
    let transcript = strata_testkit::samples::own().join("claude-code/garden.jsonl");
    let name = transcript.display().to_string();
    let message = compile(Source { name, memory: Some(folder.path("app.yaml")), ..Source::default() });
    assert!(message.starts_with("This is no session of google-adk"), "{message}");
}

#[test]
fn the_stores_do_not_say_that_no_prompt_held_what_is_not_known() {
    let folder = Folder::new();
    let page = |name: &str, source: &Source| {
        let stores =
            report::stores(source, None, StoresChoice::default(), &Unwatched::default()).expect("stores");
        serde_json::to_value(stores).expect("JSON")[name].clone()
    };
    let (files, memories) = (page("artifacts", &folder.source()), page("memory", &folder.source()));
    let row = &files["rows"][0];
    assert_eq!((&row["name"], &row["carried"]["calls"]), (&json!("a.txt"), &json!(0)));
    // C2 and C4 hold what C1 and C3 asked for; every one of the four has an instruction with a file that is not known.
    assert_eq!(row["carried"]["unknownCalls"], 4, "{files}");
    assert_eq!(files["neverLoaded"], 0);
    assert!(files["gap"].as_str().is_some_and(|gap| gap.contains("What 4 prompts held")), "{files}");
    assert!(memories["gap"].as_str().is_some_and(|gap| gap.contains("What 4 prompts held")), "{memories}");
    folder.artifacts(".adk/artifacts");
    folder.memory(".adk/memory.db");
    let (files, memories) = (page("artifacts", &folder.source()), page("memory", &folder.source()));
    for row in files["rows"].as_array().expect("files") {
        assert_eq!(row["carried"]["unknownCalls"], 0, "{row}");
        assert!(row["carried"]["calls"].as_u64() > Some(0), "{row}");
    }
    assert_eq!((&files["gap"], &memories["gap"]), (&Value::Null, &Value::Null));
    assert!(memories["found"].as_u64() > Some(0), "{memories}");
}

fn opened(strata: &Arc<Strata>, path: &Path) -> String {
    assert_eq!(import(strata, path)["state"], "done", "{}", path.display());
    let rows = ask(strata, "session/list", &json!({ "filter": "s1.session", "offset": 0, "limit": 1 }));
    rows["rows"][0]["session"].as_str().expect("a session").to_owned()
}

#[test]
fn the_window_gives_a_session_its_services_and_takes_them_back() {
    let folder = Folder::new();
    folder.artifacts("kept/artifacts");
    folder.memory("kept/memory.db");
    let strata = start();
    let session = opened(&strata, &folder.path("s1.session.json"));
    let app = folder.path("app.yaml");
    let header = ask(&strata, "session/setApp", &json!({ "session": session, "path": app }));
    assert_eq!((&header["app"]["artifacts"], &header["app"]["memory"]), (&Value::Null, &Value::Null));
    let text = |call: u32| {
        let stages = ask(&strata, "call/stages", &json!({ "session": session, "call": call }));
        let last = stages["rows"].as_array().map_or(0, Vec::len) - 1;
        let whole = json!({ "session": session, "call": call, "stage": last, "offset": 0, "limit": 100_000 });
        ask(&strata, "call/json", &whole).to_string()
    };
    let places = json!({ "session": session, "artifacts": folder.path("kept/artifacts"),
        "memory": folder.path("kept/memory.db") });
    let header = ask(&strata, "session/setServices", &places);
    assert_eq!(header["app"]["artifacts"]["items"], 2);
    assert_eq!(header["app"]["memory"]["items"], 4);
    assert_eq!(header["app"]["memory"]["isFound"], false);
    assert!(text(2).contains("the first text"));
    let refused = json!({ "session": session, "artifacts": folder.path("nowhere"), "memory": null });
    let (_, message) = refuse(&strata, "session/setServices", &refused);
    assert!(message.contains("it is no folder"), "{message}");
    let none = json!({ "session": session, "artifacts": null, "memory": null });
    let header = ask(&strata, "session/setServices", &none);
    assert_eq!(header["app"]["artifacts"], Value::Null);
    assert!(!text(2).contains("the first text"));
    // A file that is gone is said, and what can still be read is.
    ask(&strata, "session/setServices", &places);
    fs::remove_dir_all(folder.path("kept")).expect("a folder that is there");
    let strata = start();
    let session = opened(&strata, &folder.path("s1.session.json"));
    let header = ask(&strata, "session/open", &json!({ "session": session }));
    assert_eq!(header["app"]["artifacts"], Value::Null);
}

/// google-adk adds to memory while a session goes on: what the next call found is not what was there before.
#[test]
fn memory_that_changed_is_read_again_when_the_session_goes_on() {
    let folder = Folder::new();
    folder.memory(".adk/memory.db");
    let strata = start();
    let path = folder.path("s1.session.json");
    let id = opened(&strata, &path);
    let header = ask(&strata, "session/open", &json!({ "session": id }));
    assert_eq!(header["app"]["memory"]["items"], 4);
    let database = rusqlite::Connection::open(folder.path(".adk/memory.db")).expect("a database");
    database
        .execute_batch(
            "INSERT INTO memory_events (app_name, user_id, session_id, event_id, author, timestamp, content_json, search_text)
             SELECT app_name, user_id, 'latest', 'e', author, 32.0, content_json, search_text FROM memory_events LIMIT 1;",
        )
        .expect("a memory");
    drop(database);
    let mut grown = session();
    let more = event("i3", "user", &json!({"text": "And now?"}), 40.0);
    grown["events"].as_array_mut().expect("events").push(more);
    folder.write("s1.session.json", &grown.to_string());
    assert_eq!(import(&strata, &path)["state"], "done");
    let header = ask(&strata, "session/open", &json!({ "session": id }));
    assert_eq!(header["app"]["memory"]["items"], 5);
}
