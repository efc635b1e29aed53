//! Following a file, whatever its writer does to it.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use strata_app::Strata;
use tempfile::TempDir;

use crate::{ask, compiled, import, refuse, start, wait_until};

/// A file that an agent writes, and a Strata that follows it.
struct Followed {
    folder: TempDir,
    path: PathBuf,
    strata: Arc<Strata>,
    session: String,
}

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../strata-import/samples")
}

fn lines(name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(samples().join(name)).expect("a sample");
    text.lines().map(|line| format!("{line}\n")).collect()
}

/// A conversation in a log of requests: they all call themselves the same.
fn logged(question: &str, n: usize) -> Vec<String> {
    let mut messages = vec![json!({"role": "user", "content": question})];
    let mut log = Vec::new();
    for at in 0..n {
        let answer = format!("{question} Answer {at}.");
        log.push(format!(
            "{}\n",
            json!({
                "request": {"model": "gpt-5-mini", "messages": messages},
                "response": {
                    "id": format!("{question} {at}"), "object": "chat.completion", "model": "gpt-5-mini",
                    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer}}],
                    "usage": {"prompt_tokens": 10 + at, "completion_tokens": 3, "total_tokens": 13 + at},
                },
            })
        ));
        messages.push(json!({"role": "assistant", "content": answer}));
        messages.push(json!({"role": "user", "content": format!("And {at}?")}));
    }
    log
}

impl Followed {
    fn new(lines: &[String]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("agent.jsonl");
        std::fs::write(&path, lines.concat()).expect("a file");
        let strata = start();
        let job = import(&strata, &path);
        let session = job["sessions"][0]["session"].as_str().expect("a session").to_owned();
        let state = ask(&strata, "session/follow", &json!({"session": session, "isOn": true}));
        assert_eq!(state, json!({"isOn": true, "problem": null, "impossible": null}));
        Self { folder, path, strata, session }
    }

    fn append(&self, text: &str) {
        let mut file = OpenOptions::new().append(true).open(&self.path).expect("the file");
        file.write_all(text.as_bytes()).expect("room");
    }

    fn header(&self) -> Value {
        ask(&self.strata, "session/header", &json!({"session": self.session}))
    }

    fn sessions(&self) -> Vec<Value> {
        let list =
            ask(&self.strata, "session/list", &json!({"filter": "agent.jsonl", "offset": 0, "limit": 9}));
        list["rows"].as_array().expect("rows").clone()
    }

    /// Waits until the session is what importing these lines at once gives.
    #[track_caller]
    fn holds(&self, lines: &[String]) {
        let whole = Self::events_of(lines);
        wait_until(|| self.events() == whole);
    }

    fn events(&self) -> Vec<Value> {
        events(&self.strata, &self.session)
    }

    fn events_of(lines: &[String]) -> Vec<Value> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("agent.jsonl");
        std::fs::write(&path, lines.concat()).expect("a file");
        let strata = start();
        let job = import(&strata, &path);
        events(&strata, job["sessions"][0]["session"].as_str().expect("a session"))
    }

    /// The session the file was begun anew with.
    fn begun(&self) -> String {
        let mut other = None;
        wait_until(|| {
            let sessions = self.sessions();
            other = sessions.iter().find(|row| row["session"] != *self.session).cloned();
            other.is_some()
        });
        let other = other.expect("another session");
        other["session"].as_str().expect("an id").to_owned()
    }
}

/// Who said what, of all events.
fn events(strata: &Arc<Strata>, session: &str) -> Vec<Value> {
    let header = ask(strata, "session/header", &json!({"session": session}));
    let n = header["events"].as_u64().expect("a number");
    let event = |at| ask(strata, "event/get", &json!({"session": session, "event": at}));
    (1..=n).map(event).map(|event| json!([event["title"], event["content"]])).collect()
}

#[test]
fn what_is_appended_is_there_line_by_line() {
    let lines = lines("claude-code.jsonl");
    let followed = Followed::new(&lines[..8]);
    for line in &lines[8..] {
        followed.append(line);
    }
    followed.holds(&lines);
    assert_eq!(followed.sessions().len(), 1);
    assert!(followed.header()["follow"]["isOn"] == true);
}

