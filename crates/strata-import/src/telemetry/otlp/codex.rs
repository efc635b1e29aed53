//! Codex's records: what a call used stands in the event that ends its answer. Its spans are about its insides.

use strata_model::Json;

use super::log::Log;
use crate::draft::Draft;
use crate::telemetry::span::Span;

/// Whether spans of a program are those of Codex.
pub(super) fn is_own(service: &str) -> bool {
    service.starts_with("codex")
}

/// Takes the records of Codex out of the others, and makes calls of them.
pub(super) fn take_calls(spans: &mut Vec<Span>, logs: Vec<Log>, draft: &mut Draft) -> Vec<Log> {
    let is_codex = |log: &Log| log.event.name.starts_with("codex.");
    let (records, rest): (Vec<Log>, Vec<Log>) = logs.into_iter().partition(is_codex);
    for log in records {
        let text = |key: &str| log.event.attributes.get(key).and_then(Json::as_str);
        let is_end =
            &*log.event.name == "codex.sse_event" && text("event.kind") == Some("response.completed");
        if !is_end {
            draft.unmapped.record(&log.event.name, log.source);
            continue;
        }
        spans.push(call(log, spans.len()));
    }
    rest
}

fn call(log: Log, number: usize) -> Span {
    let mut attributes = log.event.attributes.clone();
    for (said, name) in [
        ("conversation.id", "gen_ai.conversation.id"),
        ("model", "gen_ai.request.model"),
        ("input_token_count", "gen_ai.usage.input_tokens"),
        ("output_token_count", "gen_ai.usage.output_tokens"),
        ("cached_token_count", "gen_ai.usage.cache_read.input_tokens"),
        ("cache_write_token_count", "gen_ai.usage.cache_creation.input_tokens"),
        ("reasoning_token_count", "gen_ai.usage.reasoning.output_tokens"),
    ] {
        if let Some(value) = attributes.remove(said) {
            // Counts are written as text.
            let number = value.as_str().and_then(|text| text.parse::<i64>().ok()).filter(|_| said != "model");
            attributes.insert(name, number.map_or(value, Json::Int));
        }
    }
    attributes.insert("gen_ai.operation.name", "chat");
    attributes.insert("gen_ai.agent.name", "codex");
    Span {
        name: log.event.name,
        trace: log.trace,
        id: format!("answer {number}").into(),
        parent: None,
        start: log.time,
        end: log.time,
        attributes,
        events: Vec::new(),
        error: None,
        source: log.source,
    }
}
