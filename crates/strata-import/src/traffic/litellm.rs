//! LiteLLM's `StandardLoggingPayload`: one object a call, as callbacks and buckets get it.

use strata_model::take::{take_any, take_first_text, take_object, unpacked};
use strata_model::{Json, Object};
use strata_wire::Answer;
use strata_wire::usage::spelling::LITELLM;
use strata_wire::usage::{self, UsageReport};

use crate::align::{Step, sessions};
use crate::document_file::DocumentFormat;
use crate::documents::Document;
use crate::draft::Draft;
use crate::exchange::{Exchange, read_exchange};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::ImportedSession;
use crate::keys::Keys;
use crate::source::SourceRecord;
use crate::time::take_time;

/// What stands where messages were, when logging them is switched off.
const REDACTED: &str = "redacted-by-litellm";

pub(crate) fn is_payload(keys: Keys<'_>) -> bool {
    keys.has("litellm_call_id") || keys.has_all(&["call_type", "custom_llm_provider"])
}

pub(crate) static DOCUMENTS: DocumentFormat =
    DocumentFormat { lists: &[""], repeats: true, read, read_other: None };

fn read(documents: Vec<Document>, format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let mut draft = Draft::new("litellm", "model");
    let mut steps = Vec::new();
    for mut document in documents {
        let mut payloads: Vec<_> = document
            .take("")
            .into_iter()
            .filter_map(|value| {
                let source = value.source();
                Some((draft.object("file", value.json)?, source))
            })
            .collect();
        if !document.fields.is_empty() {
            payloads.push((document.fields, document.source));
        }
        for (payload, source) in payloads {
            match exchange(payload, source.clone(), &mut draft, findings) {
                Some(exchange) => steps.push(Step::Exchange(Box::new(exchange))),
                None => draft.unmapped.record("payload of no model call", source),
            }
        }
    }
    sessions(steps, draft, format, findings)
}

fn exchange(
    mut payload: Object,
    source: SourceRecord,
    draft: &mut Draft,
    findings: &mut Findings,
) -> Option<Exchange> {
    let kind = payload.get("call_type").and_then(Json::as_str).unwrap_or_default();
    let others =
        ["embedding", "image", "moderation", "transcription", "speech", "rerank", "file", "count_tokens"];
    if others.iter().any(|other| kind.contains(other)) {
        return None;
    }
    let messages = payload.remove("messages").map(unpacked)?;
    if messages.as_str() == Some(REDACTED) {
        let message = "a call was logged without its messages; only its usage was imported";
        findings.warning("redacted", "", message);
    }
    let messages = match messages {
        Json::String(text) if &*text == REDACTED => Vec::new(),
        Json::Array(messages) => messages,
        Json::Null => Vec::new(),
        // What the database of the proxy keeps when it keeps no messages.
        Json::Object(messages) if messages.is_empty() => Vec::new(),
        other => vec![other],
    };
    let mut body = take_object(&mut payload, "model_parameters").unwrap_or_default();
    body.push_some("model", payload.get("model").cloned());
    body.insert("messages", messages);
    let mut exchange = read_exchange(Json::Object(body), None, source, draft)?;
    let response = take_any(&mut payload, &["response"]).filter(|it| it.as_str() != Some(REDACTED));
    let response = response.map(unpacked).filter(Json::is_truthy);
    let mut answer = response.map_or_else(Answer::default, |response| draft.reader().answer(response));
    let counts = LITELLM.read(&payload);
    let mut metadata = take_object(&mut payload, "metadata").unwrap_or_default();
    if let Some(usage) = take_object(&mut metadata, "usage_object").filter(|_| answer.usage.is_none()) {
        answer.usage = usage::read(usage, "metadata.usage_object", &mut draft.unmapped);
    }
    if answer.usage.is_none() && counts.total.unwrap_or(0) > 0 {
        answer.usage = Some(UsageReport::from(counts));
    }
    answer.model = answer.model.or_else(|| take_first_text(&mut payload, &["model"]));
    if let Some(error) = take_first_text(&mut payload, &["error_str"]) {
        answer.error.get_or_insert(("error".into(), error));
    }
    exchange.time = take_time(&mut payload, "startTime");
    exchange.end = take_time(&mut payload, "endTime");
    exchange.about.session = take_first_text(&mut payload, &["session_id"]);
    exchange.answer = Some(answer);
    for key in ["id", "litellm_call_id", "prompt_tokens", "completion_tokens", "total_tokens"] {
        payload.remove(key);
    }
    payload.retain(|_, value| value.is_truthy());
    metadata.retain(|_, value| value.is_truthy());
    draft.note_rest("payload.metadata", &metadata);
    draft.note_rest("payload", &payload);
    Some(exchange)
}
