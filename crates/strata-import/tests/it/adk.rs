//! How what google-adk writes becomes sessions.

use std::collections::BTreeMap;
use std::sync::Arc;

use strata_import::{
    Detection, Format, Import, ImportedSession, MemoryTables, OwnedValue, SqlValue, Table, TableError,
    TableSource, UnreadFormat, detect, detect_tables, import, import_tables,
};
use strata_model::{FromJson as _, Json, Session, json, marks};
use strata_testkit::samples;

use crate::formats::tables;
use crate::sqlite_file::read_tables;
use crate::support::sample;

fn codes(imported: &Import) -> Vec<&str> {
    imported.diagnostics.iter().map(|found| found.code).collect()
}

#[test]
fn every_session_file_comes_back_as_it_was() {
    let mut n_sessions = 0;
    for path in samples::files("adk") {
        let bytes = std::fs::read(&path).unwrap();
        if detect(&bytes) != Detection::Readable(Format::ADK_SESSION) {
            continue;
        }
        let imported = import(&bytes);
        assert_eq!(imported.diagnostics, [], "{}", path.display());
        let written = without_writer(imported.sessions[0].session.clone()).to_json();
        assert_eq!(normal(written), normal(json::parse(&bytes).unwrap()), "{}", path.display());
        n_sessions += 1;
    }
    assert!(n_sessions >= 3, "{n_sessions}");
}

#[test]
fn databases_of_all_services_hold_the_sessions_that_were_saved_from_them() {
    let own = samples::own().join("adk");
    for name in ["weather.database-service", "weather.sqlite-service"] {
        let read = |end: &str| std::fs::read(own.join(format!("{name}.{end}"))).unwrap();
        let saved = import(&read("session.json")).sessions.remove(0);
        let imported = import_tables(&mut tables(&read("tables.json")));
        compare(name, &imported, &saved);
        let of_saved: Vec<_> = saved.session.events.iter().map(|event| event.to_json()).collect();
        let of_table: Vec<_> =
            imported.sessions[0].session.events.iter().map(|event| event.to_json()).collect();
        assert_eq!(of_table, of_saved, "{name}");
    }
    if let Some(folder) = samples::larger() {
        let read = |name: &str| std::fs::read(folder.join("adk").join(name)).unwrap();
        // Each service was given the same turns, and made ids and times of its own.
        let saved = import(&read("adk-2.13.0.s-main.session.json")).sessions.remove(0);
        for name in ["adk-2.13.0.sqlalchemy.db", "adk-2.13.0.sqlite_service.db"] {
            compare(name, &import_tables(&mut read_tables(&read(name))), &saved);
        }
    }
}

fn compare(name: &str, imported: &Import, saved: &ImportedSession) {
    assert_eq!(imported.diagnostics, [], "{name}");
    let session = imported.sessions.iter().find(|it| &*it.session.id == "s-main").unwrap();
    assert_eq!(session.session.state, saved.session.state, "{name}");
    assert_eq!(session.summary(), saved.summary(), "{name}");
    let texts = |it: &ImportedSession| -> Vec<_> {
        it.session.events.iter().map(|event| event.content.clone().map(|it| it.parts().len())).collect()
    };
    assert_eq!(texts(session), texts(saved), "{name}");
}

/// A document without what spellings and defaults may differ in: camelCase keys of ADK's own, no nulls outside of data,
/// and the empty defaults that ADK always writes.
/// Without the note of what wrote the session, which no file has.
fn without_writer(mut session: Session) -> Session {
    if let Some(event) = session.events.first_mut().map(Arc::make_mut)
        && let Some(custom) = &mut event.custom_metadata
    {
        custom.remove(marks::WRITER);
        event.custom_metadata.take_if(|custom| custom.is_empty());
    }
    session
}

