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
    masked(text).unwrap_or_else(|| text.into())
}

/// The same; `None` where nothing looks like a key.
pub(crate) fn masked(text: &str) -> Option<String> {
    secret::mask(text).map(|masked| masked.text)
}

/// Whether what stands under a name is there to prove who someone is: `authorization`, `http.request.header.x-api-key`.
pub(crate) fn is_credential(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    // Exporters write headers with either.
    let is = |known: &&str| last.replace('_', "-").eq_ignore_ascii_case(&known.replace('_', "-"));
    CREDENTIALS.iter().any(|known| is(known)) || KEY_NAMES.iter().any(|known| is(known))
}

/// Attributes that hold a key, where they are no headers.
const KEY_NAMES: [&str; 4] = ["api_key", "apikey", "access_token", "client_secret"];

/// Stands for a credential.
pub(crate) fn credential() -> String {
    secret::label("credential")
}
