//! Who calls: each has a token of this start.

use std::sync::Arc;

use anyhow::{Context as _, Result};
use axum::Json;
use axum::extract::{Query, Request, State};
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use serde_json::json;
use strata_app::served::{Asker, Principal};
use strata_mcp::Caller;

use super::context_ids::context_ids;
use crate::serve::{TOKEN_HEADER, Token};

/// Whose contexts there are, where nobody says otherwise.
pub(crate) const LOCAL: &str = "local";

/// Those who may call, with their tokens.
pub(crate) struct Callers(Vec<(Principal, Token)>);

impl Callers {
    /// Makes a token for each name.
    pub(crate) fn named(names: &[String]) -> Result<Self> {
        let names = if names.is_empty() { vec![LOCAL.to_owned()] } else { names.to_vec() };
        let mut made = Vec::new();
        for name in &names {
            let token = Token::random();
            let token =
                token.context("This computer gives no random numbers, so no safe token can be made.")?;
            made.push((Principal::new(name), token));
        }
        Ok(Self(made))
    }

    /// Names and tokens, for whoever started the server.
    pub(crate) fn told(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(principal, token)| (principal.as_str(), token.as_str()))
    }

    fn caller(&self, headers: &HeaderMap) -> Option<Principal> {
        let bearer = headers
            .get(AUTHORIZATION)
            .map(|value| value.as_bytes())
            .and_then(|value| value.strip_prefix(b"Bearer ").or_else(|| value.strip_prefix(b"bearer ")));
        let shown = bearer.or_else(|| headers.get(TOKEN_HEADER).map(|value| value.as_bytes()))?;
        // All are compared, so that the time it takes says nothing.
        let mut found = None;
        for (principal, token) in &self.0 {
            if token.is(shown) {
                found = Some(principal.clone());
            }
        }
        found
    }
}

/// Finds out who calls, and refuses whoever shows no token.
pub(crate) async fn check_caller(
    State(callers): State<Arc<Callers>>,
    mut request: Request,
    next: Next,
) -> Response {
    let Some(principal) = callers.caller(request.headers()) else {
        let error = json!({"error": {
            "code": "UNAUTHORIZED",
            "message": "Send a token that `strata serve` printed, as `Authorization: Bearer TOKEN`.",
        }});
        return (StatusCode::UNAUTHORIZED, [(WWW_AUTHENTICATE, "Bearer")], Json(error)).into_response();
    };
    let query = Query::<Vec<(String, String)>>::try_from_uri(request.uri());
    let query = query.map(|Query(pairs)| pairs).unwrap_or_default();
    let context_ids = context_ids(&query, request.headers());
    request.extensions_mut().insert(Caller(Asker { principal, context_ids }));
    next.run(request).await
}
