//! Who may use the server.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::failure::Failure;
use super::token::Token;

pub(crate) const TOKEN_HEADER: HeaderName = HeaderName::from_static("x-strata-token");

/// The names this server answers to, and the token it asks for.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    hosts: [String; 3],
    token: Token,
}

impl Access {
    pub(crate) fn new(address: SocketAddr, token: Token) -> Self {
        let port = address.port();
        let hosts = ["127.0.0.1", "localhost", "[::1]"].map(|name| format!("{name}:{port}"));
        Self { hosts, token }
    }

    /// The names that this server answers to.
    pub(crate) fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// A browser that was led here by another name (DNS rebinding) tells that name.
    fn is_own_host(&self, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(HOST).iter();
        match (hosts.next(), hosts.next()) {
            (Some(host), None) => self.hosts.iter().any(|own| own.as_bytes() == host.as_bytes()),
            _ => false,
        }
    }

    /// Scripts send no origin; browsers tell the page's for every request that changes something.
    fn is_own_origin(&self, headers: &HeaderMap) -> bool {
        let is_own = |origin: &[u8]| {
            let host = origin.strip_prefix(b"http://");
            host.is_some_and(|host| self.hosts.iter().any(|own| own.as_bytes() == host))
        };
        headers.get_all(ORIGIN).iter().all(|origin| is_own(origin.as_bytes()))
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        headers.get(TOKEN_HEADER).is_some_and(|token| self.token.is(token.as_bytes()))
    }
}

/// Refuses requests that came under another name, or from a page of another origin.
pub(crate) async fn check_sender(
    State(access): State<Arc<Access>>,
    request: Request,
    next: Next,
) -> Response {
    let headers = request.headers();
    if !access.is_own_host(headers) {
        return refused(
            StatusCode::FORBIDDEN,
            "Strata answers only to the address that `strata serve` printed.",
        );
    }
    if !access.is_own_origin(headers) {
        return refused(StatusCode::FORBIDDEN, "Strata answers only to its own pages.");
    }
    next.run(request).await
}

/// Refuses requests without the token.
pub(crate) async fn check_token(State(access): State<Arc<Access>>, request: Request, next: Next) -> Response {
    if access.has_token(request.headers()) {
        return next.run(request).await;
    }
    refused(
        StatusCode::UNAUTHORIZED,
        "This page is not allowed to talk to Strata any more. Open the address that `strata serve` printed.",
    )
}

fn refused(status: StatusCode, message: &str) -> Response {
    Failure::refused(status, message).into_response()
}