fn normal(value: Json) -> Json {
    let Json::Object(session) = value else { return value };
    let members = session.into_iter().map(|(key, value)| {
        let key = camel(&key);
        let value = if key == "events" { events(value) } else { value };
        (key, value)
    });
    Json::Object(members.collect())
}

fn events(value: Json) -> Json {
    let Json::Array(events) = value else { return value };
    Json::Array(events.into_iter().map(|event| own(event, &["actions", "nodeInfo"])).collect())
}

/// Values whose keys belong to the app, not to ADK.
const DATA: [&str; 6] =
    ["args", "response", "stateDelta", "artifactDelta", "customMetadata", "cacheMetadata"];
const ALWAYS_WRITTEN: [&str; 4] =
    ["stateDelta", "artifactDelta", "requestedAuthConfigs", "requestedToolConfirmations"];

fn own(value: Json, added: &[&str]) -> Json {
    match value {
        Json::Array(items) => Json::Array(items.into_iter().map(|item| own(item, &[])).collect()),
        Json::Object(object) => {
            let members = object.into_iter().filter(|(_, value)| !value.is_null()).map(|(key, value)| {
                let key = camel(&key);
                let value = match &*key {
                    data if DATA.contains(&data) => value,
                    "actions" => own(value, &ALWAYS_WRITTEN),
                    _ => own(value, &[]),
                };
                (key, value)
            });
            let mut object: strata_model::Object = members.collect();
            for key in added.iter().filter(|key| !object.contains_key(key)).copied().collect::<Vec<_>>() {
                let default = match key {
                    "nodeInfo" => r#"{"path":""}"#,
                    "actions" => {
                        r#"{"stateDelta":{},"artifactDelta":{},"requestedAuthConfigs":{},"requestedToolConfirmations":{}}"#
                    }
                    _ => "{}",
                };
                object.push(key, json::parse(default.as_bytes()).unwrap());
            }
            Json::Object(object)
        }
        other => other,
    }
}

fn camel(key: &str) -> String {
    let mut words = key.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |out, word| out + &word[..1].to_uppercase() + &word[1..])
}

