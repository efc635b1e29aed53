//! VCR cassettes, in the dialects of vcrpy and of pydantic-ai.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use strata_model::{Json, Object, Str, json};

use super::http::{Pair, text_of};
use crate::align::{Step, sessions};
use crate::draft::Draft;
use crate::findings::Findings;
use crate::format::Format;
use crate::import::ImportedSession;
use crate::source::SourceRecord;
use crate::take::{take_any, take_object, take_time};
use crate::yaml;

pub(crate) fn read(bytes: &[u8], findings: &mut Findings) -> Vec<ImportedSession> {
    let mut draft = Draft::new("http", "model");
    let mut steps = Vec::new();
    let mut n_pairs = 0;
    for listing in yaml::listings(bytes, "interactions", findings) {
        for (interaction, place) in listing.items {
            n_pairs += 1;
            let source = SourceRecord::Bytes(place);
            let Json::Object(interaction) = interaction else { continue };
            let exchange = pair(interaction, source.clone()).and_then(|pair| pair.exchange(&mut draft));
            match exchange {
                Some(exchange) => steps.push(Step::Exchange(Box::new(exchange))),
                None => draft.unmapped.record("interaction that is no model request", source),
            }
        }
    }
    draft.counts.insert("http_pairs", Json::Int(n_pairs));
    sessions(steps, draft, Format::Vcr, findings)
}

fn pair(mut interaction: Object, source: SourceRecord) -> Option<Pair> {
    let mut request = take_object(&mut interaction, "request")?;
    let mut response = take_object(&mut interaction, "response").unwrap_or_default();
    let status = response.get("status").and_then(|status| status.get("code").unwrap_or(status).as_i64());
    Some(Pair {
        request: body(&mut request)?,
        response: body(&mut response),
        status,
        time: take_time(&mut interaction, "recorded_at"),
        end: None,
        source,
    })
}

fn body(message: &mut Object) -> Option<Str> {
    let body = take_any(message, &["parsed_body", "body"])?;
    Some(match body {
        Json::String(text) => text,
        Json::Object(mut inner) => match take_any(&mut inner, &["string", "base64_string"]) {
            Some(Json::String(text)) => STANDARD
                .decode(text.split_whitespace().collect::<String>())
                .ok()
                .filter(|it| it.starts_with(b"\x1f\x8b"))
                .map_or(text, |packed| text_of(&packed)),
            Some(other) => json::to_compact(&other).into(),
            None => json::to_compact(&Json::Object(inner)).into(),
        },
        other => json::to_compact(&other).into(),
    })
}
