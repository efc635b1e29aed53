//! What is refused, and that nothing is lost by it.

use serde_json::{Value, json};

use super::server::{Got, Server};

#[track_caller]
fn refused(got: &Got, status: u16, code: &str) -> Value {
    let answer = got.json();
    assert_eq!((got.status, answer["error"]["code"].as_str()), (status, Some(code)), "{got:?}");
    answer
}

#[test]
fn strangers_are_refused() {
    let server = Server::echo();
    let status = |headers: &[(&str, &str)]| server.run(headers, &json!({"message": "hello"})).status;
    let nearly = server.bearer("ana").replace("Bearer ", "Bearer x");
    assert_eq!(status(&[("Authorization", "")]), 401);
    assert_eq!(status(&[("Authorization", &nearly)]), 401);
    assert_eq!(status(&[("Host", "strata.example")]), 403);
    assert_eq!(status(&[("Host", "127.0.0.1")]), 403);
    assert_eq!(status(&[("Origin", "https://strata.example")]), 403);
    assert_eq!(status(&[("Origin", "null")]), 403);
    for path in ["/a2a", "/mcp", "/run"] {
        assert_eq!(server.send("POST", path, &[("Authorization", "")], "{}").status, 401, "{path}");
        assert_eq!(server.send("POST", path, &[("Host", "evil")], "{}").status, 403, "{path}");
    }
    assert!(server.strata("contexts list")["contexts"].as_array().unwrap().is_empty());
}

#[test]
fn a_retention_that_is_not_understood_is_refused() {
    let server = Server::echo();
    for (retention, says) in [
        (
            json!({"strategy": "count", "limit": 4, "summarize_on_truncate": "no"}),
            "is a string, not true or false",
        ),
        (
            json!({"strategy": "count", "limit": 4, "summarise_on_truncate": true}),
            "`summarise_on_truncate` is not known",
        ),
        (json!({"strategy": "count", "limit": null}), "its `limit` is null, not a whole number"),
        (json!({"strategy": "count"}), "its `limit` is missing"),
        (
            json!({"strategy": "count", "limit": u64::MAX}),
            "its `limit` is 18446744073709551615, not a whole number up",
        ),
        (json!({"strategy": "size", "limit": 1, "summarize_on_truncate": true}), "a quarter of its limit"),
    ] {
        let got = server.run(&[], &json!({"message": "hello", "retention": retention}));
        let answer = refused(&got, 400, "RETENTION_UNUSABLE");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(says), "{retention}: {message}");
    }
    assert!(server.strata("contexts list")["contexts"].as_array().unwrap().is_empty(), "nothing has begun");
}

