//! The forward proxy.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::peers::{Provider, Stage, write};

const ANSWER: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";

/// The name and password that the address of the proxy holds, as clients send them.
fn credentials(stage: &Stage) -> String {
    let address = stage.gateway.proxy().expect("a proxy").strip_prefix("http://").expect("a scheme");
    STANDARD.encode(address.split_once('@').expect("a password").0)
}

/// A connection behind `CONNECT`, and the status of its answer.
async fn connect(stage: &Stage, to: &str, credentials: &str) -> (TcpStream, u16) {
    let mut stream = stage.connect().await;
    let ask =
        format!("CONNECT {to} HTTP/1.1\r\nHost: {to}\r\nProxy-Authorization: Basic {credentials}\r\n\r\n");
    stream.write_all(ask.as_bytes()).await.expect("a sent request");
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        answer.push(stream.read_u8().await.expect("an answer"));
    }
    let answer = String::from_utf8(answer).expect("words");
    let status = answer.split(' ').nth(1).and_then(|status| status.parse().ok());
    (stream, status.expect("a status"))
}

/// A client that takes certificates of the proxy's authority, or of nobody.
fn client(stage: &Stage, trusts: bool) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    if trusts {
        let pem = std::fs::read(stage.folder.path().join("strata-capture-ca.pem")).expect("a certificate");
        roots.add(CertificateDer::from_pem_slice(&pem).expect("PEM")).expect("a root");
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    TlsConnector::from(Arc::new(config))
}

fn name() -> ServerName<'static> {
    ServerName::try_from("127.0.0.1").expect("a name")
}

#[tokio::test]
async fn a_provider_that_is_asked_for_by_its_own_address_is_spoken_for() {
    let provider = Provider::start(vec![write(ANSWER)]).await;
    let stage = Stage::with_proxy(&provider.address).await;
    let (stream, status) = connect(&stage, &provider.address, &credentials(&stage)).await;
    assert_eq!(status, 200);
    let mut stream = client(&stage, true).connect(name(), stream).await.expect("TLS");
    let body = r#"{"model": "gpt-5", "messages": []}"#;
    let request = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: {}\r\nX-Case: Kept\r\nContent-Length: {}\r\n\r\n{body}",
        provider.address,
        body.len()
    );
    stream.write_all(request.as_bytes()).await.expect("a sent request");
    let mut answer = [0; ANSWER.len()];
    stream.read_exact(&mut answer).await.expect("an answer");
    assert!(answer.starts_with(b"HTTP/1.1 200 OK") && answer.ends_with(b"{}"));
    drop(stream);
    let [seen] = &provider.requests()[..] else { panic!("one request") };
    assert_eq!(String::from_utf8_lossy(seen), request, "it comes as it was sent");

    // A request for another host on this connection goes nowhere.
    let (stream, _) = connect(&stage, &provider.address, &credentials(&stage)).await;
    let mut stream = client(&stage, true).connect(name(), stream).await.expect("TLS");
    stream.write_all(b"GET / HTTP/1.1\r\nHost: other.example\r\n\r\n").await.expect("a sent request");
    let mut status = [0; 12];
    stream.read_exact(&mut status).await.expect("an answer");
    assert_eq!(&status, b"HTTP/1.1 421");
    drop(stream);

    let (log, finished) = stage.close().await;
    assert!(log.contains("/v1/chat/completions"), "{log}");
    assert_eq!(finished.iter().map(|it| it.status).collect::<Vec<_>>(), [Some(200)]);
    assert_eq!(provider.requests().len(), 1);
}

#[tokio::test]
async fn strangers_and_this_computer_are_not_connected_to_anything() {
    let provider = Provider::start(vec![write(ANSWER)]).await;
    let stage = Stage::with_proxy(&provider.address).await;
    let other = Provider::start(vec![write(ANSWER)]).await;
    let right = credentials(&stage);
    let wrong = STANDARD.encode("strata:0123456789abcdef0123456789abcdef");
    for (credentials, to, expected) in [
        (&wrong, provider.address.as_str(), 407),
        (&String::new(), "api.openai.com:443", 407),
        (&right, other.address.as_str(), 403),
        (&right, "localhost:22", 403),
        (&right, "[::1]:22", 403),
    ] {
        assert_eq!(connect(&stage, to, credentials).await.1, expected, "{to}");
    }
    assert!(other.requests().is_empty() && provider.requests().is_empty());

    let closed = Stage::before(&provider.address).await;
    assert_eq!(
        connect(&closed, &provider.address, &right).await.1,
        405,
        "a proxy only where one is asked for"
    );
}

#[tokio::test]
async fn where_a_client_does_not_take_the_certificate_its_next_connection_is_not_read() {
    let provider = Provider::start(vec![write(ANSWER)]).await;
    let stage = Stage::with_proxy(&provider.address).await;
    let (stream, _) = connect(&stage, &provider.address, &credentials(&stage)).await;
    assert!(client(&stage, false).connect(name(), stream).await.is_err());
    while stage.finished.lock().is_empty() {
        tokio::task::yield_now().await;
    }
    // It would be passed through, were it not on this computer.
    assert_eq!(connect(&stage, &provider.address, &credentials(&stage)).await.1, 403);
    assert_eq!(connect(&stage, &provider.address, &credentials(&stage)).await.1, 200, "that was for once");
    let (log, finished) = stage.close().await;
    assert!(finished[0].is_elsewhere() && finished[0].problem.is_some(), "{finished:?}");
    assert!(!log.contains("CONNECT"), "nothing of it is kept: {log}");
}
