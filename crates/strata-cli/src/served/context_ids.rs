//! Ids of contexts in what a request says beside its body.

use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderName};
use strata_app::served::IdPlace;

pub(crate) const CONTEXT_HEADER: HeaderName = HeaderName::from_static("x-context-id");
pub(crate) const CONTEXT_COOKIE: &str = "adcp_context";
/// Both spellings, as in a body.
const CONTEXT_QUERY: [&str; 2] = ["context_id", "contextId"];

/// Every id that a request names, wherever.
pub(crate) fn context_ids(query: &[(String, String)], headers: &HeaderMap) -> Vec<(IdPlace, String)> {
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
