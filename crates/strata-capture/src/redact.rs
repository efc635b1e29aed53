//! What is kept of headers and addresses.

use hyper::HeaderMap;
use hyper::header::HeaderName;
use strata_model::{Json, Object, secret};

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
    secret::without(text).into_owned()
}

/// Whether what stands under a name is there to prove who someone is: `authorization`, `http.request.header.x-api-key`.
fn is_credential(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    // Exporters write headers with either.
    let is = |known: &&str| last.replace('_', "-").eq_ignore_ascii_case(&known.replace('_', "-"));
    CREDENTIALS.iter().any(&is) || KEY_NAMES.iter().any(is)
}

/// Attributes that hold a key, where they are no headers.
const KEY_NAMES: [&str; 4] = ["api_key", "apikey", "access_token", "client_secret"];

/// With what looks like a key masked, and what stands under the name of one.
pub(crate) fn json(value: &mut Json) {
    match value {
        Json::String(text) => {
            if let Some(masked) = secret::mask(text) {
                *text = masked.text.into();
            }
        }
        Json::Array(items) => items.iter_mut().for_each(json),
        Json::Object(object) => {
            // An attribute has its name beside its value.
            let is_pair = object.get("key").and_then(Json::as_str).is_some_and(is_credential);
            each(object, |name, member| match name {
                "value" if is_pair => hide(member),
                name if is_credential(name) => hide(member),
                _ => json(member),
            });
        }
        _ => {}
    }
}

/// Hides every text of a value.
fn hide(value: &mut Json) {
    match value {
        Json::String(text) => *text = secret::label("credential").into(),
        Json::Array(items) => items.iter_mut().for_each(hide),
        Json::Object(object) => each(object, |_, member| hide(member)),
        _ => {}
    }
}

fn each(object: &mut Object, mut change: impl FnMut(&str, &mut Json)) {
    let members = std::mem::take(object).into_iter().map(|(name, mut member)| {
        change(&name, &mut member);
        (name, member)
    });
    *object = members.collect();
}
