//! `strata import FOLDER`: many files at once.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::strata::{Computer, samples};

/// A folder with a file of each kind of outcome.
fn folder(computer: &Computer) -> PathBuf {
    let folder = computer.path("transcripts");
    fs::create_dir_all(folder.join("deeper")).unwrap();
    let weather = fs::read(samples().join("weather.session.json")).unwrap();
    fs::write(folder.join("a.json"), &weather).unwrap();
    fs::write(folder.join("deeper/b.json"), &weather).unwrap();
    fs::write(folder.join("notes.md"), "no session").unwrap();
    fs::write(folder.join("broken.db"), b"SQLite format 3\0 and nothing else").unwrap();
    folder
}

fn run_in_home(computer: &Computer, arguments: &str) -> crate::strata::Run {
    computer.command(arguments).current_dir(computer.path("")).output().unwrap().into()
}

#[test]
fn every_file_is_accounted_for_and_unchanged_ones_are_skipped() {
    let computer = Computer::new();
    let folder = folder(&computer);
    let import = || run_in_home(&computer, "import transcripts --json").document();
    let first = import();
    let counts = |document: &Value| {
        let files = &document["files"];
        let n_failed = files["failed"].as_array().unwrap().len();
        (files["imported"].clone(), files["unchanged"].clone(), files["withoutSession"].clone(), n_failed)
    };
    assert_eq!(counts(&first), (json!(2), json!(0), json!(1), 1), "{first}");
    let failed = &first["files"]["failed"][0];
    assert!(failed["path"].as_str().unwrap().ends_with("broken.db"), "{failed}");
    assert!(failed["reason"].as_str().unwrap().len() > 10, "{failed}");

    let second = import();
    assert_eq!(counts(&second), (json!(0), json!(2), json!(1), 1));
    assert_eq!(second["sessions"], first["sessions"], "the same sessions, with the same ids");

    let two = fs::read(samples().join("two.sessions.json")).unwrap();
    fs::write(folder.join("a.json"), two).unwrap();
    assert_eq!(counts(&import()), (json!(1), json!(1), json!(1), 1), "what changed is read again");
}

#[test]
fn a_person_reads_what_came_of_a_folder() {
    let computer = Computer::new();
    folder(&computer);
    let seen = run_in_home(&computer, "import transcripts").stdout;
    assert!(seen.contains("2 files imported, 0 unchanged, 1 without a session, 1 failed\n"), "{seen}");
    assert!(seen.contains("broken.db"), "{seen}");
}

