//! What was really sent: stored with its session, shown as the truth, compared with what is compiled.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use strata_app::{Host, Options, Strata};

use crate::{ask, compiled, import, refuse, start};

fn sample_file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../strata-import/samples").join(name)
}

/// Imports a file and opens its only session, all of it compiled.
pub(super) fn open(strata: &Arc<Strata>, path: &Path) -> String {
    let job = import(strata, path);
    let session = job["sessions"][0]["session"].as_str().unwrap_or_else(|| panic!("{job}")).to_owned();
    compiled(strata, &session);
    session
}

fn stages(strata: &Arc<Strata>, session: &str, call: u32) -> Vec<Value> {
    let list = ask(strata, "call/stages", &json!({ "session": session, "call": call }));
    list["rows"].as_array().expect("rows").clone()
}

const CHAT: &str = concat!(
    r#"{"request":{"model":"gpt-4o","messages":[{"role":"system","content":"You are terse."},{"role":"user","content":"Capital of France?"}],"tools":[{"type":"function","function":{"name":"look_up","description":"Looks a word up","parameters":{"type":"object"}}}]},"response":{"id":"r1","object":"chat.completion","model":"gpt-4o","choices":[{"message":{"role":"assistant","content":"Paris."},"finish_reason":"stop"}],"usage":{"prompt_tokens":60,"completion_tokens":3,"total_tokens":63}}}"#,
    "\n",
    r#"{"request":{"model":"gpt-4o","messages":[{"role":"system","content":"You are terse."},{"role":"user","content":"Capital of France?"},{"role":"assistant","content":"Paris."},{"role":"user","content":"And of Spain?"}],"tools":[{"type":"function","function":{"name":"look_up","description":"Looks a word up","parameters":{"type":"object"}}}]},"response":{"id":"r2","object":"chat.completion","model":"gpt-4o","choices":[{"message":{"role":"assistant","content":"Madrid."},"finish_reason":"stop"}],"usage":{"prompt_tokens":80,"completion_tokens":3,"total_tokens":83}}}"#,
    "\n"
);

pub(super) fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

#[test]
fn a_recorded_request_is_what_a_call_rests_on() {
    let folder = tempfile::tempdir().expect("a folder");
    let strata = start();
    let session = open(&strata, &write(folder.path(), "chat.jsonl", CHAT));
    let rows = stages(&strata, &session, 2);
    let (sent, before) = (&rows[rows.len() - 1], &rows[rows.len() - 2]);
    assert_eq!((&sent["processor"], &sent["isRecorded"]), (&json!("recorded"), &json!(true)));
    assert_eq!(before["isRecorded"], false);
    // Its system text is said once, beside the messages, as it was sent.
    assert_eq!(before["tokensAfter"], sent["tokensAfter"], "{rows:#?}");
    assert_eq!(sent["removedTokens"], 0);

    let call = ask(&strata, "call/get", &json!({ "session": session, "call": 2 }));
    assert_eq!(call["requestBasis"], "recorded");
    // The system prompt and the tool are in no event as such; they are in what was sent.
    let kinds: Vec<&str> = call["byKind"]
        .as_array()
        .expect("kinds")
        .iter()
        .map(|kind| kind["kind"].as_str().expect("a kind"))
        .collect();
    assert!(kinds.contains(&"tools") && kinds.contains(&"system"), "{kinds:?}");

    let stage = rows.len();
    let text = |stage: usize| {
        let params = json!({ "session": session, "call": 2, "stage": stage, "offset": 0, "limit": 100 });
        let page = ask(&strata, "call/text", &params);
        let segments = page["segments"].as_array().expect("segments").clone();
        segments
            .iter()
            .map(|segment| segment["text"].as_str().expect("a text").to_owned())
            .collect::<Vec<_>>()
    };
    assert!(text(stage).iter().any(|text| text.contains("You are terse.")));
    let params = json!({ "session": session, "call": 2, "stage": stage, "offset": 0, "limit": 10_000 });
    let body: Value =
        serde_json::from_str(ask(&strata, "call/json", &params)["text"].as_str().expect("JSON"))
            .expect("JSON");
    let line: Value = serde_json::from_str(CHAT.lines().nth(1).expect("a line")).expect("JSON");
    assert_eq!(body, line["request"], "the body as it was sent");

    // What the agent sent in its requests is its configuration, so that there is something to change in it.
    let made = |processor: &str| {
        let row = rows.iter().find(|row| row["processor"] == processor).expect("the stage");
        row["isChanged"] == true
    };
    assert!(made("instructions") && made("agent_tools"), "{rows:#?}");
}