#[test]
fn what_is_known_of_a_session_and_its_experiments_goes_on_when_it_grows() {
    let lines = logged("What is the rate?", 12);
    let followed = Followed::new(&lines[..8]);
    let strata = &followed.strata;
    wait_until(|| followed.header()["compiledCalls"] == 8);
    let experiment =
        ask(strata, "experiment/create", &json!({"session": followed.session}))["experiment"].clone();
    let edits = json!([{"edit": "drop_event", "event": 3}]);
    ask(strata, "experiment/edit", &json!({"experiment": experiment, "edits": edits}));
    for (at, line) in lines.iter().enumerate().skip(8) {
        followed.append(line);
        wait_until(|| {
            let header = followed.header();
            // Calls that were compiled once stay compiled.
            assert!(header["compiledCalls"].as_u64() >= Some(at as u64), "{header}");
            header["compiledCalls"] == at + 1
        });
    }

    let whole = Followed::new(&lines);
    let other =
        ask(&whole.strata, "experiment/create", &json!({"session": whole.session}))["experiment"].clone();
    ask(&whole.strata, "experiment/edit", &json!({"experiment": other, "edits": edits}));
    let bill = |strata: &Arc<Strata>, session: &Value| {
        compiled(strata, session.as_str().expect("an id"))["bill"].clone()
    };
    assert_eq!(bill(strata, &json!(followed.session)), bill(&whole.strata, &json!(whole.session)));
    assert_eq!(bill(strata, &experiment), bill(&whole.strata, &other));
}

/// What a person sees of a session: what it cost, its rows, its last call, what broke and what was found.
fn shown(strata: &Arc<Strata>, session: &str) -> Vec<(&'static str, Value)> {
    let header = compiled(strata, session);
    let mut views = vec![
        ("event/page", json!({"filter": "", "order": "byLifetime", "offset": 0, "limit": 1_000})),
        ("event/page", json!({"filter": "", "order": "inOrder", "offset": 0, "limit": 1_000})),
        ("cache/breaks", json!({"order": "byCost", "offset": 0, "limit": 1_000})),
        ("findings/list", json!({})),
    ];
    if header["calls"] != 0 {
        views.push(("call/get", json!({"call": header["calls"]})));
    }
    let mut shown = vec![("bill", header["bill"].clone())];
    for (view, mut question) in views {
        question["session"] = json!(session);
        let mut answer = Value::Null;
        wait_until(|| {
            answer = ask(strata, view, &question);
            answer["isComplete"] != false
        });
        shown.push((view, answer));
    }
    shown
}

/// Somebody looks while a sample is written, some lines at a time, and sees what those see who open it then.
#[track_caller]
fn looks_as_it_is(sample: &str, step: usize) {
    let lines = lines(sample);
    let followed = Followed::new(&lines[..step]);
    shown(&followed.strata, &followed.session);
    for from in (step..lines.len()).step_by(step) {
        let so_far = &lines[..(from + step).min(lines.len())];
        followed.append(&so_far[from..].concat());
        followed.holds(so_far);
        let whole = Followed::new(so_far);
        let (seen, expected) =
            (shown(&followed.strata, &followed.session), shown(&whole.strata, &whole.session));
        assert_eq!(seen, expected, "{sample} with {} lines", so_far.len());
    }
}

#[test]
fn what_grew_looks_as_if_it_was_opened_whole() {
    for (sample, step) in [
        ("claude-code.jsonl", 5),
        ("claude-code-journal.jsonl", 9),
        ("claude-code-rewinds.jsonl", 3),
        ("codex.jsonl", 7),
        ("litellm.jsonl", 2),
    ] {
        looks_as_it_is(sample, step);
    }
}

