//! `POST /a2a`, and the card.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::unfold;
use strata_app::served::{A2aReply, ServedApp, agent_card, answer_a2a};
use strata_mcp::Caller;
use tokio::task::spawn_blocking;

use crate::serve::Failure;

const VERSION_HEADER: HeaderName = HeaderName::from_static("a2a-version");

const EVENTS: &str = "text/event-stream";

/// Where the app is served.
#[derive(Clone)]
pub(crate) struct Address(pub Arc<str>);

pub(crate) async fn card(
    State(app): State<Arc<ServedApp>>,
    Extension(Address(address)): Extension<Address>,
) -> Response {
    ([(CONTENT_TYPE, "application/json")], agent_card(&app, &format!("{address}/a2a"))).into_response()
}

pub(crate) async fn call(
    State(app): State<Arc<ServedApp>>,
    Extension(Caller(asker)): Extension<Caller>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let version =
        headers.get(VERSION_HEADER).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let answered = spawn_blocking(move || answer_a2a(&app, &body, version.as_deref(), &asker)).await;
    match answered {
        // A client of 0.3 that asked for a stream reads an error as an event of it, and as nothing else.
        Ok(A2aReply::Whole(document)) if wants_events(&headers) => {
            ([(CONTENT_TYPE, EVENTS)], format!("data: {document}\n\n")).into_response()
        }
        Ok(A2aReply::Whole(document)) => ([(CONTENT_TYPE, "application/json")], document).into_response(),
        Ok(A2aReply::Stream(documents)) => {
            let events = unfold(documents, |mut documents| async move {
                let document = documents.recv().await?;
                Some((Ok::<_, Infallible>(format!("data: {document}\n\n")), documents))
            });
            ([(CONTENT_TYPE, EVENTS)], Body::from_stream(events)).into_response()
        }
        Err(error) => Failure::defect("a2a", &error).into_response(),
    }
}

/// A stream is all that a client takes.
fn wants_events(headers: &HeaderMap) -> bool {
    let accepts = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut kinds =
        accepts.flat_map(|line| line.split(',')).map(|kind| kind.split(';').next().unwrap_or("").trim());
    let mut found = false;
    kinds.all(|kind| {
        found |= kind == EVENTS;
        kind == EVENTS
    }) && found
}
