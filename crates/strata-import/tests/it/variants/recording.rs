//! Recordings of HTTP as other recorders write them.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::counted::{check, count, words};

const REQUEST: &str = r#"{"model":"m","messages":[{"role":"user","content":"Hi"}]}"#;
const ANSWER: &str = r#"{"id":"c","model":"m","choices":[{"message":{"role":"assistant","content":"Hello"}}],"usage":{"prompt_tokens":2,"completion_tokens":1}}"#;

/// The answer, packed by other programs.
const BROTLI: &str = "G4YAAIzDdKM9f4RwbTYZQd5Sv9BoVRAogjFI3yw6XX30ZK9CjYLpIjMhSTY1C51uDOnLD3zNL4xODQIYNOUQmyXoYaH2orYmRAW9x20fvmnus+Z+dWDHZca2KePpAQ==";
const ZSTD: &str = "KLUv/QRYLQMAYkcWGICpLQaSomTSQv3p49UUEHNoMLozczCjI2sBUprFo1CWLXBrQkRuYRVKQyU2wlrnOSj43oSbsmxvIqtGlXzjSePjRgNRRfQxuBWLyUPZRt8Hi0Tb5bswHwECAOQsflFCmQE0mUsx";

fn gzip(text: &str) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packer.write_all(text.as_bytes()).unwrap();
    packer.finish().unwrap()
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

/// A frame of Amazon's event streams, without the checksums nobody looks at.
fn frame(kind: &str, payload: &str) -> Vec<u8> {
    let mut headers = vec![11];
    headers.extend(b":event-type");
    headers.push(7);
    headers.extend(u16::try_from(kind.len()).unwrap().to_be_bytes());
    headers.extend(kind.as_bytes());
    let total = u32::try_from(16 + headers.len() + payload.len()).unwrap();
    let mut frame = total.to_be_bytes().to_vec();
    frame.extend(u32::try_from(headers.len()).unwrap().to_be_bytes());
    frame.extend([0; 4]);
    frame.extend(&headers);
    frame.extend(payload.as_bytes());
    frame.extend([0; 4]);
    frame
}

#[test]
fn cassettes_of_every_recorder() {
    let vcr = "vcr-cassette-yaml";
    let numbers = ([1, 1, 1, 0, 0], [2, 0, 1]);
    let (request, answer) = (quoted(REQUEST), quoted(ANSWER));
    let json = format!(
        r#"{{"version":1,"interactions":[{{"request":{{"method":"POST","uri":"https://a/v1/chat/completions","body":{request},"headers":{{}}}},"response":{{"status":{{"code":200,"message":"OK"}},"headers":{{}},"body":{{"string":{answer}}}}}}}]}}"#
    );
    check(vcr, &json, numbers.0, numbers.1);
    let packed = STANDARD.encode(gzip(ANSWER));
    let betamax = format!(
        r#"{{"http_interactions":[{{"request":{{"method":"POST","uri":"https://a/v1/chat/completions","body":{{"encoding":"utf-8","string":{request}}}}},"response":{{"status":{{"code":200,"message":"OK"}},"body":{{"encoding":null,"base64_string":"{packed}"}}}},"recorded_at":"2026-01-02T03:04:05"}}],"recorded_with":"betamax/0.9"}}"#
    );
    check(vcr, &betamax, numbers.0, numbers.1);
    let ruby = format!(
        "---\nhttp_interactions:\n- request:\n    method: post\n    uri: https://a/v1/chat/completions\n    body:\n      encoding: UTF-8\n      string: '{REQUEST}'\n  response:\n    status:\n      code: 200\n      message: OK\n    body:\n      encoding: ASCII-8BIT\n      string: !binary |-\n        {packed}\n  recorded_at: Fri, 02 Jan 2026 03:04:05 GMT\nrecorded_with: VCR 6.1.0\n"
    );
    let imported = check(vcr, &ruby, numbers.0, numbers.1);
    assert_eq!(imported.sessions[0].session.last_update_time, 1_767_323_045.000_001);
    let httpx = format!(
        "interactions:\n- request:\n    body: '{REQUEST}'\n    method: POST\n    uri: https://a/v1/chat/completions\n  response:\n    content: '{ANSWER}'\n    http_version: HTTP/1.1\n    status_code: 200\nversion: 1\n"
    );
    check(vcr, &httpx, numbers.0, numbers.1);
    let go = format!(
        "---\nversion: 2\ninteractions:\n    - id: 0\n      request:\n        body: '{REQUEST}'\n        url: https://a/v1/chat/completions\n        method: POST\n      response:\n        body: '{{\"error\":{{\"message\":\"no\",\"code\":\"busy\"}}}}'\n        status: 503 Service Unavailable\n        code: 503\n    - id: 1\n      request:\n        body: '{REQUEST}'\n        url: https://a/v1/chat/completions\n      response:\n        body: '{ANSWER}'\n        code: 200\n"
    );
    let imported = check(vcr, go.replace('\n', "\r\n"), numbers.0, numbers.1);
    assert_eq!(count(&imported).errors, 1);
}

