//! What the gateway adds, beside the same client without it.
//!
//! - `gateway_first_byte`: from sending a request of 200 KB until the first byte of its answer, on a connection that is there.
//! - `gateway_chunk`: from a provider's write until its client has read it, 10 streams at once.
//! - `gateway_memory` is printed: what this process grows by over 20,000 calls and 50 streams, the provider and the clients
//!   among it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, SamplingMode, criterion_group, criterion_main};
use futures_util::future::join_all;
use strata_capture::{Gateway, OpenGate, Options, Upstream, Upstreams};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::tcp::OwnedReadHalf;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;

const N_STREAMS: usize = 10;
const N_CHUNKS: u32 = 50;
/// Between two chunks of a stream.
const GAP: Duration = Duration::from_millis(2);
const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

/// Reads a head and the body it announces; whether the path asks for a stream. `None` at the end of the connection.
async fn read_request(reader: &mut BufReader<OwnedReadHalf>) -> Option<bool> {
    let (mut length, mut is_stream, mut is_first) = (0, false, true);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        if std::mem::take(&mut is_first) {
            is_stream = line.contains("/stream");
        }
        let line = line.to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.trim().parse().ok()?;
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).await.ok()?;
    Some(is_stream)
}

/// A provider whose chunks say when they were written, in nanoseconds since `since`.
async fn provide(listener: TcpListener, since: Instant) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(async move {
            stream.set_nodelay(true).ok()?;
            let (reader, mut writer) = stream.into_split();
            let mut reader = BufReader::new(reader);
            while let Some(is_stream) = read_request(&mut reader).await {
                if !is_stream {
                    writer.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await.ok()?;
                    continue;
                }
                writer.write_all(HEAD.as_bytes()).await.ok()?;
                for _ in 0..N_CHUNKS {
                    tokio::time::sleep(GAP).await;
                    let at = format!("data: {:020}\n\n", since.elapsed().as_nanos());
                    writer.write_all(format!("{:x}\r\n{at}\r\n", at.len()).as_bytes()).await.ok()?;
                }
                writer.write_all(b"0\r\n\r\n").await.ok()?;
            }
            Some(())
        });
    }
}

/// Where a client sends to, and what its paths begin with.
#[derive(Clone)]
struct Way {
    host: String,
    base: String,
}

impl Way {
    async fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.host).await.expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        stream
    }

    fn request(&self, path: &str, body: &str) -> Vec<u8> {
        let (Self { host, base }, length) = (self, body.len());
        format!("POST {base}{path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n{body}")
            .into_bytes()
    }

    /// From the first byte of a request until the first of its answer.
    async fn first_byte(stream: &mut TcpStream, request: &[u8]) -> Duration {
        let began = Instant::now();
        stream.write_all(request).await.expect("sent");
        let mut buffer = [0; 4096];
        let mut n = stream.read(&mut buffer).await.expect("an answer");
        let time = began.elapsed();
        while !buffer[..n].ends_with(b"{}") {
            n += stream.read(&mut buffer[n..]).await.expect("the rest");
        }
        time
    }

    /// How long the chunks of a stream were on their way, all together.
    async fn stream(&self, since: Instant) -> Duration {
        let mut stream = self.connect().await;
        stream.write_all(&self.request("/v1/stream", "{}")).await.expect("sent");
        let mut lines = BufReader::new(stream).lines();
        let mut all = Duration::ZERO;
        while let Ok(Some(line)) = lines.next_line().await {
            if line == "0" {
                break;
            }
            let Some(at) = line.strip_prefix("data: ") else { continue };
            let at = Duration::from_nanos(at.parse().expect("a time"));
            all += since.elapsed().saturating_sub(at);
        }
        all
    }
}

/// A provider, and both ways to it.
struct Stage {
    runtime: Runtime,
    since: Instant,
    ways: [(&'static str, Way); 2],
    gateway: Option<Gateway>,
    folder: TempDir,
}

impl Stage {
    fn new() -> Self {
        let (runtime, since) = (Runtime::new().expect("a runtime"), Instant::now());
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("capture.jsonl");
        let (provider, gateway) = runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            let provider = listener.local_addr().expect("its address").to_string();
            tokio::spawn(provide(listener, since));
            let mut upstreams = Upstreams::default();
            upstreams.set(Upstream::new("openai", &format!("http://{provider}")).expect("an upstream"));
            let options = Options {
                port: 0,
                upstreams,
                telemetry: log.with_extension("telemetry"),
                log,
                gate: Arc::new(OpenGate),
                finished: Box::new(|_| {}),
                authority: None,
                received: Box::new(|_| {}),
            };
            (provider, Gateway::start(options).await.expect("a gateway"))
        });
        let (host, base) =
            gateway.base().strip_prefix("http://").and_then(|it| it.split_once('/')).expect("a base");
        let through = Way { host: host.to_owned(), base: format!("/{base}") };
        let ways = [("yardstick_direct", Way { host: provider, base: String::new() }), ("through", through)];
        Self { runtime, since, ways, gateway: Some(gateway), folder }
    }