#[test]
fn parts_of_a_recorded_request_are_of_the_events_they_were_said_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let strata = start();
    let session = open(&strata, &write(folder.path(), "chat.jsonl", CHAT));
    let stage = stages(&strata, &session, 2).len();
    let params = json!({ "session": session, "call": 2, "stage": stage, "offset": 0, "limit": 100 });
    let page = ask(&strata, "call/text", &params);
    let of = |said: &str| {
        let segments = page["segments"].as_array().expect("segments");
        let found = segments.iter().find(|segment| segment["text"] == said);
        found.unwrap_or_else(|| panic!("{said}: {page:#}"))["from"].as_str().expect("a source").to_owned()
    };
    assert!(of("Paris.").starts_with('E') && of("And of Spain?").starts_with('E'));
    // What the second request repeats is in the prefix of the first.
    let call = ask(&strata, "call/get", &json!({ "session": session, "call": 2 }));
    assert_eq!(call["prefixBreak"], Value::Null);
}

#[test]
fn what_is_tried_out_starts_from_what_was_sent() {
    let folder = tempfile::tempdir().expect("a folder");
    let strata = start();
    let session = open(&strata, &write(folder.path(), "chat.jsonl", CHAT));
    let effect = ask(
        &strata,
        "experiment/preview",
        &json!({ "session": session, "call": 2, "edits": [{ "edit": "pin_event", "event": 1 }], "withoutLast": 0 }),
    );
    assert_eq!(effect["thisCall"]["tokensBefore"], effect["thisCall"]["tokensAfter"]);
    assert_eq!(effect["allCalls"]["callsChanged"], 0, "an edit that changes nothing has no effect");
    let made = ask(&strata, "experiment/create", &json!({ "session": session, "name": "Other words" }));
    let experiment = made["experiment"].as_str().expect("an id");
    assert_eq!(bases(&strata, experiment), ["recorded", "recorded"], "nothing is changed yet");
    let content = json!({ "role": "user", "parts": [{ "text": "Something else?" }] });
    let edits = json!([{ "edit": "edit_event", "event": 2, "content": content }]);
    ask(&strata, "experiment/edit", &json!({ "experiment": experiment, "edits": edits }));
    assert_eq!(bases(&strata, experiment), ["recompiled", "recompiled"], "this was not sent");
    let stage = stages(&strata, experiment, 2).len();
    let params = json!({ "session": experiment, "call": 2, "stage": stage, "offset": 0, "limit": 10_000 });
    let request = ask(&strata, "call/json", &params)["text"].as_str().expect("JSON").to_owned();
    assert!(request.contains("Something else?") && request.contains("You are terse."), "{request}");
}

