//! The gateway, as the window has it.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::thread::{self, JoinHandle};

use serde_json::{Value, json};
use strata_testkit::model_server::{ModelServer, Play, chat_stream};

use crate::{ask, start_at, wait_until};

/// A client with one thing to say. Its answer as it came.
fn client(base: &str, says: &str) -> JoinHandle<String> {
    let (host, path) =
        base.strip_prefix("http://").and_then(|rest| rest.split_once('/')).expect("an address");
    let body = json!({ "model": "gpt-5", "messages": [{ "role": "user", "content": says }] }).to_string();
    let request = format!(
        "POST /{path}/v1/chat/completions HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
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
