//! Rollouts of 2025, which had no envelope: the session first, then the items themselves.

use strata_model::take::take_text;
use strata_model::{Json, Object, Part, Str};

use super::rollout::Rollout;
use crate::draft::{EventDraft, Kind};
use crate::source::SourceRecord;
use crate::values::Value;

/// The records of a value: those of the documents of early 2025, `{session, items}`, or the value itself.
pub(super) fn records(value: Value) -> Vec<Value> {
    let is_document = value.json.get("session").is_some_and(|it| it.as_object().is_some())
        && value.json.get("items").is_some_and(|it| it.as_array().is_some());
    let Value { json: Json::Object(mut document), bytes, line, is_glued } = value else { return vec![value] };
    if !is_document {
        return vec![Value { json: Json::Object(document), bytes, line, is_glued }];
    }
    let session = document.remove("session");
    let items = match document.remove("items") {
        Some(Json::Array(items)) => items,
        _ => Vec::new(),
    };
    let records = session.into_iter().chain(items);
    records.map(|json| Value { json, bytes: bytes.clone(), line, is_glued: false }).collect()
}

impl Rollout {
    pub(super) fn bare(&mut self, kind: Str, mut record: Object, source: SourceRecord) {
        if kind.is_empty() && !record.contains_key("role") {
            return self.untyped(record, source);
        }
        record.insert("type", kind);
        if let Some(message) = record.remove("message") {
            record.insert("content", message);
        }
        if record.get("type").and_then(Json::as_str) == Some("function_result") {
            record.insert("type", "tool_result");
        }
        record.remove("created_at");
        self.item(record, source);
    }

    /// Who and what the session is, a mark between writes, or the first lines that `codex exec --json` put out.
    fn untyped(&mut self, mut record: Object, source: SourceRecord) {
        if let Some(kind) = take_text(&mut record, "record_type") {
            return self.draft.unmapped.record(&format!("record_type.{kind}"), source);
        }
        if let Some(prompt) = take_text(&mut record, "prompt") {
            let say =
                EventDraft { kind: Kind::Prompt, parts: vec![Part::from_text(prompt)], ..self.say(source) };
            self.push_prompt(say);
            return;
        }
        if record.contains_key("id") && !record.contains_key("workdir") {
            return self.meta(record, source);
        }
        if let Some(model) = take_text(&mut record, "model") {
            self.set_model(model);
        }
        self.draft.unmapped.record("record without a type", source);
    }
}
