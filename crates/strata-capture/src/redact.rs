//! What is kept of headers, addresses and bodies. Which names are those of credentials, and what looks like one, is said in
//! [`strata_model::secret`].

use std::borrow::Cow;

use hyper::HeaderMap;
use hyper::header::HeaderName;
use percent_encoding::percent_decode_str;
use strata_model::secret::{self, Named};
use strata_model::{Json, Object};

use crate::exchange::Headers;

/// Without the credentials in them.
pub(crate) fn headers(map: &HeaderMap) -> Headers {
    let kept = |name: &HeaderName, value: &str| {
        if secret::is_in_request(name.as_str()) {
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
    let is_key = |name: &str| secret::is_in_request(&percent_decode_str(name).decode_utf8_lossy());
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

/// A body, with what looks like a key masked. JSON stays JSON.
pub(crate) fn body(text: &str) -> Cow<'_, str> {
    secret::without(text)
}

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
            let of_pair = object.get("key").and_then(Json::as_str).and_then(secret::named);
            each(object, |name, member| {
                let named = if name == "value" { of_pair } else { None };
                match named.or_else(|| secret::named(name)) {
                    Some(named) => hide(member, named),
                    None => json(member),
                }
            });
        }
        _ => {}
    }
}

/// What values stand in, in the JSON of telemetry and in lists of headers.
const HOLDERS: [&str; 9] = [
    "stringValue",
    "string_value",
    "bytesValue",
    "bytes_value",
    "arrayValue",
    "array_value",
    "kvlistValue",
    "kvlist_value",
    "values",
];

/// Hides the texts of a value under the name of a credential. An object says what is in it by its own names: the schema of
/// a password is none.
fn hide(value: &mut Json, named: Named) {
    match value {
        Json::String(text) if text.is_empty() || secret::is_masked(text) => {}
        Json::String(text) if named != Named::Perhaps || secret::looks_like_key(text) => {
            *text = secret::label("credential").into();
        }
        Json::Array(items) => items.iter_mut().for_each(|item| hide(item, named)),
        Json::Object(object) => each(object, |name, member| {
            if name == "value" || HOLDERS.contains(&name) { hide(member, named) } else { json(member) }
        }),
        _ => json(value),
    }
}

fn each(object: &mut Object, mut change: impl FnMut(&str, &mut Json)) {
    let members = std::mem::take(object).into_iter().map(|(name, mut member)| {
        change(&name, &mut member);
        (name, member)
    });
    *object = members.collect();
}
