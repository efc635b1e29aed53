//! What has to be known of a whole rollout to read a record of it.

use strata_model::Json;

use super::fork::Fork;
use super::prompts::{Asked, Prompts};
use crate::values::Value;

/// What the records of a file tell together, as far as they have come in.
#[derive(Debug, Clone, Default)]
pub(super) struct Ahead {
    pub(super) prompts: Prompts,
    pub(super) fork: Fork,
    /// Something the model sees or said stands in a record of its own.
    pub(super) has_items: bool,
    /// Usage stands in records of its own.
    pub(super) has_usage_records: bool,
}

impl Ahead {
    /// Takes note of the next record.
    pub(super) fn note(&mut self, value: &Value) {
        self.prompts.note(value);
        self.fork.note(value);
        self.has_items |= is_item(&value.json);
        self.has_usage_records |= value.json.get("type").and_then(Json::as_str) == Some("token_usage_record");
    }

    /// Whether the first so many records, of which `asked` was asked, are read by this as they are by `before`.
    pub(super) fn agrees(&self, before: &Self, n_records: usize, asked: &Asked) -> bool {
        self.has_items == before.has_items
            && self.has_usage_records == before.has_usage_records
            && self.fork.first_own().min(n_records) == before.fork.first_own().min(n_records)
            && asked.agrees(&before.prompts, &self.prompts)
    }
}

fn is_item(record: &Json) -> bool {
    let kind = record.get("type").and_then(Json::as_str).unwrap_or_default();
    let is_enveloped = ["payload", "msg", "item"].iter().any(|key| record.get(key).is_some());
    kind == "response_item" || (!is_enveloped && (kind == "message" || record.get("role").is_some()))
}