    fn close(mut self) {
        self.runtime.block_on(self.gateway.take().expect("a gateway").close());
        drop(self.folder);
    }
}

fn body() -> String {
    let words = (0..30_000).fold(String::new(), |words, n| words + &format!("word{} ", n % 997));
    format!(r#"{{"model":"m","messages":[{{"role":"user","content":"{words}"}}]}}"#)
}

fn first_byte(criterion: &mut Criterion) {
    let (stage, body) = (Stage::new(), body());
    let mut group = criterion.benchmark_group("gateway_first_byte");
    for (name, way) in &stage.ways {
        let mut stream = stage.runtime.block_on(way.connect());
        let request = way.request("/v1/responses", &body);
        group.bench_function(*name, |bencher| {
            bencher.iter_custom(|n| {
                stage.runtime.block_on(async {
                    let mut all = Duration::ZERO;
                    for _ in 0..n {
                        all += Way::first_byte(&mut stream, &request).await;
                    }
                    all
                })
            });
        });
    }
    group.finish();
    stage.close();
}

fn chunk(criterion: &mut Criterion) {
    let stage = Stage::new();
    let mut group = criterion.benchmark_group("gateway_chunk");
    group.sampling_mode(SamplingMode::Flat).sample_size(20);
    for (name, way) in &stage.ways {
        group.bench_function(*name, |bencher| {
            bencher.iter_custom(|n| {
                let mut all = Duration::ZERO;
                for _ in 0..n {
                    let streams = (0..N_STREAMS).map(|_| way.stream(stage.since));
                    let sum: Duration = stage.runtime.block_on(join_all(streams)).into_iter().sum();
                    all += sum / (N_CHUNKS * N_STREAMS as u32);
                }
                all
            });
        });
    }
    group.finish();
    stage.close();
}

/// Of this process, in MB; 0 where the system does not tell.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kb: f64 =
        line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse().ok()).unwrap_or_default();
    kb / 1024.0
}

/// A long day in short: conversations of 20 calls of 5 to 100 KB, and streams in between.
fn memory(_: &mut Criterion) {
    // Criterion knows nothing of what is only printed, so it is chosen here as it would be there.
    let mut filters = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).peekable();
    if filters.peek().is_some() && !filters.any(|filter| "gateway_memory".contains(&filter)) {
        return;
    }
    let stage = Stage::new();
    let way = &stage.ways[1].1;
    let words = "words ".repeat(800);
    let mut seen = vec![(0, resident())];
    for conversation in 1..=1_000 {
        stage.runtime.block_on(async {
            let mut stream = way.connect().await;
            let mut messages = String::new();
            for call in 0..20 {
                messages += &format!(r#"{{"role":"user","content":"{conversation} {call} {words}"}},"#);
                let body = format!(r#"{{"model":"m","messages":[{}]}}"#, messages.trim_end_matches(','));
                Way::first_byte(&mut stream, &way.request("/v1/responses", &body)).await;
            }
            if conversation % 200 == 0 {
                join_all((0..N_STREAMS).map(|_| way.stream(stage.since))).await;
            }
        });
        if conversation % 100 == 0 {
            seen.push((conversation * 20, resident()));
        }
    }
    let told: Vec<String> = seen.iter().map(|(calls, mb)| format!("{calls}: {mb:.0}")).collect();
    let log = stage.folder.path().join("capture.jsonl");
    let bytes = std::fs::metadata(log).map_or(0, |log| log.len());
    #[expect(clippy::print_stdout, reason = "it is a measurement for whoever runs it")]
    {
        println!("gateway_memory: MB after so many calls: {}; log {} MB\n", told.join(", "), bytes >> 20);
    }
    stage.close();
}

criterion_group!(benches, first_byte, chunk, memory);
criterion_main!(benches);
