//! Keys reach the provider, and nothing else.

use crate::peers::{Provider, Stage, write};

#[tokio::test]
async fn keys_are_passed_on_and_never_written() {
    let answer = "HTTP/1.1 200 OK\r\nset-cookie: id=cookie-of-the-provider\r\ncontent-length: 68\r\n\r\n\
                  {\"text\":\"use AKIAIOSFODNN7EXAMPLQ and ghp_abcdefghijklmnopqrstuvwxyz0123456789\"}";
    let body = answer.split("\r\n\r\n").nth(1).expect("a body");
    let answer = answer.replace("68", &body.len().to_string());
    let provider = Provider::start(vec![write(&answer)]).await;
    let stage = Stage::before(&provider.address).await;
    let keys = [
        "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-abcdefg-hijklmnAA",
        "AIzaSyA1234567890abcdefghijklmnopqrstuv",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "plain-bearer-of-no-known-shape",
        "cookie-of-the-client",
    ];
    let headers = format!(
        "x-api-key: {}\r\nAuthorization: Bearer {}\r\nCookie: a={}\r\nx-note: {}\r\n",
        keys[0], keys[3], keys[4], keys[2]
    );
    let path = format!("/v1beta/models/m:generateContent?key={}&alt=sse", keys[1]);
    let sent = format!(
        "{{\"contents\":[{{\"role\":\"user\",\"parts\":[{{\"text\":\"my key is {}\"}}]}}]}}",
        keys[0]
    );
    stage.post(&path, &headers, &sent).await;

    let request = String::from_utf8_lossy(&provider.requests()[0]).into_owned();
    for key in keys {
        assert!(request.contains(key), "{key} was passed on");
    }
    let (log, finished) = stage.close().await;
    let told = format!("{log}{finished:?}");
    for key in keys.into_iter().chain(["AKIAIOSFODNN7EXAMPLQ", "cookie-of-the-provider"]) {
        assert!(!told.contains(key), "{key} is in {told}");
    }
    assert!(told.contains("my key is ‹redacted: "), "{told}");
    assert!(told.contains("alt=sse"), "what is no key stays: {told}");
}
