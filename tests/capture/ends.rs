//! How exchanges end: each side does what it would have without a gateway, and the log says which it was.

use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::peers::{Act, Provider, Stage, write};

const STREAM: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n";
const REQUEST: &str = "POST BASE/v1/responses HTTP/1.1\r\nHost: HOST\r\nContent-Length: 2\r\n\r\n{}";

/// Reads until a text came, and hangs up.
async fn leave_after(stage: &Stage, text: &str) {
    let mut stream = stage.connect().await;
    stream.write_all(stage.request(REQUEST).as_bytes()).await.expect("sent");
    let (mut got, mut buffer) = (String::new(), [0; 4096]);
    while !got.contains(text) {
        let n = stream.read(&mut buffer).await.expect("read");
        assert!(n > 0, "the gateway hung up: {got}");
        got.push_str(&String::from_utf8_lossy(&buffer[..n]));
    }
}

#[tokio::test]
async fn a_client_that_leaves_is_told_to_the_provider_at_once() {
    let provider = Provider::start(vec![write(STREAM), Act::UntilGone]).await;
    let stage = Stage::before(&provider.address).await;
    leave_after(&stage, "data: 1").await;
    for _ in 0..100 {
        if provider.seen.lock().gone_after.is_some() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let gone = provider.seen.lock().gone_after.expect("the provider was told");
    assert!(gone < Duration::from_millis(500), "{gone:?}");
    let (log, finished) = stage.close().await;
    assert!(log.contains(r#""end":"client-left""#), "{log}");
    assert_eq!(finished[0].problem.as_deref(), Some("the client left before the end of the answer"));
}

#[tokio::test]
async fn a_client_that_leaves_at_the_last_event_has_all_of_it() {
    let last = "event: response.completed\ndata: {}\n\n";
    let provider = Provider::start(vec![
        write(STREAM),
        write(&format!("{:x}\r\n{last}\r\n", last.len())),
        Act::UntilGone,
    ])
    .await;
    let stage = Stage::before(&provider.address).await;
    leave_after(&stage, "response.completed").await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let (log, finished) = stage.close().await;
    assert!(log.contains(r#""end":"complete""#), "{log}");
    assert_eq!(finished[0].problem, None);
}

#[tokio::test]
async fn a_provider_that_leaves_in_the_middle_is_no_end() {
    let provider = Provider::start(vec![write(STREAM), Act::Close]).await;
    let stage = Stage::before(&provider.address).await;
    let answer = stage.exchange(stage.request(REQUEST).as_bytes()).await;
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.contains("data: 1") && !answer.contains("0\r\n\r\n"), "no end is invented: {answer}");
    let (log, _) = stage.close().await;
    assert!(log.contains(r#""end":"provider-left""#), "{log}");
}

#[tokio::test]
async fn a_provider_that_is_not_there_is_an_error_that_clients_can_read() {
    let stage = Stage::before("127.0.0.1:1").await;
    let answer = stage.post("/v1/messages", "", "{}").await;
    assert!(answer.starts_with("HTTP/1.1 502 "), "{answer}");
    assert!(
        answer.contains("x-strata-error: gateway") && answer.contains("127.0.0.1:1 could not be reached"),
        "{answer}"
    );
    let (_, finished) = stage.close().await;
    assert_eq!(finished[0].problem.as_deref(), Some("the provider could not be reached"));
}

#[tokio::test]
async fn what_is_not_over_when_the_gateway_closes_is_in_the_log() {
    let provider = Provider::start(vec![write(STREAM), Act::UntilGone]).await;
    let stage = Stage::before(&provider.address).await;
    let mut stream = stage.connect().await;
    stream.write_all(stage.request(REQUEST).as_bytes()).await.expect("sent");
    stream.read_exact(&mut [0; 20]).await.expect("a beginning");
    let (log, _) = stage.close().await;
    assert!(log.contains(r#""request":1"#), "{log}");
}