/// A session of ADK, and a trace of it whose spans have the ids of its answers.
fn adk(folder: &Path) -> (PathBuf, PathBuf) {
    let session = json!({
        "id": "s-1", "appName": "weather", "userId": "u",
        "events": [
            { "id": "u-1", "author": "user", "invocationId": "e-1", "timestamp": 1.0,
              "content": { "role": "user", "parts": [{ "text": "Weather in Paris?" }] } },
            { "id": "ev-1", "author": "weather", "invocationId": "e-1", "timestamp": 2.0,
              "content": { "role": "model", "parts": [{ "text": "Sunny." }] },
              "usageMetadata": { "promptTokenCount": 50, "candidatesTokenCount": 2, "totalTokenCount": 52 } },
            { "id": "u-2", "author": "user", "invocationId": "e-2", "timestamp": 3.0,
              "content": { "role": "user", "parts": [{ "text": "And in Rome?" }] } },
            { "id": "ev-2", "author": "weather", "invocationId": "e-2", "timestamp": 4.0,
              "content": { "role": "model", "parts": [{ "text": "Rainy." }] },
              "usageMetadata": { "promptTokenCount": 60, "candidatesTokenCount": 2, "totalTokenCount": 62 } }
        ]
    });
    let span = |id: u32, event: &str, said: &[(&str, &str)], answer: &str| {
        let contents: Vec<Value> =
            said.iter().map(|(role, text)| json!({ "role": role, "parts": [{ "text": text }] })).collect();
        let request = json!({ "model": "gemini-2.5-flash",
            "config": { "system_instruction": "Speak of weather only." }, "contents": contents });
        let response = json!({ "content": { "role": "model", "parts": [{ "text": answer }] } });
        json!({
            "name": "call_llm", "span_id": id, "trace_id": 7, "parent_span_id": null,
            "start_time": u64::from(id) * 1_000_000_000, "end_time": u64::from(id) * 1_000_000_000 + 1000,
            "attributes": {
                "gen_ai.system": "gcp.vertex.agent", "gen_ai.operation.name": "generate_content",
                "gen_ai.request.model": "gemini-2.5-flash",
                "gcp.vertex.agent.session_id": "s-1", "gen_ai.conversation.id": "s-1",
                "gcp.vertex.agent.event_id": event, "gcp.vertex.agent.invocation_id": "e-1",
                "gcp.vertex.agent.llm_request": request.to_string(),
                "gcp.vertex.agent.llm_response": response.to_string()
            }
        })
    };
    let trace = json!([
        span(1, "ev-1", &[("user", "Weather in Paris?")], "Sunny."),
        span(
            2,
            "ev-2",
            &[("user", "Weather in Paris?"), ("model", "Sunny."), ("user", "And in Rome?")],
            "Rainy."
        )
    ]);
    (
        write(folder, "weather.session.json", &session.to_string()),
        write(folder, "weather.trace.json", &trace.to_string()),
    )
}

pub(super) fn bases(strata: &Arc<Strata>, session: &str) -> Vec<String> {
    let basis = |call: u32| {
        let call = ask(strata, "call/get", &json!({ "session": session, "call": call }));
        call["requestBasis"].as_str().expect("a basis").to_owned()
    };
    vec![basis(1), basis(2)]
}

#[test]
fn a_trace_is_joined_to_its_session_whichever_comes_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let (session_file, trace_file) = adk(folder.path());
    for trace_first in [false, true] {
        let strata = start();
        if trace_first {
            import(&strata, &trace_file);
        }
        let session = open(&strata, &session_file);
        if !trace_first {
            assert_eq!(bases(&strata, &session), ["recompiled", "recompiled"]);
            let job = import(&strata, &trace_file);
            assert!(job["diagnostics"].to_string().contains("joined-trace"), "{job:#}");
            assert_eq!(job["sessions"][0]["session"], *session, "it is no session of its own");
            compiled(&strata, &session);
        }
        assert_eq!(bases(&strata, &session), ["recorded", "recorded"], "trace first: {trace_first}");
        // Imported again, the session keeps what was joined to it.
        std::fs::write(&session_file, std::fs::read_to_string(&session_file).expect("text") + "\n")
            .expect("written");
        open(&strata, &session_file);
        assert_eq!(bases(&strata, &session), ["recorded", "recorded"]);
    }
}

#[test]
fn a_folder_with_both_is_joined_in_one_gesture() {
    let folder = tempfile::tempdir().expect("a folder");
    adk(folder.path());
    let strata = start();
    let job = import(&strata, folder.path());
    assert_eq!(job["sessions"].as_array().map(Vec::len), Some(1), "{job:#}");
    let session = job["sessions"][0]["session"].as_str().expect("a session").to_owned();
    compiled(&strata, &session);
    assert_eq!(bases(&strata, &session), ["recorded", "recorded"]);
}

