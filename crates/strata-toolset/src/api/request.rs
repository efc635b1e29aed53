//! From the arguments of a call to a request.

use reqwest::header::HeaderMap;
use reqwest::{Method, Url};
use strata_model::{Json, Object, json};

use super::operation::{Operation, Param, Place};
use crate::web::header;

/// A request that can be sent.
#[derive(Debug)]
pub(super) struct Prepared {
    pub method: Method,
    pub url: Url,
    pub headers: HeaderMap,
    /// As the one header that has them all.
    pub cookies: String,
    pub body: Body,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Body {
    None,
    Text(String),
}

/// Headers that an app gives.
pub(super) fn headers(pairs: &[(String, String)]) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        let (name, value) = header(name, value)?;
        headers.insert(name, value);
    }
    Ok(headers)
}

/// Arguments that the operation does not have are left out.
pub(super) fn prepare(operation: &Operation, args: &Object) -> Result<Prepared, String> {
    let mut path = operation.path.clone();
    let mut query: Vec<(String, String)> = Vec::new();
    let mut headers = HeaderMap::new();
    let mut cookies = Vec::new();
    for param in &operation.params {
        let given = args.get(&param.argument).or_else(|| param.default());
        match param.place {
            Place::Path => path = filled(&path, param, given)?,
            Place::Query => {
                if let Some(value) = given.filter(|value| !value.is_null()) {
                    add_query(&mut query, &param.name, value);
                }
            }
            Place::Header => {
                if let Some(value) = given.filter(|value| !value.is_null()) {
                    let (name, value) = header(&param.name, &simple(value))?;
                    headers.insert(name, value);
                }
            }
            Place::Cookie => {
                if let Some(value) = given.filter(|value| !value.is_null()) {
                    let value = simple(value);
                    if value.contains(';') {
                        return Err(format!("The cookie {} has a value that cannot be sent.", param.name));
                    }
                    cookies.push(format!("{}={value}", param.name));
                }
            }
            Place::Body => {}
        }
    }
    let mut url = Url::parse(&format!("{}{path}", operation.base_text()))
        .map_err(|_| format!("`{}{path}` is no whole address.", operation.base_text()))?;
    url.set_fragment(None);
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    let body = body(operation, args, &mut headers)?;
    let method = Method::from_bytes(operation.method.to_uppercase().as_bytes());
    let method = method.map_err(|_| format!("`{}` is no method.", operation.method))?;
    Ok(Prepared { method, url, headers, cookies: cookies.join("; "), body })
}

fn filled(path: &str, param: &Param, given: Option<&Json>) -> Result<String, String> {
    let hole = format!("{{{}}}", param.name);
    if !path.contains(&hole) {
        return Ok(path.to_owned());
    }
    let value = given.ok_or_else(|| format!("Missing required path parameter '{}'.", param.argument))?;
    let value = simple(value);
    // A server that decodes slashes before it reads the path would be led to a place the document does not name.
    if value.replace('\\', "/").split('/').any(|part| part == "." || part == "..") {
        return Err(format!(
            "Path parameter '{}' must not contain current-directory or parent-directory segments.",
            param.name
        ));
    }
    Ok(path.replace(&hole, &segment(&value)))
}

/// A text as one segment of a path: all but letters, digits and `_.-~` is encoded.
fn segment(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'.' | b'-' | b'~' => out.push(byte.into()),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

/// A value in the style that OpenAPI calls simple.
fn simple(value: &Json) -> String {
    match value {
        Json::String(text) => text.to_string(),
        Json::Array(items) => {
            items.iter().filter(|item| !item.is_null()).map(simple).collect::<Vec<_>>().join(",")
        }
        Json::Object(object) => {
            let pairs = object.iter().filter(|(_, value)| !value.is_null());
            pairs.map(|(key, value)| format!("{key},{}", simple(value))).collect::<Vec<_>>().join(",")
        }
        other => json::to_compact(other),
    }
}

/// A list is the same name again and again.
fn add_query(query: &mut Vec<(String, String)>, name: &str, value: &Json) {
    let written = |value: &Json| match value {
        Json::String(text) => text.to_string(),
        Json::Null => String::new(),
        other => json::to_compact(other),
    };
    match value {
        Json::Array(items) => query.extend(items.iter().map(|item| (name.to_owned(), written(item)))),
        other => query.push((name.to_owned(), written(other))),
    }
}

fn body(operation: &Operation, args: &Object, headers: &mut HeaderMap) -> Result<Body, String> {
    let Some((media, kind)) = &operation.body else { return Ok(Body::None) };
    let params = || operation.params.iter().filter(|param| param.place == Place::Body);
    let given = |param: &Param| args.get(&param.argument).or_else(|| param.default()).cloned();
    let value = if kind.as_deref() == Some("object") {
        let fields = params().filter_map(|param| Some((param.name.as_str(), given(param)?)));
        Some(Json::Object(fields.collect()))
    } else {
        params().next().and_then(given).filter(|value| !value.is_null())
    };
    let content_type = header("content-type", media)?;
    headers.insert(content_type.0, content_type.1);
    let Some(value) = value else { return Ok(Body::None) };
    let essence = media.split(';').next().unwrap_or(media).trim();
    if essence == "application/json" || essence.ends_with("+json") {
        return Ok(Body::Text(json::to_compact(&value)));
    }
    match essence {
        "application/x-www-form-urlencoded" => {
            let mut pairs = Vec::new();
            for (name, value) in value.as_object().into_iter().flat_map(Object::iter) {
                add_query(&mut pairs, name, value);
            }
            Ok(Body::Text(form(pairs)))
        }
        "text/plain" | "application/octet-stream" => Ok(Body::Text(simple(&value))),
        other => Err(format!("A body of {other} cannot be sent by Strata; JSON, forms and plain text can.")),
    }
}

/// Names and values as a form sends them.
fn form(pairs: Vec<(String, String)>) -> String {
    let Ok(mut url) = Url::parse("http://form.invalid/") else { return String::new() };
    url.query_pairs_mut().extend_pairs(pairs);
    url.query().unwrap_or_default().to_owned()
}
