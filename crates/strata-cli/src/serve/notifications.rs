//! `GET /api/notifications`

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use futures_util::{StreamExt as _, stream};
use strata_app::api::job::Notification;
use tokio::sync::mpsc::{Sender, channel};
use tokio_util::sync::CancellationToken;

use super::backend::Backend;

/// Lines that wait for a slow reader before the app's notifications wait too.
const WAITING_LINES: usize = 64;

/// How soon a reader that left is noticed.
const LOOK_AROUND: Duration = Duration::from_millis(500);

/// Sends notifications as they come, one JSON text a line, until the reader leaves or the server stops.
pub(crate) async fn listen(State((backend, stop)): State<(Arc<dyn Backend>, CancellationToken)>) -> Response {
    let notifications = backend.subscribe();
    let (sender, mut lines) = channel(WAITING_LINES);
    thread::spawn(move || forward(&notifications, &sender));
    let lines = stream::poll_fn(move |context| lines.poll_recv(context)).map(Ok::<_, Infallible>);
    let body = Body::from_stream(lines.take_until(stop.cancelled_owned()));
    ([(CONTENT_TYPE, "application/x-ndjson")], body).into_response()
}

/// Carries notifications from the app's channel, which blocks, to the connection's, which must not.
fn forward(notifications: &Receiver<Notification>, lines: &Sender<Bytes>) {
    loop {
        match notifications.recv_timeout(LOOK_AROUND) {
            Ok(notification) => {
                let Ok(mut line) = serde_json::to_vec(&notification) else { continue };
                line.push(b'\n');
                if lines.blocking_send(line.into()).is_err() {
                    return;
                }
            }
            Err(RecvTimeoutError::Timeout) if !lines.is_closed() => {}
            Err(_) => return,
        }
    }
}