#[test]
fn captured_requests_are_joined_to_the_client_s_own_transcript_whichever_comes_first() {
    let folder = tempfile::tempdir().expect("a folder");
    let id = "5a7c1e52-0d8a-4a8e-9f6e-1f2b3c4d5e6f";
    let line = |n: u32, kind: &str, message: Value| {
        json!({ "type": kind, "sessionId": id, "uuid": format!("u{n}"), "version": "2.1.197", "cwd": "/w",
            "timestamp": format!("2026-11-26T10:00:0{n}.000Z"), "parentUuid": (n > 1).then(|| format!("u{}", n - 1)),
            "message": message })
        .to_string()
            + "\n"
    };
    let answer = |id: &str, text: &str| {
        json!({ "id": id, "type": "message", "role": "assistant", "model": "claude-sonnet-5",
            "content": [{ "type": "text", "text": text }], "usage": { "input_tokens": 9, "output_tokens": 2 } })
    };
    let transcript = [
        line(1, "user", json!({ "role": "user", "content": "look it up" })),
        line(2, "assistant", answer("msg_02", "One moment.")),
        line(3, "user", json!({ "role": "user", "content": "and?" })),
        line(4, "assistant", answer("msg_05", "Done.")),
    ];
    let transcript_file = write(folder.path(), &format!("{id}.jsonl"), &transcript.concat());
    let capture_file = sample_file("capture.jsonl");
    for capture_first in [false, true] {
        let strata = start();
        if capture_first {
            import(&strata, &capture_file);
        }
        let session = open(&strata, &transcript_file);
        if !capture_first {
            assert_eq!(bases(&strata, &session), ["recompiled", "recompiled"]);
            let job = import(&strata, &capture_file);
            assert!(job["diagnostics"].to_string().contains("joined-trace"), "{job:#}");
            compiled(&strata, &session);
        }
        assert_eq!(bases(&strata, &session), ["recorded", "recorded"], "capture first: {capture_first}");
        let all = ask(&strata, "session/list", &json!({ "filter": "", "offset": 0, "limit": 9 }));
        assert_eq!(all["total"], 4, "what was captured is kept, too: {all:#}");
    }
}

#[test]
fn requests_are_added_to_an_open_session_or_refused_aloud() {
    let folder = tempfile::tempdir().expect("a folder");
    let (session_file, trace_file) = adk(folder.path());
    let strata = start();
    let session = open(&strata, &session_file);
    let (_, message) =
        refuse(&strata, "session/addRequests", &json!({ "session": session, "path": session_file }));
    assert!(message.contains("records no requests"), "{message}");
    let other = write(folder.path(), "chat.jsonl", CHAT);
    let (_, message) = refuse(&strata, "session/addRequests", &json!({ "session": session, "path": other }));
    assert!(message.contains("Nothing was added"), "{message}");
    let added = ask(&strata, "session/addRequests", &json!({ "session": session, "path": trace_file }));
    assert_eq!((&added["joined"], &added["left"]), (&json!(2), &json!(0)));
    compiled(&strata, &session);
    assert_eq!(bases(&strata, &session), ["recorded", "recorded"]);
}

#[test]
fn an_exported_session_brings_its_requests_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let strata = start();
    let session = open(&strata, &write(folder.path(), "chat.jsonl", CHAT));
    let params = json!({ "session": session, "as": "session", "masksSecrets": true });
    let exported = ask(&strata, "experiment/export", &params);
    let path = write(folder.path(), "back.session.json", exported["text"].as_str().expect("a text"));
    let back = open(&strata, &path);
    assert_eq!(bases(&strata, &back), ["recorded", "recorded"]);
}

fn zip(path: &Path, members: &[(&str, &[u8])]) {
    let mut archive = zip::ZipWriter::new(std::fs::File::create(path).expect("a file"));
    for (name, bytes) in members {
        archive.start_file(*name, zip::write::SimpleFileOptions::default()).expect("a member");
        archive.write_all(bytes).expect("written");
    }
    archive.finish().expect("an archive");
}

