//! Requests as Helicone exports them: the bodies of a request and of its answer, with what the gateway counted.

use strata_model::take::{take_first_text, take_object, take_text, unpacked};
use strata_model::{Json, Object, Str};
use strata_wire::usage::spelling::HELICONE;

use crate::align::{Step, sessions};
use crate::document_file::DocumentFormat;
use crate::documents::Document;
use crate::draft::Draft;
use crate::exchange::{Exchange, ExchangeContext, read_exchange};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::time::take_time;

/// A request, or an answer of the interface with a list of them.
pub(crate) fn is_request(keys: Keys<'_>) -> bool {
    let is_one = |keys: Keys<'_>| {
        keys.has_any(&["request_id", "response_id"])
            && keys.has_all(&["request_created_at", "response_status"])
    };
    is_one(keys) || keys.first_of("data").is_some_and(is_one)
}

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &["", "data"], repeats: true, read, read_other: None };

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut draft = Draft::new("helicone", "model");
    let mut steps = Vec::new();
    let mut n_bare = 0_usize;
    for mut document in documents {
        let listed = document.take("").into_iter().chain(document.take("data"));
        let listed = listed.map(|value| (value.source(), value.json));
        let mut values: Vec<(SourceRecord, Json)> = listed.collect();
        if values.is_empty() {
            values.push((document.source, Json::Object(document.fields)));
        }
        for (source, value) in values {
            let Some(fields) = draft.object("data", value) else { continue };
            match exchange(fields, source.clone(), &mut draft) {
                Some(exchange) => steps.push(Step::Exchange(Box::new(exchange))),
                None => {
                    n_bare += 1;
                    draft.unmapped.record("request without a body", source);
                }
            }
        }
    }
    if n_bare > 0 {
        let message = format!(
            "{n_bare} requests of this export have no body that could be read; export them again with `--include-body`"
        );
        let say = if steps.is_empty() { Findings::error } else { Findings::warning };
        say(findings, "no-body", "", message);
    }
    sessions(steps, draft, format, findings)
}

/// Properties by which programs name their sessions.
const SESSION: &str = "Helicone-Session-Id";
const TITLE: &str = "Helicone-Session-Name";

fn exchange(mut fields: Object, source: SourceRecord, draft: &mut Draft) -> Option<Exchange> {
    let request = unpacked(fields.remove("request_body")?);
    let response = fields.remove("response_body").map(unpacked).filter(Json::is_truthy);
    let status = fields.remove("response_status").and_then(|status| status.as_i64()).unwrap_or(200);
    let is_refused = !(0..400).contains(&status);
    let answered = if is_refused { None } else { response.clone() };
    let mut exchange = read_exchange(request, answered, source, draft)?;
    if is_refused {
        exchange.refuse(status, response, draft);
    }
    let counts = HELICONE.take(&mut fields);
    if let Some(answer) = exchange.answer.as_mut().filter(|answer| answer.usage.is_none() && !is_refused)
        && counts.has_tokens()
    {
        answer.usage = Some(counts.into());
    }
    exchange.time = take_time(&mut fields, "request_created_at");
    exchange.end = take_time(&mut fields, "response_created_at");
    let mut properties = take_object(&mut fields, "request_properties").unwrap_or_default();
    let more = take_object(&mut fields, "properties").unwrap_or_default();
    properties.update(&more);
    let session: Option<Str> = take_first_text(&mut properties, &[SESSION]);
    exchange.about = ExchangeContext {
        title: take_text(&mut properties, TITLE).filter(|_| session.is_some()),
        session,
        ..ExchangeContext::default()
    };
    draft.note_rest("request.properties", &properties);
    for key in ["request_id", "response_id", "request_model", "response_model", "model", "signed_body_url"] {
        fields.remove(key);
    }
    fields.retain(|_, value| value.is_truthy());
    draft.note_rest("request", &fields);
    Some(exchange)
}
