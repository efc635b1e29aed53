//! The interface's files. They are no secret and need no token.

use axum::http::header::CONTENT_TYPE;
use axum::http::{StatusCode, Uri};
use axum::response::{Html, IntoResponse as _, Response};
use rust_embed::Embed;

use super::failure::Failure;

/// What `npm run build` made. Debug builds read the folder anew for each request.
#[derive(Embed)]
#[folder = "../../ui/dist"]
#[allow_missing = true]
struct Dist;

const PAGE: &str = "index.html";

pub(crate) async fn file(uri: Uri) -> Response {
    let path = match uri.path().trim_start_matches('/') {
        "" => PAGE,
        path => path,
    };
    match Dist::get(path) {
        Some(file) => {
            ([(CONTENT_TYPE, file.metadata.mimetype().to_owned())], file.data.into_owned()).into_response()
        }
        None if path == PAGE => {
            (StatusCode::SERVICE_UNAVAILABLE, Html(include_str!("without-ui.html"))).into_response()
        }
        None => {
            Failure::refused(StatusCode::NOT_FOUND, format!("There is no file `{path}`.")).into_response()
        }
    }
}