#[test]
fn binary_streams_in_cassettes() {
    let mut stream = frame("messageStart", r#"{"role":"assistant"}"#);
    stream.extend(frame("contentBlockDelta", r#"{"contentBlockIndex":0,"delta":{"text":"Hello"},"p":"ab"}"#));
    stream.extend(frame("metadata", r#"{"usage":{"inputTokens":3,"outputTokens":1,"totalTokens":4}}"#));
    let inner = STANDARD.encode(r#"{"type":"message_start","message":{"id":"m","content":[],"usage":{"input_tokens":5,"output_tokens":1}}}"#);
    let other = frame("chunk", &format!(r#"{{"bytes":"{inner}","p":"abc"}}"#));
    let cassette = |body: &[u8]| {
        let body = STANDARD.encode(body);
        format!(
            "interactions:\n- request:\n    body: '{{\"messages\":[{{\"role\":\"user\",\"content\":[{{\"text\":\"Hi\"}}]}}]}}'\n    method: POST\n    uri: https://b/model/us.claude-x/converse-stream\n  response:\n    body:\n      string: !!binary |\n        {body}\n    headers:\n      Content-Type: [application/vnd.amazon.eventstream]\n    status: {{code: 200, message: OK}}\nversion: 1\n"
        )
    };
    let imported = check("vcr-cassette-yaml", cassette(&stream), [1, 1, 1, 0, 0], [3, 0, 1]);
    assert!(imported.sessions[0].facts.models.contains("us.claude-x"));
    assert!(words(&imported).ends_with("model: Hello"));
    check("vcr-cassette-yaml", cassette(&other), [1, 1, 1, 0, 0], [5, 0, 1]);
    stream.truncate(stream.len() - 5);
    check("vcr-cassette-yaml", cassette(&stream), [1, 1, 1, 0, 0], [0, 0, 0]);
}

#[test]
fn archives_with_packed_bodies_and_without_any() {
    let entry = |url: &str, content: &str| {
        let request = quoted(REQUEST);
        format!(
            r#"{{"startedDateTime":"2026-01-02T03:04:05.000+01:00","time":10,"request":{{"method":"POST","url":"{url}","postData":{{"mimeType":"application/json","text":{request}}}}},"response":{{"status":200,"headers":[{{"name":"content-encoding","value":"br"}}],"content":{content}}}}}"#
        )
    };
    let archive = |entries: &[String]| {
        format!("\u{feff}{{\"log\":{{\"version\":\"1.2\",\"entries\":[{}]}}}}", entries.join(","))
    };
    let chat = "https://a/v1/chat/completions";
    let plain = format!(r#"{{"text":{}}}"#, quoted(ANSWER));
    let packed = format!(r#"{{"encoding":"base64","text":"{}"}}"#, STANDARD.encode(gzip(ANSWER)));
    check("har-1.2", archive(&[entry(chat, &plain)]), [1, 1, 1, 0, 0], [2, 0, 1]);
    check("har-1.2", archive(&[entry(chat, &packed)]), [1, 1, 1, 0, 0], [2, 0, 1]);
    let none = archive(&[entry(chat, r#"{"size":0,"mimeType":"application/json"}"#)]);
    check("har-1.2", none, [1, 1, 0, 0, 0], [0, 0, 0]);
    let counted = entry("https://a/v1/messages/count_tokens?beta=true", r#"{"text":""}"#);
    let imported = check("har-1.2", archive(&[counted, entry(chat, &plain)]), [1, 1, 1, 0, 0], [2, 0, 1]);
    assert_eq!(imported.sessions[0].unmapped.records["entry that is no model request"].len(), 1);
}

#[test]
fn flows_with_packed_bodies() {
    let text = |text: &str| format!("{}:{text},", text.len()).into_bytes();
    let join = |parts: &[&[u8]], kind: char| {
        let payload = parts.concat();
        [format!("{}:", payload.len()).as_bytes(), &payload, kind.to_string().as_bytes()].concat()
    };
    let bytes = |bytes: &[u8]| [format!("{}:", bytes.len()).as_bytes(), bytes, b","].concat();
    let header = join(&[&text("Content-Encoding"), &text("br")], ']');
    let unpacked = |text: &str| STANDARD.decode(text).unwrap();
    for body in [gzip(ANSWER), ANSWER.as_bytes().to_vec(), unpacked(BROTLI), unpacked(ZSTD)] {
        let request = join(
            &[
                &text("host"),
                &text("a"),
                &text("path"),
                &text("/v1/chat/completions"),
                &text("content"),
                &bytes(REQUEST.as_bytes()),
            ],
            '}',
        );
        let response = join(
            &[
                &text("status_code"),
                b"3:200#",
                &text("headers"),
                &join(&[&header], ']'),
                &text("content"),
                &bytes(&body),
            ],
            '}',
        );
        let flow = join(
            &[
                &text("type"),
                &text("http"),
                &text("error"),
                b"0:~",
                &text("request"),
                &request,
                &text("response"),
                &response,
            ],
            '}',
        );
        check("mitmproxy-flows", flow, [1, 1, 1, 0, 0], [2, 0, 1]);
    }
}