#[test]
fn archives_are_read_like_folders() {
    let folder = tempfile::tempdir().expect("a folder");
    let read = |name: &str| std::fs::read(sample_file(name)).expect("a sample");
    let members =
        [("a/one.jsonl", read("claude-code.jsonl")), ("../../two.json", read("adk-saved-session.json"))];
    let plain: Vec<(&str, &[u8])> = members.iter().map(|(name, bytes)| (*name, &**bytes)).collect();
    let packed = folder.path().join("all.zip");
    zip(&packed, &[&plain[..], &[("notes.txt", b"no session")]].concat());

    let mut tar = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(members[0].1.len() as u64);
    header.set_mode(0o644);
    header.set_cksum();
    tar.append_data(&mut header, "a/one.jsonl", &*members[0].1).expect("a member");
    let tar = tar.into_inner().expect("an archive");
    let gz = |bytes: &[u8]| {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(bytes).expect("packed");
        gz.finish().expect("packed")
    };
    for (name, bytes, n_sessions) in [
        ("all.zip", std::fs::read(&packed).expect("a file"), 2),
        ("one.tar", tar.clone(), 1),
        ("one.tgz", gz(&tar), 1),
        ("one.jsonl.gz", gz(&members[0].1), 1),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("a file");
        let strata = start();
        let job = import(&strata, &path);
        let sessions = job["sessions"].as_array().expect("sessions");
        assert_eq!(sessions.len(), n_sessions, "{name}: {job:#}");
        let source = sessions[0]["source"].as_str().expect("a source");
        assert!(source.contains(&format!("{name}!/")) && !source.contains(".."), "{source}");
        let again = import(&strata, &path);
        assert!(again["outcome"].as_str().expect("an outcome").contains("unchanged"), "{again:#}");
    }
    assert!(!folder.path().parent().expect("a parent").join("two.json").exists());
}

#[test]
fn archives_that_do_harm_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let zeros = vec![b' '; 300 << 20];
    let bomb = folder.path().join("bomb.zip");
    zip(&bomb, &[("big.json", &zeros)]);
    let broken = folder.path().join("broken.zip");
    let bytes = std::fs::read(&bomb).expect("a file");
    std::fs::write(&broken, &bytes[..bytes.len() / 2]).expect("a file");
    let strata = start();
    for (path, said) in [(bomb, "would be larger than 256 MB"), (broken, "cannot be read")] {
        let job = import(&strata, &path);
        assert_eq!(job["state"], "failed", "{job:#}");
        assert!(job["outcome"].as_str().expect("an outcome").contains(said), "{job:#}");
    }
}

#[test]
fn secrets_are_masked_where_it_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let token = format!("ghp_{}", "a1B2".repeat(9));
    let said = CHAT.replace("Capital of France?", &format!("Use {token} please"));
    let strata = start();
    let session = open(&strata, &write(folder.path(), "secret.jsonl", &said));
    let export = |masks: bool| {
        ask(
            &strata,
            "experiment/export",
            &json!({ "session": session, "as": "session", "masksSecrets": masks }),
        )
    };
    assert!(export(false)["text"].as_str().expect("a text").contains(&token));
    let masked = export(true);
    let text = masked["text"].as_str().expect("a text");
    assert!(!text.contains(&token) && text.contains("‹redacted: GitHub token›"));
    let message = masked["diagnostics"].to_string();
    assert!(message.contains("secrets masked") && message.contains("GitHub token"), "{message}");

    let stage = stages(&strata, &session, 2).len();
    let answers = || {
        let call = json!({ "session": session, "call": 2, "stage": stage, "offset": 0, "limit": 5000 });
        let texts = ["call/text", "call/json"].map(|name| ask(&strata, name, &call).to_string());
        let event = ask(&strata, "event/get", &json!({ "session": session, "event": 2 })).to_string();
        let part =
            json!({ "session": session, "address": "E2/0", "stage": null, "offset": 0, "limit": 5000 });
        (texts.concat() + &event, ask(&strata, "part/text", &part))
    };
    let (shown, part) = answers();
    assert!(shown.contains(&token), "{shown}");
    let mut settings = ask(&strata, "app/start", &json!({}))["settings"].clone();
    settings["masksSecrets"] = json!(true);
    ask(&strata, "app/setSettings", &json!({ "settings": settings }));
    let (masked, masked_part) = answers();
    assert!(!masked.contains(&token), "{masked}");
    assert!(
        masked_part["text"].as_str().expect("a text").contains("redacted: GitHub token"),
        "{masked_part}"
    );
    assert_eq!(masked_part["tokenEnds"], part["tokenEnds"], "tokens are those of the text itself");
    assert_eq!(masked_part["totalLength"], part["totalLength"]);

    // What is shown is not what is stored: edited as it is shown, the secret would be gone for good.
    let event = ask(&strata, "event/get", &json!({ "session": session, "event": 2 }));
    let content: Value = serde_json::from_str(event["content"].as_str().expect("a content")).expect("JSON");
    let made = ask(&strata, "experiment/create", &json!({ "session": session, "name": "Masks" }));
    let edit = json!({ "edit": "edit_event", "event": 2, "content": content });
    let params = json!({ "experiment": made["experiment"], "edits": [edit], "replacesLast": false });
    let (_, message) = refuse(&strata, "experiment/edit", &params);
    assert!(message.starts_with("This text has a masked secret in it"), "{message}");
    settings["masksSecrets"] = json!(false);
    ask(&strata, "app/setSettings", &json!({ "settings": settings }));
    ask(&strata, "experiment/edit", &params);
}

