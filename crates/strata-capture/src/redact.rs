//! What is kept of headers and addresses.

use hyper::HeaderMap;
use hyper::header::HeaderName;
use strata_model::secret;

use crate::exchange::Headers;

/// Headers that are there to say who someone is, or to prove it.
const CREDENTIALS: [&str; 9] = [
    "authorization",
    "proxy-authorization",
    "x-api-key",
    "x-goog-api-key",
    "api-key",
    "cookie",
    "set-cookie",
    "chatgpt-account-id",
    "x-amz-security-token",
];

/// Members of a query that are keys.
const KEYS: [&str; 7] = ["key", "api_key", "apikey", "api-key", "access_token", "token", "sig"];

/// Without the credentials in them.
pub(crate) fn headers(map: &HeaderMap) -> Headers {
    let kept = |name: &HeaderName, value: &str| {
        if CREDENTIALS.contains(&name.as_str()) {
            return secret::label("credential");
        }
        text(value)
    };
    map.iter()
        .map(|(name, value)| (name.to_string(), kept(name, &String::from_utf8_lossy(value.as_bytes()))))
        .collect()
}

/// Without the keys in its query.
pub(crate) fn url(url: &str) -> String {
    let Some((path, query)) = url.split_once('?') else { return text(url) };
    let is_key = |name: &str| KEYS.iter().any(|key| name.eq_ignore_ascii_case(key));
    let members = query.split('&').map(|member| match member.split_once('=') {
        Some((name, _)) if is_key(name) => format!("{name}={}", secret::label("credential")),
        _ => text(member),
    });
    format!("{}?{}", text(path), members.collect::<Vec<_>>().join("&"))
}

/// With what looks like a key masked.
pub(crate) fn text(text: &str) -> String {
    secret::mask(text).map_or_else(|| text.into(), |masked| masked.text)
}
