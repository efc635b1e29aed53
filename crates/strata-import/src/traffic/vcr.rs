//! VCR cassettes: of vcrpy and those who write like it (pytest-recording, go-vcr), of betamax and Ruby's VCR, in YAML or
//! JSON, and in the dialect of pydantic-ai.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use strata_model::take::{take_any, take_first_text, take_object};
use strata_model::{Json, Object, Str, json};

use super::http::{Body, Content, Pair, Pairs};
use crate::documents::read_documents;
use crate::findings::Findings;
use crate::format::Format;
use crate::head::Head;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::time::take_time;
use crate::yaml;

/// What the list of pairs is called.
pub(crate) const LISTS: [&str; 2] = ["interactions", "http_interactions"];

/// A cassette in JSON.
pub(crate) fn is_cassette(keys: Keys<'_>) -> bool {
    LISTS.iter().any(|list| keys.first_has(list, &["request"]))
}

pub(crate) fn is_yaml(head: &Head<'_>) -> bool {
    head.has_line("interactions:") || head.has_line("http_interactions:")
}

pub(crate) fn read(bytes: &[u8], format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut pairs = Pairs::new("interaction that is no model request");
    let interactions = interactions(bytes, findings);
    let n_interactions = interactions.len();
    for (interaction, source) in interactions {
        let pair = match interaction {
            Json::Object(interaction) => pair(interaction, source.clone()),
            _ => None,
        };
        pairs.add(pair, source);
    }
    pairs.finish(n_interactions, format, findings)
}

fn interactions(bytes: &[u8], findings: &mut Findings) -> Vec<(Json, SourceRecord)> {
    if bytes.trim_ascii_start().starts_with(b"{") {
        let documents = read_documents(bytes, &LISTS, findings).into_iter();
        let values = documents.flat_map(|mut it| LISTS.map(|list| it.take(list)).into_iter().flatten());
        return values
            .map(|value| (value.source(), value))
            .map(|(source, value)| (value.json, source))
            .collect();
    }
    let begins = |list: &str| {
        let mut lines = bytes.split(|byte| *byte == b'\n');
        lines.any(|line| line.strip_prefix(list.as_bytes()).is_some_and(|rest| rest.starts_with(b":")))
    };
    let list = LISTS.into_iter().find(|list| begins(list)).unwrap_or(LISTS[0]);
    let items = yaml::listings(bytes, list, findings).into_iter().flat_map(|listing| listing.items);
    items.map(|(item, place)| (item, SourceRecord::Bytes(place))).collect()
}

fn pair(mut interaction: Object, source: SourceRecord) -> Option<Pair<'static>> {
    let mut request = take_object(&mut interaction, "request")?;
    let mut response = take_object(&mut interaction, "response").unwrap_or_default();
    let status = ["status_code", "code", "status"].iter().find_map(|key| {
        let status = response.get(key)?;
        status.get("code").unwrap_or(status).as_i64()
    });
    Some(Pair {
        url: take_first_text(&mut request, &["uri", "url"]).unwrap_or_default().to_string(),
        request: body(&mut request)?,
        response: body(&mut response),
        status,
        time: take_time(&mut interaction, "recorded_at"),
        end: None,
        source,
    })
}

fn body(message: &mut Object) -> Option<Body<'static>> {
    let body = take_any(message, &["parsed_body", "body", "content", "text"])?;
    let content = match body {
        Json::String(text) => content_of(text),
        Json::Object(mut inner) => match take_any(&mut inner, &["base64_string", "string"]) {
            Some(Json::String(text)) => content_of(text),
            Some(other) => json::to_compact(&other).into_bytes().into(),
            None => json::to_compact(&Json::Object(inner)).into_bytes().into(),
        },
        other => json::to_compact(&other).into_bytes().into(),
    };
    Some(Body::new(content, headers(message)))
}

/// What a text says. Binary values lose their tag on the way and come as Base64, which no other body of a model is.
fn content_of(text: Str) -> Content<'static> {
    let is_plain = text.trim_start().starts_with(['{', '[']) || text.len() < 16;
    let packed: String = if is_plain { String::new() } else { text.split_whitespace().collect() };
    match STANDARD.decode(&packed) {
        Ok(bytes) if !bytes.is_empty() => bytes.into(),
        _ => Content::Text(text),
    }
}

/// Headers, which are lists of values, or values.
fn headers(message: &Object) -> impl Iterator<Item = (Cow<'_, str>, Cow<'_, str>)> {
    let headers = message.get("headers").and_then(Json::as_object);
    headers.into_iter().flat_map(Object::iter).filter_map(|(name, value)| {
        let value = value.as_array().and_then(<[Json]>::first).unwrap_or(value).as_str()?;
        Some((Cow::from(&**name), value.into()))
    })
}