#[test]
fn files_without_a_session_are_named_with_what_they_are() {
    let computer = Computer::new();
    let folder = folder(&computer);
    fs::write(folder.join("other.md"), "nothing either").unwrap();
    fs::write(folder.join("config.json"), r#"{"level":1}"#).unwrap();
    let document = run_in_home(&computer, "import transcripts --json").document();
    let mut left_out: Vec<_> = document["leftOut"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| {
            let name = file["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            (name, file["reason"].as_str().unwrap().to_owned())
        })
        .collect();
    left_out.sort();
    let expected = [
        ("config.json", "JSON of no known shape, with the keys level"),
        ("notes.md", "plain text"),
        ("other.md", "plain text"),
    ];
    assert_eq!(left_out, expected.map(|(name, reason)| (name.to_owned(), reason.to_owned())));
    let seen = run_in_home(&computer, "import transcripts").stderr;
    let told = "3 of 6 files in this folder hold no session and were left out: 2 are plain text: notes.md, other.md; 1 is JSON of no known shape: config.json.";
    assert!(seen.contains(told), "{seen}");
}

#[cfg(unix)]
#[test]
fn links_are_followed_once() {
    let computer = Computer::new();
    let folder = folder(&computer);
    let linked = computer.path("linked");
    fs::create_dir_all(&linked).unwrap();
    for (target, name) in
        [(&folder, "projects"), (&folder, "again"), (&linked, "circle"), (&folder.join("a.json"), "a.json")]
    {
        std::os::unix::fs::symlink(target, linked.join(name)).unwrap();
    }
    let document = run_in_home(&computer, "import linked --json").document();
    assert_eq!(document["sessions"].as_array().unwrap().len(), 2, "{document}");
    assert_eq!(document["files"]["imported"], json!(2), "{document}");
}

/// OpenHands keeps completions where a setting says, in a file each.
#[test]
fn completions_are_given_to_the_conversation_that_has_their_answers() {
    let computer = Computer::new();
    let folder = computer.path("openhands");
    fs::create_dir_all(folder.join("conversation/events")).unwrap();
    fs::create_dir_all(folder.join("a-log")).unwrap();
    let event = |number: u8, rest: &str| {
        let text = format!(r#"{{"id":"e{number}","timestamp":"2026-01-01T00:00:0{number}",{rest}}}"#);
        fs::write(folder.join(format!("conversation/events/event-0000{number}-x.json")), text).unwrap();
    };
    fs::write(folder.join("conversation/base_state.json"), r#"{"id":"c","agent":{},"workspace":{}}"#)
        .unwrap();
    event(
        0,
        r#""source":"user","kind":"MessageEvent","llm_message":{"role":"user","content":[{"type":"text","text":"hello"}]}"#,
    );
    event(
        1,
        r#""source":"agent","kind":"MessageEvent","llm_response_id":"r1","llm_message":{"role":"assistant","content":[{"type":"text","text":"hi"}]}"#,
    );
    let completion = r#"{"messages":[{"role":"user","content":"hello"}],"kwargs":{"model":"m"},"response":{"id":"r1","model":"m","choices":[{"message":{"role":"assistant","content":"hi"}}],"usage":{"prompt_tokens":9,"completion_tokens":2}}}"#;
    fs::write(folder.join("a-log/m-1.json"), completion).unwrap();
    let document = run_in_home(&computer, "import openhands --json").document();
    let sessions = document["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 1, "{document}");
    let codes: Vec<_> = document["diagnostics"].as_array().unwrap().iter().map(|it| &it["code"]).collect();
    assert!(codes.contains(&&json!("joined-trace")), "{document}");
}

/// Those before the software development kit have the ids of answers where they say which call of a function an action is.
#[test]
fn completions_are_given_to_older_conversations_too() {
    let computer = Computer::new();
    let folder = computer.path("openhands");
    fs::create_dir_all(folder.join("events")).unwrap();
    fs::create_dir_all(folder.join("kept-elsewhere/zeta")).unwrap();
    let events = [
        r#""source":"user","message":"list","action":"message","args":{"content":"list"}"#,
        r#""source":"agent","action":"run","args":{"command":"ls"},"tool_call_metadata":{"function_name":"execute_bash","tool_call_id":"c1","model_response":{"id":"r1","model":"m"}}"#,
        r#""source":"agent","observation":"run","content":"files","cause":1,"tool_call_metadata":{"function_name":"execute_bash","tool_call_id":"c1","model_response":{"id":"r1"}}"#,
    ];
    for (number, rest) in events.iter().enumerate() {
        let text = format!(r#"{{"id":{number},"timestamp":"2026-01-01T00:00:0{number}",{rest}}}"#);
        fs::write(folder.join(format!("events/{number}.json")), text).unwrap();
    }
    let completion = r#"{"messages":[{"role":"user","content":"list"}],"kwargs":{"model":"m"},"response":{"id":"r1","model":"m","choices":[{"message":{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"execute_bash","arguments":"{}"}}]}}],"usage":{"prompt_tokens":9,"completion_tokens":2}}}"#;
    fs::write(folder.join("kept-elsewhere/zeta/one.json"), completion).unwrap();
    let document = run_in_home(&computer, "import openhands --json").document();
    assert_eq!(document["sessions"].as_array().unwrap().len(), 1, "{document}");
    let codes: Vec<_> = document["diagnostics"].as_array().unwrap().iter().map(|it| &it["code"]).collect();
    assert!(codes.contains(&&json!("joined-trace")), "{document}");
}

/// What a folder has beside sessions takes no room from them.
#[test]
fn sessions_are_found_among_any_number_of_other_files() {
    let computer = Computer::new();
    let folder = computer.path("notes");
    fs::create_dir_all(&folder).unwrap();
    for number in 0..10_001 {
        fs::write(folder.join(format!("{number}.md")), "a note").unwrap();
    }
    fs::copy(samples().join("weather.session.json"), folder.join("z.json")).unwrap();
    let document = run_in_home(&computer, "import notes --json").document();
    assert_eq!(document["files"]["imported"], json!(1), "{document}");
    assert_eq!(document["leftOut"].as_array().unwrap().len(), 10_001);
    let told = document["diagnostics"][0]["message"].as_str().unwrap();
    assert!(told.ends_with("left out: 10001 are plain text: 0.md, 1.md, 10.md and 9998 more."), "{told}");
}

#[test]
fn what_is_said_of_many_files_alike_is_said_once() {
    let computer = Computer::new();
    let folder = computer.path("claude");
    fs::create_dir_all(&folder).unwrap();
    for name in ["a", "b", "c"] {
        let record = |kind: &str, uuid: &str, parent: &str, message: &str| {
            format!(
                r#"{{"type":"{kind}","uuid":"{uuid}","parentUuid":{parent},"sessionId":"{name}","version":"1.0.0","timestamp":"2026-01-01T00:00:00Z","message":{message}}}"#
            )
        };
        let usage = r#"{"role":"assistant","id":"m","content":[{"type":"text","text":"yes"}],"usage":{"input_tokens":9,"output_tokens":1}}"#;
        let lines = [
            record("user", "u", "null", r#"{"role":"user","content":"hi"}"#),
            record("assistant", "v", r#""u""#, usage),
        ];
        fs::write(folder.join(format!("{name}.jsonl")), lines.join("\n")).unwrap();
    }
    let document = run_in_home(&computer, "import claude --json").document();
    let [told] = &document["diagnostics"].as_array().unwrap()[..] else { panic!("one note: {document}") };
    assert_eq!(told["code"], json!("output-under-reported"));
    assert!(told["message"].as_str().unwrap().ends_with("(a.jsonl and 2 other files)."), "{told}");
}

#[test]
fn what_was_kept_is_said_only_where_something_was() {
    let computer = Computer::new();
    let import = |name: &str, text: &str| {
        fs::write(computer.path(name), text).unwrap();
        let document = run_in_home(&computer, &format!("import {name} --json")).document();
        let told = document["diagnostics"].as_array().unwrap().iter().map(|it| it["message"].to_string());
        (document["sessions"].as_array().unwrap().len(), told.collect::<String>())
    };
    let (n_sessions, told) = import("Cut.json", r#"[{"role":"user","content":"hi"},{"role":"assistant","#);
    assert_eq!(n_sessions, 1, "{told}");
    assert!(told.contains("was kept"), "{told}");
    let (n_sessions, told) = import("Nothing.json", r#"{"messages":[{"role":"us"#);
    assert_eq!(n_sessions, 0);
    assert!(!told.contains("before it was kept") && !told.contains("what was read was kept"), "{told}");
}

#[test]
fn a_transcript_is_known_behind_a_first_record_of_any_length() {
    let computer = Computer::new();
    let queued = format!(
        r#"{{"type":"queue-operation","operation":"enqueue","content":"{}","sessionId":"s"}}"#,
        "x".repeat(300_000)
    );
    let typed = r#"{"type":"user","uuid":"u","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"hi"}}"#;
    fs::write(computer.path("long.jsonl"), [queued.as_str(), typed].join("\n")).unwrap();
    let document = run_in_home(&computer, "import long.jsonl --json").document();
    assert_eq!(document["sessions"][0]["format"], json!("claude-code-jsonl"), "{document}");
    assert_eq!(document["sessions"][0]["userTurns"], json!(1));
}

#[test]
fn every_turn_of_an_evaluation_set_is_counted() {
    let computer = Computer::new();
    let set = r#"{"name":"dice","data":[{"query":"roll","reference":"3"},{"query":"again","reference":"4"}],"initial_state":{}}"#;
    fs::write(computer.path("dice.evalset.json"), set).unwrap();
    let document = run_in_home(&computer, "import dice.evalset.json --json").document();
    let session = &document["sessions"][0];
    assert_eq!((&session["invocations"], &session["userTurns"]), (&json!(2), &json!(2)), "{document}");
}
