//! Answers of the gateway's own, in the shape that clients read errors in.

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::header::CONTENT_TYPE;
use hyper::{Response, StatusCode};

use crate::copy::{Body, BodyError};

/// An error as OpenAI, Anthropic and Google spell it, all at once: clients look for `error.message`.
pub(crate) fn error_body(status: StatusCode, why: &str) -> Bytes {
    let (kind, name) = match status {
        StatusCode::BAD_REQUEST => ("invalid_request_error", "INVALID_ARGUMENT"),
        _ => ("strata_gateway", "UNAVAILABLE"),
    };
    let value = serde_json::json!({
        "type": "error",
        "error": {"type": kind, "code": status.as_u16(), "status": name, "message": why},
    });
    value.to_string().into()
}

pub(crate) fn error(status: StatusCode, why: &str) -> Response<Body> {
    let body = Full::new(error_body(status, why)).map_err(|never| -> BodyError { match never {} });
    Response::builder()
        .status(status)
        .header(CONTENT_TYPE, "application/json")
        .header("x-strata-error", "gateway")
        .body(body.boxed_unsync())
        .unwrap_or_else(|error| unreachable!("an answer of constants: {error}"))
}
