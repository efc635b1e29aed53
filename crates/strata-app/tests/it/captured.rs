//! The gateway, as the window has it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};
use strata_testkit::model_server::{ModelServer, Play, chat_stream};

use crate::{ask, start_at, wait_until};

/// Sends JSON to a path of the gateway. The answer as it came.
fn post(base: &str, path: &str, body: &Value) -> JoinHandle<String> {
    let (host, token) =
        base.strip_prefix("http://").and_then(|rest| rest.split_once('/')).expect("an address");
    let body = body.to_string();
    let request = format!(
        "POST /{token}{path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(host).expect("it listens");
    thread::spawn(move || {
        stream.write_all(request.as_bytes()).expect("sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    })
}

/// A client with one thing to say.
fn client(base: &str, says: &str) -> JoinHandle<String> {
    let body = json!({ "model": "gpt-5", "messages": [{ "role": "user", "content": says }] });
    post(base, "/v1/chat/completions", &body)
}

#[test]
fn telemetry_is_counted_and_what_is_not_kept_of_it_is_said() {
    let folder = tempfile::tempdir().expect("a folder");
    let strata = start_at(&folder.path().join("telemetry.db"));
    let start = ask(&strata, "capture/start", &json!({ "port": null, "upstreams": [] }));
    let base = start["listening"]["base"].as_str().expect("a base").to_owned();
    assert_eq!(start["telemetry"]["nBatches"], 0);

    let span = json!({
        "traceId": "0102030405060708090a0b0c0d0e0f10", "spanId": "0102030405060708", "name": "chat m",
        "attributes": [{ "key": "gen_ai.operation.name", "value": { "stringValue": "chat" } }],
    });
    let batch = json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": [span] }] }] });
    for (body, status) in [(batch, "200"), (json!([]), "400")] {
        let answer = post(&base, "/v1/traces", &body).join().expect("an exporter");
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
    }
    let state = ask(&strata, "capture/get", &json!({}));
    let telemetry = &state["telemetry"];
    let counts = [&telemetry["nBatches"], &telemetry["nRecords"], &telemetry["nWithProblems"]];
    assert_eq!(counts, [&json!(2), &json!(1.0), &json!(1)], "{telemetry}");
    assert!(telemetry["lastProblem"].as_str().is_some_and(|why| !why.is_empty()), "{telemetry}");
    assert_eq!(state["nExchanges"], 0, "telemetry is no request");
    ask(&strata, "capture/stop", &json!({}));
}

#[test]
fn who_lets_all_go_lets_those_go_that_wait_already() {
    let folder = tempfile::tempdir().expect("a folder");
    let strata = start_at(&folder.path().join("held.db"));
    let says = Play::Stream { body: chat_stream("Fine.", 20, 2), piece: 17 };
    let server = ModelServer::start(vec![says; 3], None);
    let start = json!({ "port": null, "upstreams": [format!("openai={}", server.url())] });
    let base =
        ask(&strata, "capture/start", &start)["listening"]["base"].as_str().expect("a base").to_owned();
    ask(&strata, "capture/setHolds", &json!({ "holds": ["always"] }));
    let clients = ["one", "two", "three"].map(|says| client(&base, says));
    let held = || ask(&strata, "capture/get", &json!({}))["held"].as_array().expect("held").clone();
    wait_until(|| held().len() == 3);
    assert_eq!(server.received().len(), 0);
    let decision = json!({ "number": held()[0]["number"], "decision": "goFreely", "body": null });
    ask(&strata, "capture/release", &decision);
    for client in clients {
        let answer = client.join().expect("a client");
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
    let state = ask(&strata, "capture/get", &json!({}));
    assert_eq!((&state["held"], &state["holds"]), (&json!([]), &Value::Array(Vec::new())));
    assert_eq!(server.received().len(), 3);
    ask(&strata, "capture/stop", &json!({}));
}
