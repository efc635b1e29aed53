//! Databases of every version that ever was are read by this one.
//!
//! `tests/fixtures/v<version>.sql` is such a database, as statements. Each was written by the build of its time and
//! never changes. When a version is added, run the tests once with `STRATA_WRITE_FIXTURE=1` to write its fixture.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use strata_context::{
    Command, Context, ContextId, Millis, NewMessage, NewTask, NoSummary, Principal, Role, TaskId,
};
use strata_model::{Diagnostic, Fingerprint, Json, Object};
use strata_store::{
    Alignment, AppConfig, AppConfigOrigin, ArtifactHome, LabRunState, Listing, MeasuredCall, MemoryHome,
    NewArtifact, NewMemory, PromptShape, RawRecord, RecordPlace, RecordedRequest, SCHEMA_VERSION,
    SearchQuery, Store,
};

use crate::{Place, events, import, listing, session, source, span, text};

/// What the events of the sample say, escaped for JSON: quotes of every kind, for the statements of the fixture.
const TEXT: &str = r#"It's \"quoted\""#;

const MEASURED: MeasuredCall = MeasuredCall {
    request: Fingerprint(7),
    counted: 100,
    reported: 107,
    expected_cached: Some(64),
    reported_cached: None,
    at_ms: 13,
};

const PART: &str = r#"{"text":"It's \"quoted\""}"#;

const PROMISE: &str = r#"{"tokens":5}"#;

/// The tables behind the indexes of words, which are made with them.
const SHADOWS: [&str; 8] = [
    "search_data",
    "search_idx",
    "search_docsize",
    "search_config",
    "memory_words_data",
    "memory_words_idx",
    "memory_words_docsize",
    "memory_words_config",
];

#[test]
fn a_database_of_every_version_is_brought_up_to_date() {
    if std::env::var_os("STRATA_WRITE_FIXTURE").is_some() {
        write_fixture();
    }
    for version in 1..=SCHEMA_VERSION {
        let place = place_of(version);
        let mut store = place.open();
        check_sample(&store);
        check_experiments(&store, version);
        check_requests(&store, version);
        check_runs(&store, version);
        check_answers(&store, version);
        check_contexts(&store, version);
        check_services(&store, version);
        check_search(&mut store, version);
        let n_steps = std::iter::from_fn(|| store.pack_some().unwrap().then_some(())).count();
        assert_eq!(n_steps > 0, version < 6, "version {version}");
        check_sample(&store);
        check_requests(&store, version);
        check_search(&mut store, 6);
        let again = import(&mut store, source("sample.jsonl"), &[session("s1", 4, TEXT)]);
        assert!(again[0].is_replacement, "ids are made as version {version} made them");
        assert_eq!(
            schema(&place.bare()),
            schema_of_new_file(),
            "version {version} ends up with another schema"
        );
    }
}

#[test]
fn opening_twice_changes_nothing() {
    for version in 1..=SCHEMA_VERSION {
        let place = place_of(version);
        place.open();
        let once = dump(&place.bare());
        check_sample(&place.open());
        assert!(dump(&place.bare()) == once, "version {version}");
    }
}

/// A database of that version, as it was.
fn place_of(version: u32) -> Place {
    let place = Place::new();
    let path = fixture(version);
    let statements = std::fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!(
            "{}: {error}. Version {version} needs a fixture: run the tests once with STRATA_WRITE_FIXTURE=1",
            path.display()
        )
    });
    place.bare().execute_batch(&statements).unwrap();
    place
}

fn fixture(version: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/fixtures/v{version}.sql"))
}

/// Writes the database of this version, unless it was written before: a fixture that has been committed stays.
fn write_fixture() {
    let path = fixture(SCHEMA_VERSION);
    if !path.exists() {
        let place = Place::new();
        fill(&mut place.open());
        std::fs::write(path, dump(&place.bare())).unwrap();
    }
}

