//! Routes, and the rules that hold for all of them.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::DefaultBodyLimit;
use axum::http::StatusCode;
use axum::http::header::{ALLOW, CONTENT_TYPE};
use axum::middleware::{from_fn, from_fn_with_state, map_response};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use serde_json::json;
use strata_app::served::ServedApp;
use tokio_util::sync::CancellationToken;

use super::a2a::{self, Address};
use super::callers::{Callers, check_caller};
use super::plain;
use crate::serve::{Access, add_headers, check_sender};

/// The longest request. What is larger belongs into a file.
const MOST_BYTES: usize = 8 << 20;

/// Everything that an app answers, until `stop` ends the streams.
pub(crate) fn router(
    app: Arc<ServedApp>,
    address: SocketAddr,
    access: Access,
    callers: Arc<Callers>,
    stop: &CancellationToken,
) -> Router {
    let hosts = access.hosts().to_vec();
    let doors = Router::new()
        .route("/run", post(plain::run))
        .route("/context", get(plain::context))
        .route("/a2a", post(a2a::call))
        .route("/.well-known/agent-card.json", get(a2a::card))
        .route("/.well-known/agent.json", get(a2a::card))
        .layer(DefaultBodyLimit::max(MOST_BYTES))
        .layer(Extension(Address(format!("http://{address}").into())))
        .with_state(app.clone());
    doors
        .merge(strata_mcp::agents(app, hosts, MOST_BYTES, stop))
        .layer(from_fn_with_state(callers, check_caller))
        .layer(from_fn_with_state(Arc::new(access), check_sender))
        .layer(map_response(told_as_document))
        .layer(from_fn(add_headers))
}

/// What is refused before any door has seen it, in words of the libraries or in none: programs get a code.
async fn told_as_document(response: Response) -> Response {
    const DOORS: &str =
        "There are POST /run, GET /context, POST /a2a, /mcp and GET /.well-known/agent-card.json.";
    let kind = response.headers().get(CONTENT_TYPE).map(|kind| kind.as_bytes());
    let is_document = kind.is_some_and(|kind| kind.starts_with(b"application/json"));
    let status = response.status();
    let (code, message) = match status {
        StatusCode::PAYLOAD_TOO_LARGE if !is_document => (
            "REQUEST_TOO_LARGE",
            format!("A request has at most {} MB. Nothing was done. Send less at once.", MOST_BYTES >> 20),
        ),
        StatusCode::NOT_FOUND if kind.is_none() => ("NOT_FOUND", format!("Nothing is served here. {DOORS}")),
        StatusCode::METHOD_NOT_ALLOWED if kind.is_none() => {
            ("METHOD_NOT_ALLOWED", format!("This is not how it is asked. {DOORS}"))
        }
        _ => return response,
    };
    let allowed = response.headers().get(ALLOW).cloned();
    let mut told = (status, Json(json!({"error": {"code": code, "message": message}}))).into_response();
    told.headers_mut().extend(allowed.map(|allowed| (ALLOW, allowed)));
    told
}