#[test]
fn lists_of_events_and_of_sessions_are_documents_too() {
    let event = r#"{"author":"user","invocationId":"e-1","id":"1","content":{"parts":[{"text":"hi"}],"role":"user"}}"#;
    let imported = import(format!("[{event},{event}]").as_bytes());
    assert_eq!(imported.sessions[0].format, Format::ADK_EVENTS);
    assert_eq!(imported.sessions[0].session.events.len(), 2);
    assert_eq!(codes(&imported), ["repeated-id"]);

    let session =
        |id: &str| format!(r#"{{"id":"{id}","appName":"a","userId":"u","state":{{}},"events":[{event}]}}"#);
    let imported = import(format!("[{},{}]", session("s1"), session("s2")).as_bytes());
    assert_eq!(imported.sessions.iter().map(|it| &*it.session.id).collect::<Vec<_>>(), ["s1", "s2"]);
    let imported = import(format!("{}\n{}", session("s1"), session("s2")).as_bytes());
    assert_eq!(imported.sessions.len(), 2);
}

#[test]
fn spellings_that_only_constructors_know_are_read() {
    let imported = import(
        br#"{"id":"s","appName":"a","userId":"u","events":[{"author":"user","message":{"parts":[{"text":"hi"}]},"state":{"k":1},"route":"x","node_path":"a@1"}]}"#,
    );
    assert_eq!(imported.diagnostics, []);
    let event = &imported.sessions[0].session.events[0];
    assert_eq!(event.parts()[0].text.as_deref(), Some("hi"));
    assert_eq!(event.actions.state_delta.get("k"), Some(&Json::Int(1)));
    assert_eq!(event.actions.route, Some("x".into()));
    assert_eq!(event.node_info.path.as_str(), "a@1");
    assert!(event.other.is_empty());
    assert_eq!(imported.sessions[0].unmapped.counts().count(), 0);
}

#[test]
fn odd_fields_cost_nothing_but_a_word() {
    let imported = import(
        br#"{"id":"s","appName":"a","userId":7,"later":1,"events":[{"author":"user","timestamp":"noon","content":{"parts":[{"text":"hi","newer":true}]}},"gone",{"author":"x","usageMetadata":{"promptTokenCount":5,"brandNew":1}}]}"#,
    );
    let session = &imported.sessions[0];
    assert_eq!(session.session.events.len(), 2);
    assert_eq!(codes(&imported), ["unexpected-type", "not-an-event", "unexpected-type"]);
    let places: Vec<_> = imported.diagnostics.iter().map(|found| &*found.at).collect();
    assert_eq!(places, ["events[0].timestamp", "events[1]", "userId"]);
    let unmapped: Vec<_> = session.unmapped.counts().map(|(name, _)| name).collect();
    assert_eq!(unmapped, ["event.usageMetadata.brandNew", "part.newer", "session.later", "session.userId"]);
    assert!(json::to_compact(&session.session.to_json()).contains(r#""newer":true"#));
}

#[test]
fn a_broken_event_costs_only_itself() {
    let imported = import(
        br#"{"id":"s","appName":"a","userId":"u","events":[{"author":"user","content":{"parts":[{"text":"hi"}]}},{"author": oops "}]" },{"author":"x"}],"lastUpdateTime":2}"#,
    );
    let session = &imported.sessions[0].session;
    assert_eq!((session.events.len(), session.last_update_time), (2, 2.0));
    assert_eq!(codes(&imported), ["broken-event"]);
}

#[test]
fn a_truncated_session_is_kept_as_far_as_it_goes() {
    let bytes = sample("adk-rest-session.json");
    let imported = import(&bytes[..2000]);
    assert_eq!(imported.sessions[0].session.events.len(), 3);
    assert_eq!(codes(&imported), ["truncated"]);
    assert_eq!(imported.diagnostics[0].at, "byte 2000");
}

#[test]
fn sessions_from_before_adk_1_are_refused_by_name() {
    for text in [
        r#"{"id":"x","context":{"_time":"2024"},"events":[{"author":"user","options":{}}],"past_events":[],"pending_events":{}}"#,
        r#"{"id":"x","context":{},"events":[]}"#,
    ] {
        let imported = import(text.as_bytes());
        assert!(imported.sessions.is_empty());
        assert!(imported.diagnostics[0].message.contains("before version 1.0"), "{:?}", imported.diagnostics);
    }
}

#[test]
fn a_stream_that_breaks_off_keeps_the_pieces_of_its_last_answer() {
    let piece = |text: &str| {
        format!(
            r#"data: {{"author":"a","invocationId":"e","partial":true,"content":{{"parts":[{{"text":"{text}"}}]}}}}"#
        )
    };
    let imported = import(format!("{}\n\n{}\n\n", piece("one"), piece("two")).as_bytes());
    assert_eq!(imported.sessions[0].session.events.len(), 2);
    assert_eq!(codes(&imported), ["truncated"]);
}

#[test]
fn databases_are_told_apart_by_their_tables() {
    let table = |name: &str, columns: &[&str]| Table {
        name: name.into(),
        columns: columns.iter().map(|column| (*column).into()).collect(),
    };
    let events = table("events", &["id", "event_data"]);
    let old = table("events", &["id", "actions"]);
    let metadata = table("adk_internal_metadata", &["key", "value"]);
    let cases = [
        (vec![events.clone()], Detection::Readable(Format::ADK_SQLITE)),
        (vec![events, metadata], Detection::Readable(Format::ADK_DATABASE)),
        (vec![old], Detection::Readable(Format::ADK_PICKLE_DATABASE)),
        (
            vec![table("part", &[]), table("message", &[]), table("session", &[])],
            Detection::Readable(Format::OPENCODE),
        ),
        (vec![table("usage_ledger", &[])], Detection::Readable(Format::GOOSE)),
        (vec![table("checkpoints", &[]), table("writes", &[])], Detection::Readable(Format::LANGGRAPH)),
        (vec![table("threads", &["rollout_path"])], Detection::Unread(UnreadFormat::CODEX_INDEX)),
        (vec![table("spans", &[])], Detection::Unread(UnreadFormat::SPAN_DATABASE)),
    ];
    for (tables, expected) in cases {
        assert_eq!(detect_tables(&tables), expected);
    }
    assert!(matches!(detect_tables(&[]), Detection::NotASession(_)));
}

/// The sample of a schema 1 database with another text in it.
fn changed(from: &str, to: &str) -> MemoryTables {
    let text = String::from_utf8(sample("adk-database.tables.json")).unwrap();
    assert!(text.contains(from), "{from}");
    tables(text.replace(from, to).as_bytes())
}

#[test]
fn a_newer_schema_is_refused_and_an_older_one_is_doubted() {
    let newer = import_tables(&mut changed(
        r#"
    "1""#,
        r#"
    "2""#,
    ));
    assert!(newer.diagnostics[0].message.contains("schema newer than 1"), "{:?}", newer.diagnostics);
    let older = import_tables(&mut changed(
        r#"
    "1""#,
        r#"
    "0""#,
    ));
    assert_eq!((older.sessions.len(), codes(&older)), (1, vec!["schema-version"]));
    let unsaid = import_tables(&mut changed("schema_version", "something_else"));
    assert_eq!((unsaid.sessions.len(), codes(&unsaid)), (1, vec!["no-schema-version"]));
}

#[test]
fn the_time_inside_an_event_wins_and_the_column_orders() {
    let mut tables = changed("2026-11-20 21:52:59.000000", "2026-11-20 23:00:00.000000");
    let imported = import_tables(&mut tables);
    let events = &imported.sessions[0].session.events;
    let order: Vec<_> = events.iter().map(|event| (&*event.id, event.timestamp)).collect();
    assert_eq!(order, [("a-2", 1_795_207_979.5), ("b-1", 1_795_207_979.0)]);
    let column_only = import_tables(&mut changed(r#", \"timestamp\": 1795207979.5"#, ""));
    assert_eq!(column_only.sessions[0].session.events[1].timestamp, 1_795_211_579.5);
}

#[test]
fn rows_of_equal_time_are_in_the_order_of_their_service() {
    let same_time = changed("2026-11-20 21:52:59.000000", "2026-11-20 21:52:59.500000");
    let first =
        |mut tables: MemoryTables| import_tables(&mut tables).sessions[0].session.events[0].id.clone();
    assert_eq!(&*first(same_time), "a-2", "by id");
    let text = String::from_utf8(sample("adk-sqlite-service.tables.json")).unwrap();
    let same_time = text.replace("1795207979.5,\n    \"{\\\"model", "1795207979.0,\n    \"{\\\"model");
    assert_eq!(&*first(tables(same_time.as_bytes())), "b-1", "by row");
}

#[test]
fn rows_that_hold_no_event_are_told() {
    let broken = import_tables(&mut changed(r#"\"author\": \"clerk\""#, r#"\"author\": "#));
    assert_eq!((broken.sessions[0].session.events.len(), codes(&broken)), (2, vec!["broken-row"]));
    assert_eq!(&*broken.sessions[0].session.events[1].id, "a-2");
    let orphans = import_tables(&mut changed(
        r#""s-1",
    "{\"seen"#,
        r#""s-2",
    "{\"seen"#,
    ));
    let ids: Vec<_> = orphans.sessions.iter().map(|it| (&*it.session.id, it.session.events.len())).collect();
    assert_eq!((ids, codes(&orphans)), (vec![("s-1", 2), ("s-2", 0)], vec!["no-session-row"]));
}

/// A database that fails after its tables were listed.
struct Failing;

impl TableSource for Failing {
    fn tables(&mut self) -> Result<Vec<Table>, TableError> {
        Ok(vec![Table { name: "events".into(), columns: vec!["event_data".into()] }])
    }

    fn rows(
        &mut self,
        _: &str,
        _: &[&str],
        _: &[&str],
        _: &mut dyn FnMut(&[SqlValue<'_>]),
    ) -> Result<(), TableError> {
        Err(TableError("disk image is malformed".into()))
    }
}

#[test]
fn a_database_that_cannot_be_read_says_why() {
    let imported = import_tables(&mut Failing);
    assert!(imported.sessions.is_empty());
    assert!(imported.diagnostics[0].message.contains("disk image is malformed"));
}

#[test]
fn values_of_rows_sort_as_in_sqlite() {
    let mut tables = MemoryTables::new();
    let values = [
        OwnedValue::Blob(vec![1]),
        OwnedValue::Text("b".into()),
        OwnedValue::Real(1.5),
        OwnedValue::Null,
        OwnedValue::Integer(2),
        OwnedValue::Text("a".into()),
    ];
    tables.add("t", &["v"], values.into_iter().map(|value| vec![value]).collect());
    let mut order = Vec::new();
    tables.rows("t", &["v"], &["v"], &mut |row| order.push(format!("{:?}", row[0]))).unwrap();
    assert_eq!(order, ["Null", "Real(1.5)", "Integer(2)", "Text(\"a\")", "Text(\"b\")", "Blob([1])"]);
}

#[test]
fn the_requests_of_a_trace_join_the_session_by_the_ids_of_events() {
    let own = ("weather.session.json", "weather.debug-log.yaml");
    let larger = ("adk-2.13.0.cli-sess.session.json", "adk-2.13.0.cli.debug_logging.yaml");
    for (folder, (session, log)) in samples::folders().into_iter().zip([own, larger]) {
        let read =
            |name: &str| import(&std::fs::read(folder.join("adk").join(name)).unwrap()).sessions.remove(0);
        let mut session = read(session);
        let n_calls = session.summary().calls as usize;
        let n_joined = session.join(&read(log));
        assert!(n_joined > 0 && n_joined <= n_calls, "{n_joined} of {n_calls}");
        assert_eq!(session.requests.len(), n_joined);
        for request in &session.requests {
            let answer = &session.session.events[request.answer.unwrap()];
            assert!(answer.usage_metadata.is_some(), "{}", answer.id);
        }
    }
}

#[test]
fn what_a_document_in_a_text_holds_stands_in_the_whole_file() {
    let inner = String::from_utf8(sample("adk-evalset-result.json")).unwrap();
    let text = format!(" {}\n", json::to_compact(&Json::from(inner.as_str())));
    let (written, plain) = (import(text.as_bytes()), import(inner.as_bytes()));
    assert!(!plain.sessions.is_empty());
    let sessions =
        |imported: &Import| imported.sessions.iter().map(|one| one.session.clone()).collect::<Vec<_>>();
    assert_eq!(sessions(&written), sessions(&plain));
    let whole = strata_import::SourceRecord::Bytes(0..text.len() as u64);
    let places = written.sessions.iter().flat_map(|one| one.sources.iter().flatten());
    assert!(places.clone().count() > 0);
    assert!(places.into_iter().all(|place| *place == whole));
}

#[test]
fn a_request_told_as_a_difference_from_a_lost_call_is_not_guessed() {
    let whole = String::from_utf8(sample("adk-recording.jsonl")).unwrap();
    let bodies = |text: &str| -> Vec<Json> {
        let imported = import(text.as_bytes());
        imported.sessions.iter().flat_map(|session| &session.requests).map(|it| it.body.clone()).collect()
    };
    let told = bodies(&whole);
    let lines: Vec<&str> = whole.lines().collect();
    let calls: Vec<usize> =
        (0..lines.len()).filter(|at| lines[*at].starts_with(r#"{"record":"call""#)).collect();
    let mut n_lost = 0;
    for call in calls {
        let kept: Vec<&str> =
            lines.iter().enumerate().filter(|(at, _)| *at != call).map(|(_, line)| *line).collect();
        let kept = kept.join("\n");
        let known = bodies(&kept);
        // Each of them is as it was, apart from what was made of the events that are known by then.
        let is_told = |body: &Json| told.iter().any(|other| other.get("contents") == body.get("contents"));
        assert!(known.iter().all(is_told), "without line {}", call + 1);
        let lost = told.len() - known.len();
        assert_eq!(lost > 1, codes(&import(kept.as_bytes())).contains(&"broken-request"));
        n_lost += lost;
    }
    assert!(n_lost > told.len(), "{n_lost} of {}", told.len());
}

#[test]
fn a_value_that_was_left_out_for_its_size_costs_the_requests_that_have_it() {
    let whole = String::from_utf8(sample("adk-recording.jsonl")).unwrap();
    let bodies = |imported: &Import| -> BTreeMap<String, Json> {
        let requests = imported.sessions.iter().flat_map(|session| &session.requests);
        let id = |body: &Json| body.get("recorded")?.get("id")?.as_str().map(str::to_owned);
        requests.map(|request| (id(&request.body).unwrap(), request.body.clone())).collect()
    };
    let told = bodies(&import(whole.as_bytes()));
    let lines: Vec<&str> = whole.lines().collect();
    let is_blob = |line: &&str| line.starts_with(r#"{"record":"blob""#);
    let (mut n_incomplete, mut n_broken) = (0, 0);
    for blob in lines.iter().filter(|line| is_blob(line)) {
        let value = json::parse(blob.as_bytes()).unwrap();
        let id = value.get("id").and_then(Json::as_str).unwrap();
        let omitted = format!(r#"{{"record":"blob","id":"{id}","omitted":70000}}"#);
        let imported = import(whole.replace(*blob, &omitted).as_bytes());
        let known = bodies(&imported);
        assert!(!codes(&imported).contains(&"broken-request"), "{id}");
        assert_eq!(codes(&imported).contains(&"incomplete-request"), known.len() < told.len(), "{id}");
        for (call, body) in &known {
            assert_eq!(body.get("contents"), told[call].get("contents"), "{call} without {id}");
            assert_eq!(body.get("config"), told[call].get("config"), "{call} without {id}");
        }
        n_incomplete += told.len() - known.len();
        // Where it is lost, all that is told as a difference from there on is lost with it.
        n_broken += told.len() - bodies(&import(whole.replace(*blob, "").as_bytes())).len();
    }
    assert!(n_incomplete > 0, "some are in requests");
    assert!(n_incomplete < n_broken, "{n_incomplete} of {n_broken}: what comes after them is known");
}

#[test]
fn evaluation_sets_of_early_versions_are_read() {
    let set = r#"{"name":"dice","data":[{"query":"roll a die","expected_tool_use":[{"tool_name":"roll","tool_input":{"sides":6}}],"reference":"3"},{"query":"again","reference":"4"}],"initial_state":{"luck":1}}"#;
    for text in [set.to_owned(), format!("[{set},{set}]")] {
        let imported = import(text.as_bytes());
        let first = &imported.sessions[0];
        assert_eq!(
            (first.format, &*first.title),
            (Format::ADK_EVAL_SET, "dice"),
            "{:?}",
            imported.diagnostics
        );
        assert_eq!((first.summary().user_turns, first.summary().tool_calls), (2, 1));
        assert_eq!(first.session.state.get("luck"), Some(&Json::Int(1)));
    }
}

/// Agents that code of the app runs are in no configuration: the recorder tells of each before its first call.
#[test]
fn agents_that_code_runs_are_known() {
    let whole = String::from_utf8(sample("adk-recording.jsonl")).unwrap();
    let lines = || whole.lines().map(|line| json::parse(line.as_bytes()).unwrap());
    let app = lines().find(|line| line.get("record").and_then(Json::as_str) == Some("app")).unwrap();
    let id = app.get("id").and_then(Json::as_str).unwrap();
    let record = |instruction: &str| {
        format!(
            r#"{{"record":"agent","time":1.0,"app":"{id}","agent":{{"type":"llm","name":"helper","mode":"single_turn","instruction":"{instruction}"}}}}"#
        )
    };
    // A later process tells of it anew.
    let imported = import(format!("{whole}\n{}\n{}\n", record("Help."), record("Help well.")).as_bytes());
    assert_eq!(codes(&imported), codes(&import(whole.as_bytes())));
    let root = imported.sessions[0].app.as_ref().and_then(|app| app.root_agent.as_ref()).unwrap();
    let [strata_model::app::Node::Agent(helper)] = root.library() else { panic!("{:?}", root.library()) };
    assert_eq!(&*helper.name, "helper");
    assert_eq!(helper.instruction.as_ref().map(strata_model::FromJson::to_json), Some("Help well.".into()));
}

/// google-adk stores what plugins and callbacks say as it stores what models answer: the recorder tells them apart.
#[test]
fn what_code_of_the_app_says_and_what_fails_before_a_request_is_marked() {
    let event = |id: &str, run: &str, by: &str, rest: &str| {
        format!(
            r#"{{"record":"event","time":2.0,"session":"s"{by},"event":{{"id":"{id}","author":"desk","invocationId":"{run}","timestamp":2.0{rest}}}}}"#
        )
    };
    let said = |id: &str, run: &str, by: &str| {
        event(id, run, by, "").replace(
            r#""event":"#,
            r#""content":{"value":{"role":"model","parts":[{"text":"Closed."}]}},"event":"#,
        )
    };
    let run = |id: &str, live: bool| {
        format!(r#"{{"record":"invocation","time":1.0,"id":"{id}","session":"s","app":"a","live":{live}}}"#)
    };
    let by = r#","by":{"hook":"before_agent","stage":"plugin","name":"guard"}"#;
    let failed = r#","errorCode":"RuntimeError""#;
    let lines = [
        r#"{"record":"header","time":1.0,"format":"strata-adk-recording","version":1,"run":"r"}"#.to_owned(),
        r#"{"record":"session","time":1.0,"session":"s","app":"door","user":"ada","id":"s-1"}"#.to_owned(),
        said("before", "seen", ""),
        run("seen", false),
        said("plugin", "seen", by),
        said("rewritten", "seen", ""),
        event("failed", "seen", "", failed),
        run("live", true),
        said("spoken", "live", ""),
        said("cut in", "live", by),
        event("dropped", "live", "", failed),
        said("unseen", "earlier", ""),
    ];
    let marks = |text: &str| -> Vec<(String, String)> {
        let imported = import(text.as_bytes());
        let events = imported.sessions[0].session.events.iter();
        let marked = events.filter_map(|event| {
            Some((event.id.to_string(), marks::of(event, marks::NOT_SENT)?.as_str()?.to_owned()))
        });
        marked.collect()
    };
    let pairs = |known: &[(&str, &str)]| -> Vec<(String, String)> {
        known.iter().map(|(id, by)| ((*id).to_owned(), (*by).to_owned())).collect()
    };
    let named = [("plugin", "plugin:guard"), ("cut in", "plugin:guard")];
    let all = [named[0], ("rewritten", "run"), ("failed", "run"), named[1]];
    assert_eq!(marks(&lines.join("\n")), pairs(&all));
    // What is lost may be requests.
    let lossy = format!("{}\n{}", lines.join("\n"), r#"{"record":"gap","time":3.0,"lost":2}"#);
    assert_eq!(marks(&lossy), pairs(&named));
}
