//! Telemetry that clients send of themselves (OTLP over HTTP). It comes in by the same door as their requests: an exporter that
//! is pointed at the gateway's address puts `/v1/traces`, `/v1/logs` or `/v1/metrics` behind it, and no provider has such paths.

mod answer;
mod batch;
mod inflate;
mod signal;

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderName};
use hyper::http::request::Parts;
use hyper::{Method, Response, StatusCode};
use serde::Serialize;
use tokio::sync::Semaphore;

use crate::copy::Body;
use crate::log::own_file;
use answer::{Encoding, Refusal, answered, refused};
use batch::Batch;
pub use signal::Signal;

/// No batch is larger, as it was sent or unpacked.
const MAX_BYTES: usize = 64 << 20;

/// So many batches are read at once: each may come to many times its bytes in memory.
const AT_ONCE: usize = 2;

/// What came of a batch, for whoever looks on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Received {
    pub signal: Signal,
    /// Spans or log records that were written.
    pub n_kept: u64,
    /// Those that could not be read.
    pub n_rejected: u64,
    /// As they were sent.
    pub bytes: u64,
    /// Why a batch, or a part of it, is not in the file.
    pub problem: Option<String>,
}

/// Where batches are written, a line each.
pub(crate) struct Telemetry {
    path: PathBuf,
    /// Made with the first batch.
    file: Arc<Mutex<Option<File>>>,
    reading: Semaphore,
    received: Box<dyn Fn(Received) + Send + Sync>,
}

impl Telemetry {
    pub(crate) fn new(path: PathBuf, received: Box<dyn Fn(Received) + Send + Sync>) -> Self {
        Self { path, file: Arc::default(), reading: Semaphore::new(AT_ONCE), received }
    }

    /// What is sent to a path behind the token; `None` where it is no telemetry.
    pub(crate) fn signal(method: &Method, path: &str) -> Option<Signal> {
        let path = path.split('?').next().unwrap_or_default();
        match path.trim_end_matches('/') {
            _ if method != Method::POST => None,
            "/v1/traces" => Some(Signal::Traces),
            "/v1/logs" => Some(Signal::Logs),
            "/v1/metrics" => Some(Signal::Metrics),
            _ => None,
        }
    }

    pub(crate) async fn take(&self, signal: Signal, parts: &Parts, body: Incoming) -> Response<Body> {
        let header = |name: HeaderName| {
            parts.headers.get(name).and_then(|it| it.to_str().ok()).unwrap_or_default().to_ascii_lowercase()
        };
        let known = Encoding::of(&header(CONTENT_TYPE));
        let mut bytes = 0;
        let read = match known {
            Some(encoding) => self.read(signal, encoding, header(CONTENT_ENCODING), body, &mut bytes).await,
            None => Err(Refusal::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "Telemetry comes as application/x-protobuf or application/json.",
            )),
        };
        let encoding = known.unwrap_or(Encoding::Json);
        let told = |n_kept, n_rejected, problem| {
            (self.received)(Received { signal, n_kept, n_rejected, bytes, problem });
        };
        match read {
            Ok(None) => answered(encoding, signal, 0, ""),
            Ok(Some(Batch { n_kept, n_rejected, problem, .. })) => {
                let answer = answered(encoding, signal, n_rejected, problem.as_deref().unwrap_or_default());
                told(n_kept, n_rejected, problem);
                answer
            }
            Err(Refusal { status, why }) => {
                told(0, 0, Some(why.clone()));
                refused(encoding, status, &why)
            }
        }
    }

    /// Writes what a body holds. None of metrics is kept.
    async fn read(
        &self,
        signal: Signal,
        encoding: Encoding,
        coding: String,
        body: Incoming,
        n_bytes: &mut u64,
    ) -> Result<Option<Batch>, Refusal> {
        let collected = Limited::new(body, MAX_BYTES).collect().await.map_err(|error| {
            if error.is::<http_body_util::LengthLimitError>() {
                let why = "A batch of telemetry may have 64 MiB. Make the exporter's batches smaller.";
                Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, why)
            } else {
                Refusal::new(StatusCode::BAD_REQUEST, "The batch ended early.")
            }
        })?;
        let bytes = collected.to_bytes();
        *n_bytes = bytes.len() as u64;
        if signal == Signal::Metrics {
            return Ok(None);
        }
        // It is closed never.
        let _permit = self.reading.acquire().await;
        let (path, file) = (self.path.clone(), Arc::clone(&self.file));
        let read = tokio::task::spawn_blocking(move || {
            let unpacked = inflate::unpacked(&bytes, coding.trim(), MAX_BYTES)?;
            let batch = Batch::read(signal, encoding, &unpacked)?;
            if batch.n_kept > 0 {
                append(&path, &file, &batch.line).map_err(|error| {
                    Refusal::new(
                        StatusCode::SERVICE_UNAVAILABLE,
                        format!("Telemetry could not be written: {error}. Nothing of this batch was kept."),
                    )
                })?;
            }
            Ok(batch)
        });
        let failed = |_| {
            Err(Refusal::new(StatusCode::BAD_REQUEST, "Strata failed at this batch, and kept nothing of it."))
        };
        read.await.unwrap_or_else(failed).map(Some)
    }
}

/// One write a line: a reader never sees a part of one that is there to stay.
fn append(path: &Path, file: &Mutex<Option<File>>, line: &str) -> io::Result<()> {
    let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
    let file = match &mut *file {
        Some(file) => file,
        none => none.insert(own_file(path)?),
    };
    file.write_all(line.as_bytes())
}

impl std::fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Telemetry").field("path", &self.path).finish_non_exhaustive()
    }
}