#[test]
fn numbers_that_would_come_back_changed_are_refused() {
    let server = Server::echo();
    for body in [
        r#"{"message": "x", "context": {"n": [1e400]}}"#,
        r#"{"message": "x", "state": {"n": 1e400}}"#,
        r#"{"message": "x", "state": {"deep": [{"n": 18446744073709551616}]}}"#,
    ] {
        let answer = refused(&server.send("POST", "/run", &[], body), 400, "INVALID_REQUEST");
        assert!(answer["error"]["message"].as_str().unwrap().ends_with("Send it as a text."), "{answer}");
    }
    let largest = r#"{"message": "x", "state": {"n": 18446744073709551615}}"#;
    let kept = server.send("POST", "/run", &[], largest).json();
    let id = kept["context_id"].as_str().unwrap();
    let held = server.send("GET", "/context", &[("X-Context-ID", id)], "");
    assert!(held.body.contains(r#""n":18446744073709551615"#), "{}", held.body);
}

#[test]
fn a_request_that_is_too_long_is_told_with_a_code() {
    let server = Server::echo();
    let long = json!({"message": "x".repeat(9 << 20)}).to_string();
    for path in ["/run", "/a2a", "/mcp"] {
        // It may be refused, and the line be cut, before all of it was sent.
        if let Ok(got) = server.try_send("POST", path, &[], &long) {
            refused(&got, 413, "REQUEST_TOO_LARGE");
        }
    }
}

#[test]
fn two_ids_in_one_request_are_refused() {
    let server = Server::echo();
    let begin =
        || server.run(&[], &json!({"message": "hello"})).json()["context_id"].as_str().unwrap().to_owned();
    let (one, two) = (begin(), begin());
    let cookie = format!("adcp_context={two}");
    let got = server.run(&[("X-Context-ID", &one), ("Cookie", &cookie)], &json!({"message": "on"}));
    let answer = refused(&got, 400, "CONTEXT_ID_CONFLICT");
    let message = answer["error"]["message"].as_str().unwrap();
    assert!(
        message.contains(&one) && message.contains(&two) && message.contains("Nothing was done."),
        "{message}"
    );
    let query =
        server.send("POST", &format!("/run?context_id={one}&context_id={two}"), &[], r#"{"message": "x"}"#);
    refused(&query, 400, "CONTEXT_ID_CONFLICT");
    refused(
        &server.run(&[("X-Context-ID", &one)], &json!({"message": "x", "context_id": two})),
        400,
        "CONTEXT_ID_CONFLICT",
    );
    assert_eq!(
        server
            .run(
                &[("X-Context-ID", &one), ("Cookie", &format!("adcp_context={one}"))],
                &json!({"message": "on"})
            )
            .status,
        200
    );
}

#[test]
fn ids_that_are_none_and_ids_of_nothing_are_refused() {
    let server = Server::echo();
    for id in ["../../etc", "a b", "é", &"x".repeat(129)] {
        refused(&server.run(&[("X-Context-ID", id)], &json!({"message": "x"})), 400, "CONTEXT_ID_MALFORMED");
    }
    let gone = refused(
        &server.run(&[("X-Context-ID", "ctx-none")], &json!({"message": "x"})),
        410,
        "CONTEXT_EXPIRED",
    );
    assert_eq!(gone["error"]["context_id"], "ctx-none");
    assert!(gone["error"].get("expired_at").is_none(), "{gone}");
    let got = server.run(&[], &json!({"message": "hello"})).json();
    let id = got["context_id"].as_str().unwrap();
    server.strata(&format!("contexts expire {id}"));
    let expired =
        refused(&server.run(&[("X-Context-ID", id)], &json!({"message": "x"})), 410, "CONTEXT_EXPIRED");
    assert!(expired["error"]["expired_at"].as_str().unwrap().ends_with('Z'), "{expired}");
    // Archived whole, and to be seen.
    let shown = server.strata(&format!("contexts show {id}"));
    assert_eq!(
        (&shown["context"]["state"], &shown["messages"][0]["content"]),
        (&json!("expired"), &json!("hello"))
    );
}

#[test]
fn a_state_that_is_too_large_is_put_away_and_one_that_cannot_be_is_refused() {
    let server = Server::echo();
    let got =
        server.run(&[], &json!({"message": "hello", "state": {"large": "x".repeat(70_000), "n": 1}})).json();
    let id = got["context_id"].as_str().unwrap();
    let shown = server.strata(&format!("contexts show {id}"));
    assert_eq!(shown["workingState"]["large"], json!({"$artifact": "large", "version": 0, "bytes": 70_002}));
    assert_eq!(
        shown["artifacts"],
        json!([{"name": "large", "version": 0, "bytes": 70_002, "current": true}])
    );
    // What agents see is whole, and does not come back as a change.
    server.run(&[("X-Context-ID", id)], &json!({"message": "on"}));
    let shown = server.strata(&format!("contexts show {id}"));
    assert_eq!(shown["artifacts"].as_array().unwrap().len(), 1);
    let session = shown["context"]["session"].as_str().unwrap();
    let state = server.strata(&format!("stores {session}"))["state"]["rows"].clone();
    let large = state.as_array().unwrap().iter().find(|row| row["key"] == "large").unwrap();
    assert!(large["value"].as_str().unwrap().contains("xxxxx"), "{large}");
    let keys: Value =
        (0..9_000).map(|n| (format!("k{n}"), json!(1))).collect::<serde_json::Map<_, _>>().into();
    let got = server.run(&[("X-Context-ID", id)], &json!({"message": "on", "state": keys}));
    let error = refused(&got, 413, "WORKING_STATE_TOO_LARGE");
    assert!(error["error"]["message"].as_str().unwrap().contains("65536 are allowed"), "{error}");
    let after = server.strata(&format!("contexts show {id}"));
    assert_eq!(after["workingState"].as_object().unwrap().len(), 3, "nothing of it was set");
}

#[test]
fn bodies_that_cannot_be_read_are_told() {
    let server = Server::echo();
    for (body, says) in [
        ("", "The body is no JSON"),
        ("[1]", "The body is an array."),
        ("{}", "There is no `message`."),
        (r#"{"message": ""}"#, "There is no `message`."),
        (r#"{"message": "x", "mesage": 1}"#, "`mesage` is not known."),
        (r#"{"message": "x", "state": 1}"#, "`state` is a number, not an object."),
        (r#"{"message": "x", "ttl": "soon"}"#, "`soon` is no `ttl`"),
    ] {
        let answer = refused(&server.send("POST", "/run", &[], body), 400, "INVALID_REQUEST");
        assert!(answer["error"]["message"].as_str().unwrap().contains(says), "{body}: {answer}");
    }
    let retention = json!({"message": "x", "retention": {"strategy": "count", "limit": 0}});
    refused(&server.run(&[], &retention), 400, "RETENTION_UNUSABLE");
    refused(&server.run(&[], &json!({"message": "x", "task_id": "none"})), 404, "TASK_UNKNOWN");
    refused(&server.send("GET", "/context", &[], ""), 400, "INVALID_REQUEST");
}

#[test]
fn files_of_sessions_are_served_as_before_and_options_of_apps_are_refused_there() {
    let computer = crate::strata::Computer::new();
    let run = computer.run("serve weather.session.json --principal ana");
    assert_eq!(run.code, 2, "{}", run.seen());
    assert!(run.stderr.contains("--principal is for serving an app."), "{}", run.stderr);
}

#[test]
fn an_app_that_cannot_run_is_not_served() {
    let computer = crate::strata::Computer::new();
    let app = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/ads-report/app.yaml");
    // Its summariser is code, which stands in a script that is not named here.
    let run = computer.run(&format!("serve {app} --model echo --db {}", computer.path("x.db").display()));
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("`summariser`") && run.stderr.contains("--tools FILE"), "{}", run.stderr);
    assert_eq!(run.stdout, "");
}

#[test]
fn an_answer_that_its_context_cannot_keep_fails_its_task() {
    let server = Server::scripted(&json!(["It is noon, and there is no more room."]));
    // Keys of eleven bytes each: none gets smaller by being put away, and there is no room for what the agent leaves.
    let state: serde_json::Map<_, _> = (0..5955).map(|n| (format!("k{n:05}"), json!(0))).collect();
    let got = server.run(&[], &json!({"message": "What time is it?", "state": state}));
    assert_eq!((got.status, &got.json()["status"]), (502, &json!("failed")), "{got:?}");
    let answer = got.json();
    assert!(
        answer["message"].as_str().unwrap().starts_with("The working state would take 65561 bytes"),
        "{answer}"
    );
    let id = got.header("x-context-id").unwrap();
    let shown = server.strata(&format!("contexts show {id}"));
    assert_eq!(shown["tasks"][0]["status"], "failed", "{shown}");
    assert!(shown["context"]["session"].is_string(), "what was said stays in its session: {shown}");
}
