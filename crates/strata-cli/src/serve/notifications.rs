//! `GET /api/notifications`

use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use futures_util::{StreamExt as _, stream};
use strata_app::api::job::Notification;
use tokio_util::sync::CancellationToken;

use super::backend::Backend;

/// Sends notifications as they come, one JSON text a line, until the reader leaves or the server stops. Those that a
/// slow reader has not taken yet stay in the subscription, which keeps them short.
pub(crate) async fn listen(State((backend, stop)): State<(Arc<dyn Backend>, CancellationToken)>) -> Response {
    let lines = stream::unfold(backend.subscribe(), |mut notifications| async {
        let notification = notifications.next().await?;
        Some((line(&notification), notifications))
    });
    let body = Body::from_stream(lines.take_until(stop.cancelled_owned()));
    ([(CONTENT_TYPE, "application/x-ndjson")], body).into_response()
}

/// One that cannot be written ends the stream, and its reader comes back and asks for everything.
fn line(notification: &Notification) -> serde_json::Result<Bytes> {
    let mut line = serde_json::to_vec(notification)?;
    line.push(b'\n');
    Ok(line.into())
}