#[test]
fn a_stored_session_has_its_requests_after_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = folder.path().join("strata.db");
    let start = || {
        let options = Options {
            host: Host::Browser,
            database: Some(database.clone()),
            open: Vec::new(),
            runtime: strata_testkit::runtime(),
        };
        Strata::start(options).expect("a store opens")
    };
    let session = open(&start(), &write(folder.path(), "chat.jsonl", CHAT));
    let strata = start();
    compiled(&strata, &session);
    assert_eq!(bases(&strata, &session), ["recorded", "recorded"]);
}

#[test]
fn nothing_of_the_headers_of_requests_is_kept() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = folder.path().join("strata.db");
    let har = std::fs::read_to_string(sample_file("traffic.har")).expect("a sample");
    let headers = r#""headers": [{"name": "Cookie", "value": "session=crumbs"}, {"name": "X-Api-Key", "value": "short"}"#;
    let har = har.replace(r#""headers": ["#, &format!("{headers}, ")).replace(", ]", "]");
    assert!(har.contains("crumbs"));
    let options = Options {
        host: Host::Browser,
        database: Some(database.clone()),
        open: Vec::new(),
        runtime: strata_testkit::runtime(),
    };
    let strata = Strata::start(options).expect("a store opens");
    open(&strata, &write(folder.path(), "traffic.har", &har));
    drop(strata);
    for file in std::fs::read_dir(folder.path()).expect("a folder").flatten() {
        if file.file_name().to_string_lossy().starts_with("strata.db") {
            let bytes = std::fs::read(file.path()).expect("a file");
            assert!(!bytes.windows(6).any(|window| window == b"crumbs"), "{:?}", file.file_name());
        }
    }
}

