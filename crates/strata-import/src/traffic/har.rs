//! HTTP archives (HAR 1.2), as browsers and proxies save them.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use strata_model::take::{take_object, take_text};
use strata_model::{Json, Object};

use super::http::{Body, Content, Pair, Pairs};
use crate::align::Step;
use crate::documents::read_documents;
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::time::take_time;

pub(crate) fn is_archive(keys: Keys<'_>) -> bool {
    keys.inner_has("log", &["entries"])
}

pub(crate) fn read(bytes: &[u8], format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut pairs = Pairs::new("entry that is no model request");
    let mut n_entries = 0;
    for mut document in read_documents(bytes, &["log.entries"], findings) {
        for value in document.take("log.entries") {
            let source = value.source();
            n_entries += 1;
            let Some(entry) = pairs.draft.object("log.entries", value.json) else { continue };
            pairs.add(pair(entry, source.clone()), source);
        }
    }
    let top_level = pairs.steps.iter().filter_map(|step| match step {
        Step::Exchange(exchange) => exchange.answer.as_ref()?.usage.as_ref()?.top_level_input,
        Step::Compaction { .. } => None,
    });
    let top_level: u64 = top_level.sum();
    if top_level > 0 {
        pairs.draft.counts.insert("top_level_input_tokens", Json::Int(top_level as i64));
    }
    pairs.finish(n_entries, format, findings)
}

fn pair(mut entry: Object, source: SourceRecord) -> Option<Pair<'static>> {
    let mut request = take_object(&mut entry, "request")?;
    let url = take_text(&mut request, "url").unwrap_or_default().to_string();
    let mut data = take_object(&mut request, "postData")?;
    let mut response = take_object(&mut entry, "response").unwrap_or_default();
    let status = response.get("status").and_then(Json::as_i64);
    let mut content = take_object(&mut response, "content").unwrap_or_default();
    let time = take_time(&mut entry, "startedDateTime");
    let millis = entry.get("time").and_then(Json::as_f64).filter(|it| *it > 0.0);
    Some(Pair {
        url,
        request: body(&mut data, &request)?,
        response: body(&mut content, &response),
        status,
        time,
        end: time.zip(millis).map(|(time, millis)| time + millis / 1000.0),
        source,
    })
}

/// The body in `text`; nothing where the recorder left it out.
fn body(content: &mut Object, message: &Object) -> Option<Body<'static>> {
    let is_base64 =
        content.get("encoding").and_then(Json::as_str).is_some_and(|it| it.eq_ignore_ascii_case("base64"));
    let text = take_text(content, "text").filter(|text| !text.is_empty())?;
    let decoded = is_base64.then(|| {
        let text: String = text.split_whitespace().collect();
        STANDARD.decode(text).ok()
    });
    let content = decoded.flatten().map_or(Content::Text(text), Content::from);
    let headers = message.get("headers").and_then(Json::as_array).unwrap_or_default();
    let headers = headers.iter().filter_map(|header| {
        let text = |key: &str| Some(Cow::from(header.get(key)?.as_str()?));
        Some((text("name")?, text("value")?))
    });
    Some(Body::new(content, headers))
}
