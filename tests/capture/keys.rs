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

/// Keys of no known shape, by what they stand under and behind: each is a word with its own number.
#[tokio::test]
async fn keys_are_found_by_the_names_they_stand_under() {
    let provider = Provider::start(vec![write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}")]).await;
    let stage = Stage::before(&provider.address).await;
    let mut n = 0;
    let mut key = || {
        n += 1;
        format!("Zq7fj39dke{n:02}mdkWq81vTn4")
    };
    let headers: String = [
        "X-Portkey-Api-Key",
        "Ocp-Apim-Subscription-Key",
        "X-Access-Token",
        "X-Session-Token",
        "X-Vault-Token",
        "X-LiteLLM-Key",
        "Helicone-Auth",
    ]
    .map(|name| format!("{name}: {}\r\n", key()))
    .concat();
    let headers = headers + "Idempotency-Key: kept-Id3mp0t3ncy-01\r\n";
    let names = ["client_secret", "id_token", "secret", "auth", "signature", "sig", "key", "apikey", "token"];
    let query = names.map(|name| format!("{name}={}", key())).join("&") + &format!("&api%5Fkey={}", key());
    let in_body = names.map(|name| format!(r"https:\/\/h.example\/p?a=1\u0026{name}={}", key())).join(" ");
    let body = format!(
        r#"{{"input":"{in_body} https:\/\/bob:{}@h.example\/x password\u003d{} x\u0026sk-proj-{}{}\u0026","prompt_cache_key":"kept-cache-01-of-02-ab3","tools":[{{"type":"mcp","authorization":"{}","headers":{{"X-Key":"{}"}}}}],"mcp_servers":[{{"authorization_token":"{}"}}]}}"#,
        key(),
        key(),
        key(),
        key(),
        key(),
        key(),
        key()
    );
    stage.post(&format!("/v1/responses?{query}&pageToken=kept-page-01"), &headers, &body).await;

    let n_keys = n;
    let request = String::from_utf8_lossy(&provider.requests()[0]).into_owned();
    assert!(request.ends_with(&body), "the body is passed on as it is");
    assert_eq!(request.matches("Zq7fj39dke").count(), n_keys, "keys are passed on");
    let (log, finished) = stage.close().await;
    let told = format!("{log}{finished:?}");
    let left: Vec<&str> =
        told.match_indices("Zq7fj39dke").map(|(at, _)| &told[at.saturating_sub(40)..at + 24]).collect();
    assert!(left.is_empty(), "{left:#?}");
    for kept in ["kept-Id3mp0t3ncy-01", "kept-cache-01-of-02-ab3", "pageToken=kept-page-01"] {
        assert!(told.contains(kept), "{kept} is no key: {told}");
    }
}