#[test]
fn a_request_that_is_written_behind_its_answer_is_what_its_call_rests_on() {
    let lines = lines("claude-code-journal.jsonl");
    let late = lines.iter().position(|line| line.contains(r#""id":"r2""#)).expect("a request");
    let followed = Followed::new(&lines[..late]);
    let basis = |call: u32| {
        ask(&followed.strata, "call/get", &json!({"session": followed.session, "call": call}))["requestBasis"]
            .clone()
    };
    // The attempt that failed before the first is no call of its own.
    assert_eq!([basis(1), basis(2)], ["recorded", "recompiled"]);
    followed.append(&lines[late]);
    wait_until(|| basis(2) == "recorded");
    for line in &lines[late + 1..] {
        followed.append(line);
    }
    followed.holds(&lines);
    assert!((1..=5).all(|call| basis(call) == "recorded"));
}

#[test]
fn a_line_that_is_written_in_two_goes_is_read_once() {
    let lines = lines("claude-code.jsonl");
    let followed = Followed::new(&lines[..8]);
    let (begin, end) = lines[8].split_at(lines[8].len() / 2);
    followed.append(&lines[8 - 1]);
    followed.append(begin);
    std::thread::sleep(std::time::Duration::from_millis(400));
    followed.append(end);
    followed.append(&lines[9..].concat());
    let mut whole = lines.clone();
    whole.insert(8, lines[7].clone());
    followed.holds(&whole);
    assert_eq!(followed.sessions().len(), 1);
}

#[test]
fn a_file_that_is_written_beside_and_put_in_its_place_is_the_same_session() {
    let lines = logged("What is the rate?", 4);
    let followed = Followed::new(&lines[..2]);
    let beside = followed.folder.path().join("agent.tmp");
    std::fs::write(&beside, lines.concat()).expect("room");
    std::fs::rename(&beside, &followed.path).expect("a rename");
    followed.holds(&lines);
    assert_eq!(followed.sessions().len(), 1);
}

#[test]
fn a_file_that_is_emptied_and_written_again_is_the_same_session() {
    let lines = logged("What is the rate?", 4);
    let followed = Followed::new(&lines[..3]);
    std::fs::write(&followed.path, "").expect("room");
    std::thread::sleep(std::time::Duration::from_millis(400));
    followed.append(&lines[0]);
    std::thread::sleep(std::time::Duration::from_millis(400));
    assert_eq!(followed.events(), Followed::events_of(&lines[..3]), "what was there stays");
    followed.append(&lines[1..].concat());
    followed.holds(&lines);
    assert_eq!(followed.sessions().len(), 1);
}

/// Another conversation is put in the place of one, and goes on.
#[track_caller]
fn begins_anew(lines: &[String], anew: &[String], at: &str) {
    let followed = Followed::new(lines);
    let mut told = followed.strata.subscribe();
    let (first, rest) = anew.split_at(anew.len() - 1);
    std::fs::write(&followed.path, first.concat()).expect("room");
    let begun = followed.begun();
    let header = ask(&followed.strata, "session/header", &json!({"session": begun}));
    assert!(header["source"].as_str().is_some_and(|source| source.ends_with(at)), "{header}");
    assert_eq!(header["follow"]["isOn"], true);
    assert_eq!(events(&followed.strata, &begun), Followed::events_of(first));
    assert_eq!(followed.events(), Followed::events_of(lines), "what was recorded stays");
    let told = std::iter::from_fn(|| told.try_next()).map(|told| serde_json::to_value(told).expect("JSON"));
    let told: Vec<Value> = told.filter(|told| told["type"] == "begun").collect();
    assert_eq!(told, [json!({"type": "begun", "session": begun, "after": [followed.session]})]);

    // It is the one that grows from now on.
    followed.append(&rest.concat());
    wait_until(|| events(&followed.strata, &begun) == Followed::events_of(anew));
    assert_eq!(followed.sessions().len(), 2);

    // To import the file again changes neither.
    import(&followed.strata, &followed.path);
    assert_eq!(followed.sessions().len(), 2);
    assert_eq!(followed.events(), Followed::events_of(lines));
    assert_eq!(events(&followed.strata, &begun), Followed::events_of(anew));

    // Without what was there before, the file is still followed; without what is there now it is not.
    let is_on = |session: &str| {
        ask(&followed.strata, "session/header", &json!({"session": session}))["follow"]["isOn"].clone()
    };
    if at.ends_with("(2)") {
        ask(&followed.strata, "session/remove", &json!({"session": followed.session}));
        assert_eq!(is_on(&begun), true);
    } else {
        ask(&followed.strata, "session/remove", &json!({"session": begun}));
        assert_eq!(is_on(&followed.session), false);
    }
}

#[test]
fn a_file_that_cannot_be_read_says_so_and_is_tried_again() {
    let lines = logged("What is the rate?", 3);
    let followed = Followed::new(&lines[..2]);
    followed.holds(&lines[..2]);
    let mut told = followed.strata.subscribe();
    std::fs::write(&followed.path, "what is this?").expect("room");
    let state = || followed.header()["follow"].clone();
    wait_until(|| state()["problem"].is_string());
    wait_until(|| {
        let mut told = std::iter::from_fn(|| told.try_next());
        told.any(|told| serde_json::to_value(told).expect("JSON")["type"] == "changed")
    });
    assert_eq!(state()["isOn"], true);
    std::fs::write(&followed.path, lines.concat()).expect("room");
    followed.holds(&lines);
    wait_until(|| state()["problem"].is_null());
}

#[test]
fn a_file_that_is_away_is_still_followed_until_that_is_stopped() {
    let lines = logged("What is the rate?", 3);
    let followed = Followed::new(&lines[..2]);
    std::fs::remove_file(&followed.path).expect("the file");
    assert_eq!(followed.header()["follow"], json!({"isOn": true, "problem": null, "impossible": null}));
    let off = ask(&followed.strata, "session/follow", &json!({"session": followed.session, "isOn": false}));
    assert_eq!(off["isOn"], false);
    assert!(
        off["impossible"].as_str().is_some_and(|why| why.contains("is not a file on this computer")),
        "{off}"
    );

    // Off and on again, it goes on.
    std::fs::write(&followed.path, lines.concat()).expect("room");
    for is_on in [true, false, true] {
        ask(&followed.strata, "session/follow", &json!({"session": followed.session, "isOn": is_on}));
    }
    followed.holds(&lines);
}

#[test]
fn a_file_that_is_begun_anew_is_another_session() {
    begins_anew(&logged("What is the rate?", 4), &logged("Who won?", 3), "agent.jsonl");
}

#[test]
fn another_conversation_of_the_same_name_is_kept_beside_the_first() {
    let lines = lines("claude-code.jsonl");
    let anew: Vec<String> =
        lines.iter().map(|line| line.replace("Why does the total", "How does the total")).collect();
    begins_anew(&lines, &anew, "agent.jsonl (2)");
}

#[test]
fn what_was_written_before_a_rotation_is_not_lost() {
    let lines = logged("What is the rate?", 4);
    let followed = Followed::new(&lines[..3]);
    followed.holds(&lines[..3]);
    // A writer keeps its file open over the rename.
    let mut writer = OpenOptions::new().append(true).open(&followed.path).expect("the file");
    std::thread::sleep(std::time::Duration::from_millis(600));
    std::fs::rename(&followed.path, followed.folder.path().join("agent.jsonl.1")).expect("a rename");
    writer.write_all(lines[3].as_bytes()).expect("room");
    let anew = logged("Who won?", 2);
    std::fs::write(&followed.path, anew.concat()).expect("room");
    let begun = followed.begun();
    assert_eq!(events(&followed.strata, &begun), Followed::events_of(&anew));
    assert_eq!(followed.events(), Followed::events_of(&lines));
}

#[test]
fn a_file_that_is_removed_and_comes_back_goes_on() {
    let lines = logged("What is the rate?", 4);
    let followed = Followed::new(&lines[..3]);
    std::fs::remove_file(&followed.path).expect("the file");
    std::thread::sleep(std::time::Duration::from_millis(400));
    assert_eq!(followed.events(), Followed::events_of(&lines[..3]));
    std::fs::write(&followed.path, lines.concat()).expect("room");
    followed.holds(&lines);
}

#[test]
fn a_database_is_followed_row_by_row() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("sessions.db");
    // Whoever writes is another program. In one process, to close a file would take the locks of a connection to it.
    let open = || rusqlite::Connection::open(&path).expect("a database");
    open()
        .execute_batch(
            "CREATE TABLE sessions (app_name TEXT, user_id TEXT, id TEXT, state TEXT, create_time REAL, update_time REAL);
             CREATE TABLE events (id TEXT, app_name TEXT, user_id TEXT, session_id TEXT, invocation_id TEXT,
                 timestamp REAL, event_data TEXT);
             CREATE TABLE app_states (app_name TEXT, state TEXT, update_time REAL);
             CREATE TABLE user_states (app_name TEXT, user_id TEXT, state TEXT, update_time REAL);
             INSERT INTO sessions VALUES ('desk', 'ada', 's1', '{}', 1.0, 1.0);",
        )
        .expect("tables");
    let say = |at: u32| {
        let (id, author) = (format!("e{at}"), if at % 2 == 1 { "user" } else { "desk" });
        let role = if at % 2 == 1 { "user" } else { "model" };
        let data = json!({
            "id": id, "author": author, "invocationId": "i1", "timestamp": f64::from(at),
            "content": {"role": role, "parts": [{"text": format!("Line {at}")}]},
        });
        let row = rusqlite::params![id, f64::from(at), data.to_string()];
        open()
            .execute("INSERT INTO events VALUES (?1, 'desk', 'ada', 's1', 'i1', ?2, ?3)", row)
            .expect("a row");
    };
    say(1);
    let strata = start();
    let job = import(&strata, &path);
    let session = job["sessions"][0]["session"].as_str().unwrap_or_else(|| panic!("{job}")).to_owned();
    ask(&strata, "session/follow", &json!({"session": session, "isOn": true}));
    for at in 2..=5 {
        say(at);
        wait_until(|| events(&strata, &session).len() == at as usize);
    }
}

#[test]
fn what_is_no_longer_followed_is_left_alone() {
    let lines = logged("What is the rate?", 4);
    let followed = Followed::new(&lines[..2]);
    followed.append(&lines[2]);
    followed.holds(&lines[..3]);
    let off = ask(&followed.strata, "session/follow", &json!({"session": followed.session, "isOn": false}));
    assert_eq!(off["isOn"], false);
    followed.append(&lines[3]);
    std::thread::sleep(std::time::Duration::from_millis(800));
    assert_eq!(followed.events(), Followed::events_of(&lines[..3]));
}

#[test]
fn what_has_no_file_says_so() {
    let strata = start();
    let session = ask(&strata, "app/start", &json!({}))["sampleSession"].clone();
    let (_, message) = refuse(&strata, "session/follow", &json!({"session": session, "isOn": true}));
    assert_eq!(message, "The sample comes with Strata. It has no file that could grow.");

    let upload =
        strata.receive_upload("chat.jsonl", &logged("Hm?", 1).concat().into_bytes()[..]).expect("an upload");
    let job = ask(
        &strata,
        "session/importUploads",
        &json!({"uploads": [{"upload": upload, "name": "chat.jsonl"}]}),
    )["job"]
        .clone();
    let mut session = Value::Null;
    wait_until(|| {
        let jobs = ask(&strata, "job/list", &json!({}));
        let job =
            jobs["jobs"].as_array().and_then(|jobs| jobs.iter().find(|known| known["job"] == job).cloned());
        session = job.unwrap_or_default()["sessions"][0]["session"].clone();
        !session.is_null()
    });
    let (_, message) = refuse(&strata, "session/follow", &json!({"session": session, "isOn": true}));
    assert_eq!(
        message,
        "chat.jsonl is not a file on this computer, or no longer. Open it by its path to follow it."
    );
}