#[test]
fn results_too_large_for_a_transcript_are_read_from_beside_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let line = |uuid: &str, parent: &str, kind: &str, message: &Value| {
        let parent = if parent.is_empty() { Value::Null } else { json!(parent) };
        json!({ "uuid": uuid, "parentUuid": parent, "isSidechain": false, "sessionId": "s1", "type": kind,
            "timestamp": "2026-01-27T23:13:36Z", "message": message })
        .to_string()
    };
    let output = |name: &str| {
        format!(
            "<persisted-output>\nOutput too large (35.8KB). Full output saved to: /home/ada/.claude/projects/p/s1/tool-results/{name}\n\nPreview (first 2KB):\nline 1"
        )
    };
    let call = |id: &str| {
        json!({ "role": "assistant", "id": id, "model": "claude-sonnet-5",
        "content": [{ "type": "tool_use", "id": id, "name": "Bash", "input": { "command": "ls" } }],
        "usage": { "input_tokens": 10, "output_tokens": 2 } })
    };
    let result = |id: &str, name: &str| {
        json!({ "role": "user",
        "content": [{ "type": "tool_result", "tool_use_id": id, "content": output(name) }] })
    };
    let text = [
        line("u1", "", "user", &json!({ "role": "user", "content": "List" })),
        line("a1", "u1", "assistant", &call("t1")),
        line("r1", "a1", "user", &result("t1", "b2a.txt")),
        line("a2", "r1", "assistant", &call("t2")),
        line("r2", "a2", "user", &result("t2", "gone.txt")),
    ];
    let path = write(folder.path(), "s1.jsonl", &text.join("\n"));
    let beside = folder.path().join("s1/tool-results");
    std::fs::create_dir_all(&beside).expect("a folder");
    write(&beside, "b2a.txt", "line 1\nline 2, which the model never saw\n");
    let strata = start();
    let job = import(&strata, &path);
    assert!(job["diagnostics"].to_string().contains("are not in `tool-results` beside it: 1"), "{job:#}");
    let session = job["sessions"][0]["session"].as_str().expect("a session");
    let exported = ask(
        &strata,
        "experiment/export",
        &json!({ "session": session, "as": "session", "masksSecrets": false }),
    );
    let saved: Value = serde_json::from_str(exported["text"].as_str().expect("a text")).expect("JSON");
    let event = &saved["events"][2];
    assert_eq!(
        event["customMetadata"]["fullOutput"]["b2a.txt"],
        "line 1\nline 2, which the model never saw\n"
    );
    assert!(event["content"].to_string().contains("Preview"), "the content is what the model was given");
}

/// Takes a sample of a folder of bodies apart into its files.
fn write_bodies(folder: &Path) {
    std::fs::create_dir(folder).expect("a folder");
    let text = std::fs::read_to_string(sample_file("claude-code-bodies.jsonl")).expect("a sample");
    let (files, index): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.starts_with(r#"{"file""#));
    std::fs::write(folder.join("index.jsonl"), index.join("\n")).expect("a file");
    for file in files {
        let file: Value = serde_json::from_str(file).expect("JSON");
        let name = file["file"].as_str().expect("a name");
        std::fs::write(folder.join(name), file["content"].to_string()).expect("a file");
    }
}

#[test]
fn a_folder_of_bodies_is_one_session_or_gives_its_requests_to_the_transcript() {
    let folder = tempfile::tempdir().expect("a folder");
    write_bodies(&folder.path().join("bodies"));
    let strata = start();
    let job = import(&strata, &folder.path().join("bodies"));
    assert_eq!(job["sessions"].as_array().map(Vec::len), Some(1), "{job}");
    let of_index = import(&start(), &folder.path().join("bodies/index.jsonl"));
    assert_eq!(of_index["sessions"].as_array().map(Vec::len), Some(1), "{of_index}");
    assert_eq!(
        of_index["diagnostics"], job["diagnostics"],
        "the bodies that an index names are read with it"
    );
    // Of a version that writes no requests into its transcripts.
    let text = std::fs::read_to_string(sample_file("claude-code-journal.jsonl")).expect("a sample");
    let lines: Vec<&str> = text.lines().filter(|line| !line.contains(r#""api-request"#)).collect();
    write(folder.path(), "transcript.jsonl", &lines.join("\n"));
    let strata = start();
    import(&strata, folder.path());
    let list = ask(&strata, "session/list", &json!({"filter": "", "offset": 0, "limit": 9}));
    let rows = list["rows"].as_array().expect("rows");
    let transcript = rows.iter().find(|row| row["format"] == "Claude Code transcript");
    let session = transcript.expect("the transcript")["session"].as_str().expect("an id").to_owned();
    compiled(&strata, &session);
    let basis = |call: u32| {
        ask(&strata, "call/get", &json!({ "session": session, "call": call }))["requestBasis"].clone()
    };
    assert!((1..=5).all(|call| basis(call) == "recorded"));
}
