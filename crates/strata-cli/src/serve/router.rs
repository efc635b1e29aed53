//! Routes and the rules that hold for all of them.

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};
use tokio_util::sync::CancellationToken;

use super::access::{Access, check_sender, check_token};
use super::backend::Backend;
use super::{api, files, notifications, upload};

/// The longest parameters a command may have. Files come by path or upload.
const MAX_PARAMS_BYTES: usize = 8 << 20;

/// The page may load its own files, style itself, and talk to this server. Nothing else.
const CONTENT_SECURITY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; object-src 'none'";

const HEADERS: [(HeaderName, &str); 7] = [
    (CONTENT_SECURITY_POLICY, CONTENT_SECURITY),
    (CACHE_CONTROL, "no-store"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
];

/// Everything the server answers, until `stop` ends the streams.
pub(crate) fn router(backend: Arc<dyn Backend>, access: Access, stop: CancellationToken) -> Router {
    let access = Arc::new(access);
    let guarded = Router::new()
        .route("/api/notifications", get(notifications::listen).with_state((Arc::clone(&backend), stop)))
        .route("/api/{*name}", post(api::command).with_state(Arc::clone(&backend)))
        .route("/upload", post(upload::receive).with_state(backend))
        .layer(DefaultBodyLimit::max(MAX_PARAMS_BYTES))
        .layer(from_fn_with_state(Arc::clone(&access), check_token));
    guarded
        .fallback_service(get(files::file))
        .layer(from_fn_with_state(access, check_sender))
        .layer(from_fn(add_headers))
}

/// What every answer carries.
pub(crate) async fn add_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
