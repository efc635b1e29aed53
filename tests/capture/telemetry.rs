//! Telemetry that clients send of themselves.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use strata_import::{Format, Import, Importer};

use crate::peers::{Provider, Stage, write};

const JSON: &str = "Content-Type: application/json\r\n";
const PROTOBUF: &str = "Content-Type: application/x-protobuf\r\n";

/// A call as an instrumentation tells of it, in a trace of its own.
const CALL: &str = r#"{"resourceSpans":[{"scopeSpans":[{"scope":{"name":"test"},"spans":[{
    "traceId":"0102030405060708090a0b0c0d0e0f10","spanId":"0102030405060708","name":"chat m",
    "startTimeUnixNano":"1000000000","endTimeUnixNano":"2000000000","attributes":[
    {"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},
    {"key":"gen_ai.request.model","value":{"stringValue":"m"}},
    {"key":"gen_ai.conversation.id","value":{"stringValue":"conversation"}},
    {"key":"gen_ai.input.messages","value":{"stringValue":"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"hello NOTE\"}]}]"}},
    {"key":"gen_ai.output.messages","value":{"stringValue":"[{\"role\":\"assistant\",\"parts\":[{\"type\":\"text\",\"content\":\"hi\"}]}]"}},
    {"key":"gen_ai.usage.input_tokens","value":{"intValue":"7"}},
    {"key":"NAME","value":{"stringValue":"VALUE"}}]}]}]}]}"#;

