//! A provider that keeps every byte, and a client that sends some.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use strata_capture::{Authority, Finished, Gate, Gateway, OpenGate, Options, Upstream, Upstreams};
use strata_import::{Import, Importer};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// What a provider does on a connection after it read a request.
#[derive(Clone)]
pub(crate) enum Act {
    Write(Vec<u8>),
    Wait(Duration),
    /// Waits until the client is gone.
    UntilGone,
    Close,
}

pub(crate) fn write(text: &str) -> Act {
    Act::Write(text.as_bytes().to_vec())
}

/// What a provider saw.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) requests: Vec<Vec<u8>>,
    /// How long after its last act the client went away.
    pub(crate) gone_after: Option<Duration>,
}

pub(crate) struct Provider {
    pub(crate) address: String,
    pub(crate) seen: Arc<Mutex<Seen>>,
}

impl Provider {
    /// Acts the same on each request.
    pub(crate) async fn start(acts: Vec<Act>) -> Self {
        Self::start_with(move |_| acts.clone()).await
    }

    /// Acts by what was sent.
    pub(crate) async fn start_with(acts: impl Fn(&str) -> Vec<Act> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("its address").to_string();
        let (seen, acts) = (Arc::<Mutex<Seen>>::default(), Arc::new(acts));
        let kept = Arc::clone(&seen);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, Arc::clone(&kept), Arc::clone(&acts)));
            }
        });
        Self { address, seen }
    }

    pub(crate) fn requests(&self) -> Vec<Vec<u8>> {
        self.seen.lock().requests.clone()
    }
}

async fn answer(
    mut stream: TcpStream,
    seen: Arc<Mutex<Seen>>,
    acts: Arc<impl Fn(&str) -> Vec<Act> + Send + Sync + 'static>,
) {
    let _ = stream.set_nodelay(true);
    while let Some(request) = read_message(&mut stream).await {
        seen.lock().requests.push(request.clone());
        for act in acts(&String::from_utf8_lossy(&request)) {
            match act {
                Act::Write(bytes) => {
                    if stream.write_all(&bytes).await.is_err() {
                        return;
                    }
                }
                Act::Wait(time) => tokio::time::sleep(time).await,
                Act::UntilGone => {
                    let began = tokio::time::Instant::now();
                    let _ = stream.read(&mut [0; 64]).await;
                    seen.lock().gone_after = Some(began.elapsed());
                    return;
                }
                Act::Close => return,
            }
        }
    }
}

/// One request or answer with its body, as bytes; `None` at the end of the connection.
pub(crate) async fn read_message(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        if is_whole(&bytes) {
            return Some(bytes);
        }
        let mut chunk = vec![0; 64 << 10];
        match stream.read(&mut chunk).await {
            Ok(0) | Err(_) => return (!bytes.is_empty()).then_some(bytes),
            Ok(n) => bytes.extend_from_slice(&chunk[..n]),
        }
    }
}

fn is_whole(bytes: &[u8]) -> bool {
    let Some(end) = bytes.windows(4).position(|it| it == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
    if head.contains("transfer-encoding: chunked") {
        return bytes.ends_with(b"\r\n0\r\n\r\n");
    }
    let length =
        head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next()?.trim().parse().ok());
    bytes.len() - end - 4 >= length.unwrap_or(0)
}

/// A gateway with one provider behind every name.
pub(crate) struct Stage {
    pub(crate) gateway: Gateway,
    pub(crate) finished: Arc<Mutex<Vec<Finished>>>,
    pub(crate) folder: TempDir,
}

impl Stage {
    pub(crate) async fn before(provider: &str) -> Self {
        Self::with_gate(provider, Arc::new(OpenGate)).await
    }

    pub(crate) async fn with_gate(provider: &str, gate: Arc<dyn Gate>) -> Self {
        Self::start(provider, gate, false).await
    }

    /// A forward proxy, too.
    pub(crate) async fn with_proxy(provider: &str) -> Self {
        Self::start(provider, Arc::new(OpenGate), true).await
    }

    async fn start(provider: &str, gate: Arc<dyn Gate>, is_proxy: bool) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let authority = is_proxy.then(|| Authority::in_folder(folder.path()).expect("an authority"));
        let mut upstreams = Upstreams::default();
        for name in ["openai", "anthropic", "google", "ollama"] {
            upstreams.set(Upstream::new(name, &format!("http://{provider}")).expect("an upstream"));
        }
        let finished = Arc::<Mutex<Vec<Finished>>>::default();
        let kept = Arc::clone(&finished);
        let gateway = Gateway::start(Options {
            port: 0,
            upstreams,
            log: folder.path().join("capture.jsonl"),
            gate,
            finished: Box::new(move |one| kept.lock().push(one)),
            telemetry: folder.path().join("telemetry.jsonl"),
            received: Box::new(|_| {}),
            authority,
        });
        Self { gateway: gateway.await.expect("a gateway"), finished, folder }
    }

    /// `127.0.0.1:PORT`, and what paths begin with.
    pub(crate) fn place(&self) -> (String, String) {
        let rest = self.gateway.base().strip_prefix("http://").expect("a scheme");
        let (host, path) = rest.split_once('/').expect("a token");
        (host.to_owned(), format!("/{path}"))
    }

    /// A request for this gateway; `HOST` and `BASE` stand for its own.
    pub(crate) fn request(&self, text: &str) -> String {
        let (host, base) = self.place();
        text.replace("HOST", &host).replace("BASE", &base)
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.place().0).await.expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        stream
    }

    /// Sends bytes and reads one answer.
    pub(crate) async fn exchange(&self, request: &[u8]) -> Vec<u8> {
        let mut stream = self.connect().await;
        stream.write_all(request).await.expect("a sent request");
        read_message(&mut stream).await.unwrap_or_default()
    }

    /// A body as a client posts it.
    pub(crate) async fn post(&self, path: &str, headers: &str, body: &str) -> String {
        self.post_bytes(path, headers, body.as_bytes()).await
    }

    pub(crate) async fn post_bytes(&self, path: &str, headers: &str, body: &[u8]) -> String {
        let length = body.len();
        let head =
            format!("POST BASE{path} HTTP/1.1\r\nHost: HOST\r\n{headers}Content-Length: {length}\r\n\r\n");
        let answer = self.exchange(&[self.request(&head).as_bytes(), body].concat()).await;
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// What of telemetry was written until now.
    pub(crate) fn telemetry(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("telemetry.jsonl")).unwrap_or_default()
    }

    /// The log of all that happened.
    pub(crate) async fn close(self) -> (String, Vec<Finished>) {
        let log: PathBuf = self.gateway.log().into();
        self.gateway.close().await;
        let text = std::fs::read_to_string(log).expect("a log");
        drop(self.folder);
        let finished = self.finished.lock().clone();
        (text, finished)
    }
}

pub(crate) fn import(log: &str) -> Import {
    let mut importer = Importer::new(strata_import::Format::CAPTURE);
    importer.feed(log.as_bytes());
    importer.finish()
}
