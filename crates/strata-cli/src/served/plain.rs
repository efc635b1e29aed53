//! `POST /run` and `GET /context`.

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, SET_COOKIE};
use axum::response::{IntoResponse as _, Response};
use strata_app::served::{HttpAnswer, HttpAsk, ServedApp, answer_http, context_over_http};
use strata_mcp::Caller;
use tokio::task::spawn_blocking;

use super::context_ids::{CONTEXT_COOKIE, CONTEXT_HEADER};
use crate::serve::Failure;

/// An agent is told something.
pub(crate) async fn run(
    State(app): State<Arc<ServedApp>>,
    Extension(Caller(asker)): Extension<Caller>,
    body: Bytes,
) -> Response {
    let asked = HttpAsk { asker, body: body.to_vec() };
    answered(spawn_blocking(move || answer_http(&app, asked)).await)
}

/// What a context holds.
pub(crate) async fn context(
    State(app): State<Arc<ServedApp>>,
    Extension(Caller(asker)): Extension<Caller>,
) -> Response {
    let asked = HttpAsk { asker, body: Vec::new() };
    answered(spawn_blocking(move || context_over_http(&app, asked)).await)
}

fn answered(answer: Result<HttpAnswer, tokio::task::JoinError>) -> Response {
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => return Failure::defect("run", &error).into_response(),
    };
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, [(CONTENT_TYPE, "application/json")], answer.body).into_response();
    if let Some(id) = &answer.context_id {
        let cookie = format!("{CONTEXT_COOKIE}={id}; Path=/; HttpOnly; SameSite=Strict");
        // An id is letters, digits and a few signs: it fits into a header.
        for (name, value) in [(CONTEXT_HEADER, id.as_str()), (SET_COOKIE, cookie.as_str())] {
            if let Ok(value) = value.parse() {
                response.headers_mut().insert(name, value);
            }
        }
    }
    response
}