async fn stage() -> (Provider, Stage) {
    let provider = Provider::start(vec![write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")]).await;
    let stage = Stage::before(&provider.address).await;
    (provider, stage)
}

fn import(log: &str) -> Import {
    let mut importer = Importer::new(Format::OTLP);
    importer.feed(log.as_bytes());
    importer.finish()
}

fn packed<W>(mut encoder: W, finish: impl FnOnce(W) -> std::io::Result<Vec<u8>>, text: &str) -> Vec<u8>
where
    W: std::io::Write,
{
    encoder.write_all(text.as_bytes()).expect("packed");
    finish(encoder).expect("packed")
}

fn field(number: u8, inner: &[u8]) -> Vec<u8> {
    let length = u8::try_from(inner.len()).expect("a short message");
    assert!(length < 0x80, "one byte of length");
    [&[number << 3 | 2, length], inner].concat()
}

/// An export request of one span, as protobuf, with an id of so many bytes.
fn span(id_len: usize) -> Vec<u8> {
    let attribute = [field(1, b"gen_ai.operation.name"), field(2, &field(1, b"chat"))].concat();
    let span = [
        field(1, &vec![7; 2 * id_len]),
        field(2, &vec![9; id_len]),
        field(5, b"chat m"),
        field(9, &attribute),
    ];
    field(1, &field(2, &field(2, &span.concat())))
}

#[tokio::test]
async fn a_batch_is_answered_in_its_encoding_and_becomes_a_call_however_it_is_packed() {
    let (provider, stage) = stage().await;
    let gzip = packed(GzEncoder::new(Vec::new(), Compression::fast()), GzEncoder::finish, CALL);
    let zlib = packed(ZlibEncoder::new(Vec::new(), Compression::fast()), ZlibEncoder::finish, CALL);
    let deflate = packed(DeflateEncoder::new(Vec::new(), Compression::fast()), DeflateEncoder::finish, CALL);
    // One block that is stored as it is.
    let bytes = CALL.as_bytes();
    let header = (bytes.len() as u32) << 3 | 1;
    let zstd =
        [b"\x28\xb5\x2f\xfd\xa0", &(bytes.len() as u32).to_le_bytes()[..], &header.to_le_bytes()[..3], bytes]
            .concat();
    for (coding, body) in [
        ("identity", CALL.as_bytes()),
        ("gzip", &gzip),
        ("deflate", &zlib),
        ("deflate", &deflate),
        ("zstd", &zstd),
    ] {
        let headers = format!("{JSON}Content-Encoding: {coding}\r\n");
        let answer = stage.post_bytes("/v1/traces", &headers, body).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{coding}: {answer}");
        assert!(answer.ends_with("\r\n\r\n{}"), "{coding}: {answer}");
    }
    let log = stage.telemetry();
    assert_eq!(log.lines().count(), 5);
    let imported = import(&log);
    assert_eq!(imported.sessions.len(), 1);
    assert_eq!(imported.sessions[0].requests.len(), 1, "the same span sent again is one call");

    let answer = stage.post_bytes("/v1/traces", PROTOBUF, &span(8)).await;
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("\r\n\r\n"), "{answer}");
    assert!(stage.telemetry().ends_with('\n') && stage.telemetry().contains("0909090909090909"));
    assert_eq!(provider.requests().len(), 0, "telemetry goes to no provider");
}

#[tokio::test]
async fn a_batch_in_chunks_is_taken_and_one_that_is_cut_off_is_not() {
    let (_provider, stage) = stage().await;
    let head =
        format!("POST BASE/v1/traces HTTP/1.1\r\nHost: HOST\r\n{JSON}Transfer-Encoding: chunked\r\n\r\n");
    let (one, other) = CALL.split_at(100);
    let chunks = format!("{:x}\r\n{one}\r\n{:x}\r\n{other}\r\n", one.len(), other.len());
    let answer = stage.exchange(format!("{}{chunks}0\r\n\r\n", stage.request(&head)).as_bytes()).await;
    assert!(answer.starts_with(b"HTTP/1.1 200 "), "{}", String::from_utf8_lossy(&answer));

    let mut stream = stage.connect().await;
    tokio::io::AsyncWriteExt::write_all(&mut stream, format!("{}{chunks}", stage.request(&head)).as_bytes())
        .await
        .expect("sent");
    drop(stream);
    let answer = stage.post("/v1/traces", JSON, CALL).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert_eq!(stage.telemetry().lines().count(), 2);
}

#[tokio::test]
async fn what_cannot_be_read_is_told_and_the_rest_is_kept() {
    let (_provider, stage) = stage().await;
    let (with_id, without) = (r#"{"traceId":"0a","spanId":"0b","name":"a"}"#, r#"{"name":"b"}"#);
    let body = format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{with_id},{without},7]}}]}}]}}"#);
    let answer = stage.post("/v1/traces", JSON, &body).await;
    assert!(answer.contains(r#""rejectedSpans":"2""#), "{answer}");
    assert!(answer.contains("2 spans without ids were left out."), "{answer}");
    assert!(stage.telemetry().contains(with_id) && !stage.telemetry().contains(without));

    let answer = stage.post_bytes("/v1/traces", PROTOBUF, &span(0)).await;
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert!(answer.contains("1 spans without ids were left out."), "{answer}");

    assert_eq!(stage.telemetry().lines().count(), 1);
    let answer = stage.post("/v1/metrics", JSON, r#"{"resourceMetrics":[]}"#).await;
    assert!(answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("{}"), "{answer}");
    assert_eq!(stage.telemetry().lines().count(), 1, "counts over time are not kept");
}

#[tokio::test]
async fn bombs_and_strangers_are_refused_and_others_are_served_on() {
    let (_provider, stage) = stage().await;
    let gzip = |bytes: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(bytes).expect("packed");
        encoder.finish().expect("packed")
    };
    let deep = format!("{{\"resourceSpans\":{}{}}}", "[".repeat(65), "]".repeat(65));
    let packed = format!("{JSON}Content-Encoding: gzip\r\n");
    let cases: [(&str, &str, Vec<u8>, &str); 9] = [
        ("no JSON", JSON, b"{\"resourceSpans\":".to_vec(), "400"),
        ("no object", JSON, b"[]".to_vec(), "400"),
        ("too deep", JSON, deep.into_bytes(), "400"),
        ("no protobuf", PROTOBUF, b"\x0a\xff\xff\xff\xff\x0f".to_vec(), "400"),
        ("a bomb", &packed, gzip(&vec![b' '; 32 << 20]), "413"),
        ("too large", &packed, gzip(&vec![b' '; (64 << 20) + 1]), "413"),
        ("cut off", &packed, gzip(CALL.as_bytes())[..100].to_vec(), "400"),
        ("no gzip", &packed, CALL.as_bytes().to_vec(), "400"),
        ("another type", "Content-Type: text/plain\r\n", CALL.as_bytes().to_vec(), "415"),
    ];
    for (case, headers, body, status) in cases {
        let answer = stage.post_bytes("/v1/traces", headers, &body).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{case}: {answer}");
    }
    let length = CALL.len();
    for (case, head, status) in [
        ("another name", "POST BASE/v1/traces HTTP/1.1\r\nHost: evil.example\r\n", "421"),
        ("a page", "POST BASE/v1/traces HTTP/1.1\r\nHost: HOST\r\nOrigin: https://evil.example\r\n", "403"),
        ("no token", "POST /v1/traces HTTP/1.1\r\nHost: HOST\r\n", "403"),
        (
            "another token",
            "POST /t/0123456789abcdef0123456789abcdef/v1/traces HTTP/1.1\r\nHost: HOST\r\n",
            "403",
        ),
    ] {
        let request = stage.request(&format!("{head}{JSON}Content-Length: {length}\r\n\r\n{CALL}"));
        let answer = String::from_utf8_lossy(&stage.exchange(request.as_bytes()).await).into_owned();
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{case}: {answer}");
    }
    assert_eq!(stage.telemetry(), "");
    assert!(stage.post("/v1/traces", JSON, CALL).await.starts_with("HTTP/1.1 200 "));
    assert!(stage.post("/v1/messages", "", "{}").await.starts_with("HTTP/1.1 200 "), "requests pass");
}

#[tokio::test]
async fn keys_in_telemetry_are_never_written() {
    let (_provider, stage) = stage().await;
    let key = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-abcdefg-hijklmnAA";
    let plants = [
        ("note", "x", key),
        (
            "url.full",
            "https://m.example/v1?key=AIzaSyA1234567890abcdefghijklmnopqrstuv",
            "AIzaSyA1234567890abcdefghijklmnopqrstuv",
        ),
        (
            "http.request.header.authorization",
            "Bearer plain-bearer-of-no-known-shape",
            "plain-bearer-of-no-known-shape",
        ),
        ("http.request.header.x-api-key", "another-of-no-shape", "another-of-no-shape"),
        ("http.request.header.cookie", "a=cookie-of-the-client", "cookie-of-the-client"),
        ("auth.token", "one-of-auth", "one-of-auth"),
        ("session.token", "one-of-a-session", "one-of-a-session"),
        ("db.password", "hunter", "hunter"),
        ("url.full", "https://m.example/v1?a=1&sig=Zq7fj39dke01mdkWq81", "Zq7fj39dke01mdkWq81"),
        ("url.query", "client_secret=Zq7fj39dke02mdkWq81&a=1", "Zq7fj39dke02mdkWq81"),
    ];
    for (name, value, planted) in plants {
        let note = if planted == key { key } else { "x" };
        let body = CALL.replace("NOTE", note).replace("NAME", name).replace("VALUE", value);
        assert!(body.contains(planted));
        let headers = format!("{JSON}Authorization: Bearer plain-bearer-of-no-known-shape\r\n");
        assert!(stage.post("/v1/traces", &headers, &body).await.starts_with("HTTP/1.1 200 "), "{name}");
    }
    let log = stage.telemetry();
    assert_eq!(log.lines().count(), plants.len());
    for (name, _, planted) in plants {
        assert!(!log.contains(planted), "{name} is in {log}");
    }
    assert!(log.contains("‹redacted: ") && log.contains("http.request.header.cookie"), "{log}");
}
