//! What exporters are told, in the encoding they speak.

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::header::CONTENT_TYPE;
use hyper::{Response, StatusCode};
use strata_wire::otlp;

use super::signal::Signal;
use crate::copy::{Body, BodyError};

/// How a batch is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Json,
    Protobuf,
}

impl Encoding {
    pub(super) fn of(content_type: &str) -> Option<Self> {
        match content_type.split(';').next().unwrap_or_default().trim() {
            "application/json" => Some(Self::Json),
            "application/x-protobuf" | "application/protobuf" => Some(Self::Protobuf),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Protobuf => "application/x-protobuf",
        }
    }
}

/// Why a batch was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) status: StatusCode,
    pub(super) why: String,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, why: impl Into<String>) -> Self {
        Self { status, why: why.into() }
    }
}

/// Thanks; with the number of records that were not taken where there are some.
pub(super) fn answered(encoding: Encoding, signal: Signal, n_rejected: u64, why: &str) -> Response<Body> {
    let body = match encoding {
        _ if n_rejected == 0 && encoding == Encoding::Json => b"{}".to_vec(),
        _ if n_rejected == 0 => Vec::new(),
        Encoding::Json => {
            let name = match signal {
                Signal::Traces => "rejectedSpans",
                Signal::Logs => "rejectedLogRecords",
                Signal::Metrics => "rejectedDataPoints",
            };
            let told = serde_json::json!({name: n_rejected.to_string(), "errorMessage": why});
            serde_json::json!({"partialSuccess": told}).to_string().into_bytes()
        }
        Encoding::Protobuf => otlp::partial_success(i64::try_from(n_rejected).unwrap_or(i64::MAX), why),
    };
    respond(StatusCode::OK, encoding, body)
}

/// The numbers of `google.rpc.Code`.
fn code(status: StatusCode) -> i64 {
    const INVALID_ARGUMENT: i64 = 3;
    const RESOURCE_EXHAUSTED: i64 = 8;
    const UNAVAILABLE: i64 = 14;
    match status {
        StatusCode::PAYLOAD_TOO_LARGE => RESOURCE_EXHAUSTED,
        StatusCode::SERVICE_UNAVAILABLE => UNAVAILABLE,
        _ => INVALID_ARGUMENT,
    }
}

pub(super) fn refused(encoding: Encoding, status: StatusCode, why: &str) -> Response<Body> {
    let body = match encoding {
        Encoding::Json => serde_json::json!({"code": code(status), "message": why}).to_string().into_bytes(),
        Encoding::Protobuf => otlp::status(code(status), why),
    };
    respond(status, encoding, body)
}

fn respond(status: StatusCode, encoding: Encoding, body: Vec<u8>) -> Response<Body> {
    let body = Full::new(Bytes::from(body)).map_err(|never| -> BodyError { match never {} });
    Response::builder()
        .status(status)
        .header(CONTENT_TYPE, encoding.name())
        .body(body.boxed_unsync())
        .unwrap_or_else(|error| unreachable!("an answer of constants: {error}"))
}
