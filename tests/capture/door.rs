//! Who is not let in.

use crate::peers::{Provider, Stage, write};

const ANSWER: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";

async fn stage() -> (Provider, Stage) {
    let provider = Provider::start(vec![write(ANSWER)]).await;
    let stage = Stage::before(&provider.address).await;
    (provider, stage)
}

#[tokio::test]
async fn strangers_are_refused_and_nothing_of_theirs_reaches_a_provider() {
    let (provider, stage) = stage().await;
    let big = format!("GET BASE/ HTTP/1.1\r\nHost: HOST\r\nx: {}\r\n\r\n", "y".repeat(1 << 20));
    let cases = [
        ("another name", "GET BASE/ HTTP/1.1\r\nHost: evil.example:80\r\n\r\n", "421"),
        ("another port", "GET BASE/ HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n", "421"),
        ("two names", "GET BASE/ HTTP/1.1\r\nHost: HOST\r\nHost: evil.example\r\n\r\n", "421"),
        ("no name", "GET BASE/ HTTP/1.1\r\n\r\n", "421"),
        ("a page", "GET BASE/ HTTP/1.1\r\nHost: HOST\r\nOrigin: https://evil.example\r\n\r\n", "403"),
        ("a page of a file", "GET BASE/ HTTP/1.1\r\nHost: HOST\r\nOrigin: null\r\n\r\n", "403"),
        ("no token", "GET /v1/models HTTP/1.1\r\nHost: HOST\r\n\r\n", "403"),
        (
            "another token",
            "GET /t/0123456789abcdef0123456789abcdef/v1/models HTTP/1.1\r\nHost: HOST\r\n\r\n",
            "403",
        ),
        ("a proxy's request", "GET http://evil.example/ HTTP/1.1\r\nHost: HOST\r\n\r\n", "405"),
        ("a tunnel", "CONNECT evil.example:443 HTTP/1.1\r\nHost: HOST\r\n\r\n", "405"),
        (
            "a page's WebSocket",
            "GET BASE/v1/responses HTTP/1.1\r\nHost: HOST\r\nOrigin: https://evil.example\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
            "403",
        ),
        (
            "two lengths",
            "POST BASE/v1/a HTTP/1.1\r\nHost: HOST\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
            "400",
        ),
        ("no number", "POST BASE/v1/a HTTP/1.1\r\nHost: HOST\r\nContent-Length: +1\r\n\r\na", "400"),
        (
            "a coding that is none",
            "POST BASE/v1/a HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: xchunked\r\n\r\n",
            "400",
        ),
        (
            "chunked twice",
            "POST BASE/v1/a HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "400",
        ),
        (
            "chunked twice in one line",
            "POST BASE/v1/a HTTP/1.1\r\nHost: HOST\r\nTransfer-Encoding: chunked, Chunked\r\n\r\n0\r\n\r\n",
            "400",
        ),
        ("a folded header", "GET BASE/ HTTP/1.1\r\nHost: HOST\r\nx: a\r\n b\r\n\r\n", "400"),
        ("too large a head", &big, "431"),
    ];
    for (case, request, status) in cases {
        let answer = stage.exchange(stage.request(request).as_bytes()).await;
        let answer = String::from_utf8_lossy(&answer);
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{case}: {answer}");
    }
    assert_eq!(provider.requests().len(), 0);
    assert!(
        stage.post("/v1/messages", "", "{}").await.starts_with("HTTP/1.1 200 "),
        "others are served all the same"
    );
    let (log, _) = stage.close().await;
    assert!(!log.contains("evil"), "{log}");
}

#[tokio::test]
async fn a_length_beside_chunks_smuggles_nothing() {
    let (provider, stage) = stage().await;
    let request = stage.request(
        "POST BASE/v1/a HTTP/1.1\r\nHost: HOST\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n\
         0\r\n\r\nGET BASE/v1/smuggled HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    );
    stage.exchange(request.as_bytes()).await;
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    for request in provider.requests() {
        let request = String::from_utf8_lossy(&request).to_lowercase();
        assert!(!request.contains("smuggled"), "{request}");
        assert!(!(request.contains("content-length") && request.contains("transfer-encoding")), "{request}");
    }
}

/// What is behind the chunks is no request of its own for anybody.
#[tokio::test]
async fn a_length_beside_chunks_is_not_passed_on_and_ends_the_connection() {
    let (provider, stage) = stage().await;
    for lengths in
        ["Content-Length: 4\r\nTransfer-Encoding: chunked", "Transfer-Encoding: chunked\r\nContent-Length: 4"]
    {
        let behind = "POST BASE/v1/smuggled HTTP/1.1\r\nHost: HOST\r\nContent-Length: 2\r\n\r\n{}";
        let request = format!(
            "POST BASE/v1/a HTTP/1.1\r\nHost: HOST\r\n{lengths}\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n{behind}"
        );
        stage.exchange(stage.request(&request).as_bytes()).await;
    }
    let requests = provider.requests();
    assert_eq!(requests.len(), 2);
    for request in requests {
        let request = String::from_utf8_lossy(&request).to_ascii_lowercase();
        assert!(!request.contains("content-length") && !request.contains("smuggled"), "{request}");
        assert!(request.ends_with("\r\n\r\n2\r\n{}\r\n0\r\n\r\n"), "{request}");
    }
}