fn fill(store: &mut Store) {
    let recorded = session("s1", 3, TEXT);
    let inferred = AppConfig {
        origin: AppConfigOrigin::Inferred,
        format: "json".into(),
        text: "{}".into(),
        location: None,
    };
    let mut import = store.begin_import(source("sample.jsonl")).unwrap();
    let mut recording = import.open_recording().unwrap();
    let mut events = events(&recorded);
    events[0].records = vec![span(0, 10, Some(b"first\n\"line")), span(20, 30, None)];
    let row = RecordPlace::Row { table: "t".into(), id: "1".into() };
    events[1].records = vec![RawRecord { place: row, bytes: None }];
    import.append(&mut recording, &events).unwrap();
    import.append_requests(&mut recording, &requests()).unwrap();
    let summary = Json::Object(Object::from_iter([("calls", Json::Int(2))]));
    let listing = Listing { summary, app_config: Some(inferred), ..listing("Sample") };
    import.close_recording(recording, &recorded, listing).unwrap();
    let found = Diagnostic::warning("odd", "events[1]", "it's odd");
    let id = import.commit(&[found]).unwrap().remove(0).id;
    store.mark_opened(&id, 7).unwrap();
    let edits =
        [r#"{"edit":"drop_event","event":2}"#, r#"{"edit":"pin_event","event":1}"#].map(str::to_owned);
    let experiment = store.create_experiment(&id, "Without E2", &edits, 9).unwrap().unwrap();
    store.set_applied(experiment, 1, 10).unwrap();
    store.set_promise(experiment, 0, PROMISE).unwrap();
    let run = store.begin_lab_run(&id, "x1", r#"{"config":"off"}"#, 11).unwrap().unwrap();
    store.set_lab_run(run, LabRunState::Cancelled, r#"{"summaries":[]}"#, 12).unwrap();
    store.add_measured_call("m", PromptShape::Text, &MEASURED).unwrap();
    store.set_setting("theme", "dark").unwrap();
    store.keep_paid_answer(Fingerprint(7), r#"{"content":{}}"#).unwrap();
    fill_contexts(store);
    let home = ArtifactHome { app: "a", user: "u", session: Some("s1") };
    let new = NewArtifact { name: "a.txt", part: Some(PART), mime_type: None, bytes: 13, saved_at_ms: 17 };
    store.save_artifact(home, new).unwrap();
    let memory = NewMemory {
        event: "e1".to_owned(),
        author: "ana".to_owned(),
        said_at: 18.5,
        content: PART.to_owned(),
        words: "it s quoted".to_owned(),
    };
    store.remember(MemoryHome { app: "a", user: "u", session: "s1" }, &[memory], 19).unwrap();
}

/// What [`fill`] wrote since version 8.
fn check_services(store: &Store, version: u32) {
    let (files, memories) = (store.artifacts().unwrap(), store.memories_with("a", "u", &["quoted"]).unwrap());
    if version < 8 {
        assert_eq!((files, memories), (Vec::new(), Vec::new()));
        return;
    }
    assert_eq!((&*files[0].name, files[0].version, files[0].saved_at_ms), ("a.txt", 0, 17));
    let part = store.artifact_part(files[0].hash.as_deref().unwrap()).unwrap();
    assert_eq!(part.as_deref(), Some(PART));
    assert_eq!((&*memories[0].event, memories[0].said_at, &*memories[0].content), ("e1", 18.5, PART));
}

fn fill_contexts(store: &mut Store) {
    let (id, owner) = (ContextId::parse("ctx-1").unwrap(), Principal::new("ana"));
    let past = ContextId::parse("ctx-0").unwrap();
    for id in [&id, &past] {
        store.begin_context(&Context::new(id.clone(), owner.clone(), Millis(14))).unwrap();
    }
    let task = TaskId::parse("t1").unwrap();
    let new = NewTask {
        task_id: task.clone(),
        operation: "book".into(),
        params: Object::new(),
        parent: None,
        waits_for: Vec::new(),
    };
    let said =
        NewMessage { role: Role::User, content: "It's \"quoted\"".into(), door: None, task: Some(task) };
    let changes = Object::from_iter([("last_search", "It's \"quoted\"")]);
    let commands = vec![
        Command::BeginTask(new),
        Command::Say(vec![said]),
        Command::SetState { changes, task: None },
        Command::SetSession("s1".into()),
    ];
    store.obey_context(&id, &owner, commands, Millis(15), &NoSummary).unwrap();
    store.expire_context(&past, Millis(16)).unwrap();
}

fn requests() -> Vec<RecordedRequest> {
    let request = |answer, at, body: &str| RecordedRequest {
        answer,
        body: strata_model::json::parse(body.as_bytes()).unwrap(),
        place: RecordPlace::Bytes(at..at + 5),
        alignment: Alignment { shared: 1, appended: 1, ..Alignment::default() },
        added_from: None,
    };
    vec![
        request(Some(1), 0, r#"{"model":"m","messages":[{"role":"user","content":"It's \"quoted\""}]}"#),
        request(None, 9, r#"{"model":"m","messages":[{"role":"user","content":"It's \"quoted\""},2]}"#),
    ]
}

fn check_requests(store: &Store, version: u32) {
    let session = store.sessions("", 0..1).unwrap().entries.remove(0).id;
    let expected = if version < 3 { Vec::new() } else { requests() };
    assert_eq!(store.requests(&session).unwrap(), expected, "version {version}");
}

/// What [`fill`] wrote, whichever version wrote it.
fn check_sample(store: &Store) {
    let entry = store.sessions("", 0..10).unwrap().entries.remove(0);
    assert_eq!((&*entry.title, &*entry.location, entry.n_events), ("Sample", "sample.jsonl", 3));
    assert_eq!((entry.opened_at_ms, entry.summary.get("calls")), (Some(7), Some(&Json::Int(2))));
    let recorded = session("s1", 3, TEXT);
    assert_eq!(text(&store.read_session(&entry.id).unwrap().unwrap()), text(&recorded));
    let records = [0, 1, 2].map(|seq| store.source_records(&entry.id, seq).unwrap().unwrap());
    assert_eq!(records[0][0].bytes.as_deref(), Some(&b"first\n\"line"[..]));
    assert_eq!(records[0][1].place, RecordPlace::Bytes(20..30));
    assert_eq!(records[1][0].place, RecordPlace::Row { table: "t".into(), id: "1".into() });
    assert_eq!(records[2], []);
    assert_eq!(store.event_rows(&entry.id, 0..10).unwrap().len(), 3);
    assert_eq!(store.app_config(&entry.id).unwrap().unwrap().text, "{}");
    assert_eq!(store.source("sample.jsonl").unwrap(), Some(source("sample.jsonl")));
    assert_eq!(store.diagnostics("sample.jsonl").unwrap()[0].message, "it's odd");
    assert_eq!(store.setting("theme").unwrap().as_deref(), Some("dark"));
}

/// What [`fill`] wrote since version 2.
fn check_experiments(store: &Store, version: u32) {
    let session = store.sessions("", 0..10).unwrap().entries.remove(0).id;
    let found = store.experiments(&session).unwrap();
    let names: Vec<_> = found.iter().map(|entry| (&*entry.name, entry.n_applied, entry.n_edits)).collect();
    if version < 2 {
        assert_eq!(names, []);
        return;
    }
    assert_eq!(names, [("Without E2", 1, 2)]);
    assert_eq!(store.edits(found[0].id).unwrap()[1], r#"{"edit":"pin_event","event":1}"#);
    let promises = if version < 5 { Vec::new() } else { vec![(0, PROMISE.to_owned())] };
    assert_eq!(store.promises(found[0].id).unwrap(), promises);
}

/// What [`fill`] wrote since version 3.
fn check_runs(store: &Store, version: u32) {
    let session = store.sessions("", 0..10).unwrap().entries.remove(0).id;
    let runs = store.lab_runs(&session).unwrap();
    if version < 3 {
        assert_eq!((runs, store.measured_calls("m", PromptShape::Text).unwrap()), (Vec::new(), Vec::new()));
        return;
    }
    let run = &runs[0];
    assert_eq!(
        (&*run.subject, run.state, &*run.settings),
        ("x1", LabRunState::Cancelled, r#"{"config":"off"}"#)
    );
    assert_eq!((&*run.result, run.started_at_ms, run.changed_at_ms), (r#"{"summaries":[]}"#, 11, 12));
    assert_eq!(store.measured_calls("m", PromptShape::Text).unwrap(), [MEASURED]);
}

/// What [`fill`] wrote since version 4.
fn check_answers(store: &Store, version: u32) {
    let answer = store.paid_answer(Fingerprint(7)).unwrap();
    assert_eq!(answer.as_deref(), (version >= 4).then_some(r#"{"content":{}}"#), "version {version}");
}

/// What [`fill`] wrote since version 7.
fn check_contexts(store: &Store, version: u32) {
    let id = ContextId::parse("ctx-1").unwrap();
    let (found, archived) = (store.context(&id).unwrap(), store.archived_contexts().unwrap());
    if version < 7 {
        assert_eq!((found, archived), (None, Vec::new()));
        return;
    }
    let held = found.unwrap();
    assert_eq!(&*held.context.messages[0].content, "It's \"quoted\"");
    assert_eq!(held.tasks.len(), 1);
    assert_eq!(held.context.working_state.get("last_search"), Some(&"It's \"quoted\"".into()));
    assert_eq!((archived[0].id.as_str(), archived[0].expired_at), ("ctx-0", Millis(16)));
}

#[test]
fn answers_that_were_settings_are_found_by_what_was_asked() {
    let place = place_of(3);
    let question = Fingerprint::of(b"Summarise this.");
    let settings = [
        (format!("lab.answer.{:032x}", question.0), "the answer"),
        // Nothing that was written as an answer.
        ("lab.answer.later".to_owned(), "a note"),
    ];
    for (key, value) in &settings {
        place.bare().execute("INSERT INTO settings VALUES (?1, ?2)", [key, *value]).unwrap();
    }
    let mut store = place.open();
    assert_eq!(store.paid_answer(question).unwrap().as_deref(), Some("the answer"));
    let left = settings.map(|(key, _)| store.setting(&key).unwrap());
    assert_eq!(left, [None, Some("a note".to_owned())]);
    assert_eq!(store.setting("theme").unwrap().as_deref(), Some("dark"));
    store.keep_paid_answer(question, "a better one").unwrap();
    assert_eq!(store.paid_answer(question).unwrap().as_deref(), Some("a better one"));
}

/// What was stored before version 3 is found once it was indexed.
fn check_search(store: &mut Store, version: u32) {
    assert_eq!(store.n_not_indexed().unwrap(), u32::from(version < 3), "version {version}");
    while store.index_some().unwrap() {}
    assert_eq!(store.n_not_indexed().unwrap(), 0);
    for (text, n) in [("quoted", 3), ("sample.jsonl", 1), ("elsewhere", 0)] {
        let found = store.search(&SearchQuery { text, limit: 10, ..SearchQuery::default() }).unwrap();
        assert_eq!(found.total, n, "{text} in version {version}");
    }
}

fn schema_of_new_file() -> Vec<(String, String)> {
    let place = Place::new();
    place.open();
    schema(&place.bare())
}

/// Name and definition of everything there is, tables first.
fn schema(connection: &Connection) -> Vec<(String, String)> {
    let sql = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
               ORDER BY type DESC, rowid";
    let mut statement = connection.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    rows.map(Result::unwrap).collect()
}

/// A database as the statements that make it.
fn dump(connection: &Connection) -> String {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
    let mut out = format!(
        "PRAGMA application_id = {};\nPRAGMA user_version = {};\n",
        pragma("application_id"),
        pragma("user_version")
    );
    let schema = schema(connection);
    let is_shadow = |name: &str| SHADOWS.contains(&name);
    for (_, sql) in schema.iter().filter(|(name, _)| !is_shadow(name)) {
        writeln!(out, "{sql};").unwrap();
    }
    out.push_str("BEGIN;\n");
    let tables = schema.iter().filter(|(_, sql)| sql.starts_with("CREATE TABLE")).map(|(name, _)| &**name);
    for table in ["sqlite_sequence"].into_iter().chain(tables) {
        if is_shadow(table) {
            // The index comes with some rows.
            writeln!(out, "DELETE FROM {table};").unwrap();
        }
        dump_rows(connection, table, &mut out);
    }
    out.push_str("COMMIT;\n");
    out
}

fn dump_rows(connection: &Connection, table: &str, out: &mut String) {
    let any_row = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
    let quoted: Vec<_> = any_row.column_names().map(|name| format!("quote({name})")).collect();
    let mut statement = connection.prepare(&format!("SELECT {} FROM {table}", quoted.join(", "))).unwrap();
    let mut rows = statement.query([]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        let values: Vec<String> = (0..quoted.len()).map(|column| row.get(column).unwrap()).collect();
        writeln!(out, "INSERT INTO {table} VALUES ({});", values.join(", ")).unwrap();
    }
}
