//! Responses over WebSockets: passed through, and recorded as the requests they are.

use std::net::{TcpListener, TcpStream};
use std::thread::{self, JoinHandle};

use strata_capture::OpenGate;
use strata_model::json;
use tokio::task::spawn_blocking;
use tungstenite::client::IntoClientRequest as _;
use tungstenite::handshake::server::{Request, Response};
use tungstenite::{Message, WebSocket, accept_hdr, client};

use crate::peers::{Stage, import};

/// Heads of handshakes and messages, as the provider got them.
type Seen = Vec<String>;

/// Answers each message with two events; the first, a warm-up, with one.
fn provider() -> (String, JoinHandle<Seen>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address").to_string();
    let served = thread::spawn(move || {
        let (stream, _) = listener.accept().expect("a client");
        let mut seen = Seen::new();
        #[expect(clippy::result_large_err, reason = "the shape of the callback is tungstenite's")]
        let look = |request: &Request, mut response: Response| {
            let headers = request.headers().iter().map(|(name, value)| format!("{name}: {value:?}"));
            seen.push(format!("{} {}", request.uri(), headers.collect::<Vec<_>>().join(", ")));
            response.headers_mut().insert("x-of", "provider".parse().expect("a value"));
            Ok(response)
        };
        let mut socket = accept_hdr(stream, look).expect("a handshake");
        let say = |socket: &mut WebSocket<TcpStream>, text: String| {
            socket.send(Message::text(text)).expect("said");
        };
        say(&mut socket, r#"{"type":"codex.rate_limits","left":3}"#.into());
        for n in 0.. {
            let Ok(Message::Text(text)) = socket.read() else { break };
            seen.push(text.to_string());
            say(&mut socket, format!(r#"{{"type":"response.created","response":{{"id":"r{n}"}}}}"#));
            let output = if n == 0 {
                String::new()
            } else {
                format!(
                    r#"{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"answer {n}"}}]}}"#
                )
            };
            say(
                &mut socket,
                format!(
                    r#"{{"type":"response.completed","response":{{"id":"r{n}","status":"completed","output":[{output}],"usage":{{"input_tokens":{},"output_tokens":2}}}}}}"#,
                    10 * n
                ),
            );
        }
        seen
    });
    (address, served)
}

fn asks(base: &str, messages: Vec<String>) -> (Seen, String) {
    let address = base.strip_prefix("http://").expect("a scheme").split('/').next().expect("a host");
    let stream = TcpStream::connect(address).expect("a connection");
    let mut request =
        format!("{base}/v1/responses").replace("http:", "ws:").into_client_request().expect("a request");
    request.headers_mut().insert("session-id", "one".parse().expect("a value"));
    request.headers_mut().insert("user-agent", "codex_exec/0.169".parse().expect("a value"));
    request
        .headers_mut()
        .insert("authorization", "Bearer sk-proj-aaaabbbbccccddddeeee".parse().expect("a value"));
    let (mut socket, response) = client(request, stream).expect("a handshake");
    let of = response.headers().get("x-of").map(|value| format!("{value:?}")).unwrap_or_default();
    let mut heard = Seen::new();
    let mut hear = |socket: &mut WebSocket<TcpStream>| match socket.read() {
        Ok(Message::Text(text)) => heard.push(text.to_string()),
        other => panic!("{other:?}"),
    };
    hear(&mut socket);
    for message in messages {
        socket.send(Message::text(message)).expect("said");
        hear(&mut socket);
        hear(&mut socket);
    }
    socket.close(None).expect("closed");
    while socket.read().is_ok() {}
    (heard, of)
}

#[tokio::test]
async fn a_websocket_is_passed_through_and_its_messages_are_requests() {
    let (address, served) = provider();
    let stage = Stage::before(&address).await;
    let base = stage.gateway.base().to_owned();
    let input = |text: &str| {
        format!(r#"[{{"type":"message","role":"user","content":[{{"type":"input_text","text":"{text}"}}]}}]"#)
    };
    let messages = vec![
        r#"{"type":"response.create","generate":false,"model":"gpt-5","instructions":"main","input":[]}"#
            .into(),
        format!(
            r#"{{"type":"response.create","model":"gpt-5","instructions":"main","previous_response_id":"r0","input":{}}}"#,
            input("hello")
        ),
        format!(
            r#"{{"type":"response.create","model":"gpt-5","instructions":"main","previous_response_id":"r1","input":{}}}"#,
            input("more")
        ),
    ];
    let sent = messages.clone();
    let (heard, of) = spawn_blocking(move || asks(&base, sent)).await.expect("a client");
    let seen = served.join().expect("a provider");
    assert_eq!(of, "\"provider\"");
    assert_eq!(seen[1..], messages);
    assert!(seen[0].starts_with("/v1/responses "), "{}", seen[0]);
    assert!(seen[0].contains(&format!("host: {address:?}")), "{}", seen[0]);
    assert!(seen[0].contains("sk-proj-aaaa"), "{}", seen[0]);
    assert_eq!(heard.len(), 7);
    assert!(heard[0].contains("rate_limits") && heard[6].contains("answer 2"), "{heard:#?}");

    let (log, finished) = stage.close().await;
    assert!(!log.contains("sk-proj-aaaa"), "{log}");
    assert!(log.contains("rate_limits"), "{log}");
    assert_eq!(
        finished.iter().map(|one| one.problem.as_deref()).collect::<Vec<_>>(),
        [None; 4],
        "{finished:#?}"
    );
    let import = import(&log);
    assert_eq!(import.sessions.len(), 1, "{:#?}", import.diagnostics);
    let one = &import.sessions[0];
    let told: Vec<_> = (one.session.events.iter())
        .map(|event| {
            let parts = event.content.iter().flat_map(|content| content.parts());
            let text: String = parts.filter_map(|part| part.text.as_deref()).collect();
            format!("{}: {text}", event.author)
        })
        .collect();
    assert_eq!(
        told,
        ["user: main", "warm-up: ", "user: hello", "codex: answer 1", "user: more", "codex: answer 2"]
    );
    // What the provider kept stands in the requests, too.
    let sent: Vec<_> = one.requests.iter().map(|request| json::to_compact(&request.body)).collect();
    let holds = |at: usize, texts: &[&str]| texts.iter().all(|text| sent[at].contains(text));
    assert!(holds(1, &["hello"]) && holds(2, &["hello", "answer 1", "more"]), "{sent:#?}");
    let codes: Vec<_> = import.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    assert_eq!(codes, ["kept-by-provider"], "{:#?}", import.diagnostics);
}

#[tokio::test]
async fn while_requests_are_held_clients_are_sent_to_http() {
    struct Watched;
    impl strata_capture::Gate for Watched {
        fn is_watched(&self) -> bool {
            true
        }
        fn before_request(
            &self,
            request: strata_capture::WholeRequest,
        ) -> futures_util::future::BoxFuture<'_, strata_capture::Verdict> {
            OpenGate.before_request(request)
        }
    }
    let stage = Stage::with_gate("127.0.0.1:9", std::sync::Arc::new(Watched)).await;
    let request =
        "GET BASE/v1/responses HTTP/1.1\r\nHost: HOST\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n";
    let answer = stage.exchange(stage.request(request).as_bytes()).await;
    assert!(answer.starts_with(b"HTTP/1.1 426 "), "{}", String::from_utf8_lossy(&answer));
}
