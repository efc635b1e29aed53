//! `POST /api/<command>`

use std::sync::Arc;

use axum::extract::rejection::StringRejection;
use axum::extract::{Path, State};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use strata_app::Reply;
use tokio::task::spawn_blocking;

use super::backend::Backend;
use super::failure::Failure;

/// Runs a command on a thread that may block.
pub(crate) async fn command(
    State(backend): State<Arc<dyn Backend>>,
    Path(name): Path<String>,
    params: Result<String, StringRejection>,
) -> Result<Response, Failure> {
    let params = params.map_err(|rejection| {
        let message = format!("The parameters of `{name}` were not taken: {}.", rejection.body_text());
        Failure::refused(rejection.status(), message)
    })?;
    let command = name.clone();
    let reply = spawn_blocking(move || backend.dispatch(&command, &params))
        .await
        .map_err(|error| Failure::defect(&name, &error))??;
    Ok(match reply {
        Reply::Json(text) => ([(CONTENT_TYPE, "application/json")], text).into_response(),
        Reply::Bytes(bytes) => ([(CONTENT_TYPE, "application/octet-stream")], bytes).into_response(),
    })
}
