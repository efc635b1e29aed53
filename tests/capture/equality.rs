//! What passes through is what was sent.

use std::io::Write as _;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::peers::{Act, Provider, Stage, write};

const ANSWER: &str = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nRequest-Id: req_1\r\nx-many: a\r\n\
                      Content-Length: 12\r\n\r\n{\"ok\": true}";

#[tokio::test]
async fn a_request_arrives_as_it_was_sent_but_for_its_host() {
    let provider = Provider::start(vec![write(ANSWER)]).await;
    let stage = Stage::before(&provider.address).await;
    let head = "POST BASE/v1/messages?beta=true&x=%2F HTTP/1.1\r\nX-Stainless-Lang: js\r\nauthorization: Bearer abc\r\n\
                Accept: */*\r\nHost: HOST\r\nanthropic-beta: a, b\r\nContent-Length: 9\r\nUser-Agent: t/1\r\n\r\n";
    let answer = stage.exchange(stage.request(&format!("{head}{{\"a\" : 1}}")).as_bytes()).await;

    let (host, base) = stage.place();
    let expected = format!("{head}{{\"a\" : 1}}")
        .replace("HOST", &provider.address)
        .replace("BASE", "")
        .replace(&host, &base);
    assert_eq!(String::from_utf8_lossy(&provider.requests()[0]), expected);
    assert_eq!(String::from_utf8_lossy(&answer), ANSWER);
}

#[tokio::test]
async fn compressed_bodies_pass_as_they_are_and_are_read_aside() {
    let pack = |text: &str| {
        let mut packer = GzEncoder::new(Vec::new(), Compression::default());
        packer.write_all(text.as_bytes()).expect("packed");
        packer.finish().expect("packed")
    };
    let events = pack("data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\ndata: [DONE]\n\n");
    let mut answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n",
        events.len()
    )
    .into_bytes();
    answer.extend(&events);
    let provider = Provider::start(vec![Act::Write(answer.clone())]).await;
    let stage = Stage::before(&provider.address).await;
    let body = pack("{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hello there\"}]}");
    let head =
        stage.request("POST BASE/v1/chat/completions HTTP/1.1\r\nHost: HOST\r\nContent-Encoding: gzip\r\n");
    let mut request = format!("{head}Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    request.extend(&body);

    assert_eq!(stage.exchange(&request).await, answer);
    assert!(provider.requests()[0].ends_with(&body));
    let (log, finished) = stage.close().await;
    assert!(log.contains("hello there"), "{log}");
    assert!(log.contains("[DONE]"), "{log}");
    assert_eq!((finished[0].sent, finished[0].received), (body.len() as u64, events.len() as u64));
}

#[tokio::test]
async fn each_write_of_a_stream_is_passed_on_when_it_comes() {
    let chunk = |text: &str| write(&format!("{:x}\r\n{text}\r\n", text.len()));
    let gap = Duration::from_millis(150);
    let provider = Provider::start(vec![
        write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"),
        chunk("data: 1\n\n"),
        Act::Wait(gap),
        chunk(": ping\n\n"),
        Act::Wait(gap),
        chunk("data: [DONE]\n\n"),
        write("0\r\n\r\n"),
    ])
    .await;
    let stage = Stage::before(&provider.address).await;
    let mut stream = stage.connect().await;
    let request =
        stage.request("POST BASE/v1/responses HTTP/1.1\r\nHost: HOST\r\nContent-Length: 2\r\n\r\n{}");
    stream.write_all(request.as_bytes()).await.expect("sent");
    let mut reads: Vec<String> = Vec::new();
    let mut buffer = [0; 4096];
    while !reads.concat().ends_with("0\r\n\r\n") {
        let n = stream.read(&mut buffer).await.expect("read");
        reads.push(String::from_utf8_lossy(&buffer[..n]).into_owned());
    }
    let at = |text: &str| reads.iter().position(|read| read.contains(text)).expect("it came");
    assert!(at("data: 1") < at(": ping") && at(": ping") < at("[DONE]"), "{reads:#?}");
    let expected = "9\r\ndata: 1\n\n\r\n8\r\n: ping\n\n\r\nE\r\ndata: [DONE]\n\n\r\n0\r\n\r\n";
    assert!(reads.concat().ends_with(expected), "{reads:#?}");

    let (log, finished) = stage.close().await;
    assert!(log.contains(r#"data: 1\n\n: ping\n\ndata: [DONE]\n\n"#), "{log}");
    assert_eq!(finished[0].problem, None);
    assert!(finished[0].ms >= 250, "{finished:?}");
}

#[tokio::test]
async fn a_connection_is_used_again_on_both_sides() {
    let provider = Provider::start(vec![write(ANSWER)]).await;
    let stage = Stage::before(&provider.address).await;
    let mut stream = stage.connect().await;
    for n in 0..3 {
        let request = stage.request("GET BASE/v1/models HTTP/1.1\r\nHost: HOST\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("sent");
        let answer = crate::peers::read_message(&mut stream).await.expect("an answer");
        assert_eq!(String::from_utf8_lossy(&answer), ANSWER, "request {n}");
    }
    let (_, finished) = stage.close().await;
    assert_eq!(finished.iter().map(|one| one.number).collect::<Vec<_>>(), [1, 2, 3]);
}
