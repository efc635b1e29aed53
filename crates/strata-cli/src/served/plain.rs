//! `POST /run` and `GET /context`.

use std::sync::Arc;

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Query, State};
use axum::http::header::{CONTENT_TYPE, COOKIE, SET_COOKIE};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse as _, Response};
use strata_app::served::{HttpAnswer, HttpAsk, IdPlace, ServedApp, answer_http, context_over_http};
use strata_mcp::Caller;
use tokio::task::spawn_blocking;

use crate::serve::Failure;

const CONTEXT_HEADER: HeaderName = HeaderName::from_static("x-context-id");
/// Both spellings, as in a body.
const CONTEXT_QUERY: [&str; 2] = ["context_id", "contextId"];
const CONTEXT_COOKIE: &str = "adcp_context";

type Pairs = Query<Vec<(String, String)>>;

/// An agent is told something.
pub(crate) async fn run(
    State(app): State<Arc<ServedApp>>,
    Extension(Caller(principal)): Extension<Caller>,
    query: Pairs,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let asked = HttpAsk { principal, context_ids: ids(&query, &headers), body: body.to_vec() };
    answered(spawn_blocking(move || answer_http(&app, asked)).await)
}

/// What a context holds.
pub(crate) async fn context(
    State(app): State<Arc<ServedApp>>,
    Extension(Caller(principal)): Extension<Caller>,
    query: Pairs,
    headers: HeaderMap,
) -> Response {
    let asked = HttpAsk { principal, context_ids: ids(&query, &headers), body: Vec::new() };
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

/// Every id that a request names, wherever.
fn ids(Query(query): &Pairs, headers: &HeaderMap) -> Vec<(IdPlace, String)> {
    let text = |value: &axum::http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).trim().to_owned();
    let mut ids: Vec<(IdPlace, String)> =
        headers.get_all(CONTEXT_HEADER).iter().map(|value| (IdPlace::Header, text(value))).collect();
    let asked = query.iter().filter(|(key, _)| CONTEXT_QUERY.contains(&&**key));
    ids.extend(asked.map(|(_, id)| (IdPlace::Query, id.clone())));
    for line in headers.get_all(COOKIE).iter().map(text) {
        let cookies = line.split(';').filter_map(|cookie| cookie.trim().split_once('='));
        let own = cookies.filter(|(name, _)| *name == CONTEXT_COOKIE);
        ids.extend(own.map(|(_, id)| (IdPlace::Cookie, id.trim_matches('"').to_owned())));
    }
    ids
}
