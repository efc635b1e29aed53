//! What only the client's output has (`claude -p --output-format stream-json`): pieces of answers, and how a run ended.

use strata_model::take::{take_object, take_text};
use strata_model::{Json, Object, Part};

use super::entry::EntryKind;
use super::finish_reason::finish_reason;
use super::ids::LaneId;
use super::transcript::{PlacedRecord, Transcript};
use super::usage::MessageUsage;
use crate::marks;
use crate::unmapped::Unmapped;

impl Transcript {
    /// A piece of an answer. The words come again in whole messages; the final usage comes only here, since the whole
    /// messages are written before the answer ends.
    pub(super) fn stream_event(&mut self, placed: &PlacedRecord) {
        let Some(event) = placed.record.rest.get("event").and_then(Json::as_object) else {
            return self.keep_raw(placed, "");
        };
        let kind = event.get("type").and_then(Json::as_str).unwrap_or("unknown");
        match kind {
            "message_start" => {
                let message = event.get("message");
                let usage = message.and_then(|message| message.get("usage")?.as_object()).cloned();
                if let Some(id) = message.and_then(|message| message.get("id")?.as_str()) {
                    self.streamed.insert(placed.lane, (id.into(), usage.unwrap_or_default()));
                }
            }
            "message_delta" => self.end_streamed(placed.lane, event),
            _ => {}
        }
        self.keep_raw(placed, kind);
    }

    fn end_streamed(&mut self, lane: LaneId, event: &Object) {
        let Some((id, mut usage)) = self.streamed.remove(&lane) else { return };
        let Some(entry) = self.responses.get(&(lane, id)).copied() else { return };
        let last = event.get("usage").and_then(Json::as_object);
        for (key, value) in last.into_iter().flat_map(Object::iter) {
            // Counts only grow; some gateways leave out what they said before, or say 0.
            let known = usage.get(key).and_then(Json::as_i64).unwrap_or(0);
            if !value.is_null() && value.as_i64().is_none_or(|count| count >= known) {
                usage.insert(key.clone(), value.clone());
            }
        }
        let entry = &mut self.entries[entry];
        if !usage.is_empty() {
            entry.set_usage(MessageUsage::read(usage, &mut Unmapped::default()));
        }
        let reason = event.get("delta").and_then(|delta| delta.get("stop_reason")?.as_str());
        if let Some(reason) = reason {
            entry.event.finish_reason = Some(finish_reason(reason).into());
            entry.note("stopReason", reason);
        }
    }

    /// How a run ended. Its usage is the sum over all calls, so it is only told beside them; where nothing else was kept
    /// of the run, its result is the answer and the sum is all there is.
    pub(super) fn outcome(&mut self, mut placed: PlacedRecord) {
        let rest = &mut placed.record.rest;
        let is_error = rest.get("is_error").is_some_and(Json::is_truthy);
        let subtype = take_text(rest, "subtype").unwrap_or_default();
        let is_failure = is_error || subtype.starts_with("error");
        let text = take_text(rest, "result").filter(|text| !text.is_empty());
        // A file may hold the outputs of several runs.
        let own = self.entries.get(self.n_told..).unwrap_or_default();
        let is_alone = !own.iter().any(|entry| entry.kind == EntryKind::Response);
        let at = if is_alone && !is_failure && text.is_some() {
            let parts = text.clone().map(Part::from_text).into_iter().collect();
            let usage = take_object(&mut placed.record.rest, "usage");
            let at = self.add_entry(&placed, EntryKind::Response, "model", parts);
            let entry = &mut self.entries[at];
            if let Some(usage) = usage {
                entry.set_usage(MessageUsage::read(usage, &mut self.unmapped));
            }
            if placed.record.rest.get("num_turns").and_then(Json::as_i64) != Some(1) {
                entry.custom.insert(marks::SUM, true);
            }
            let models = placed.record.rest.get("modelUsage").and_then(Json::as_object);
            let mut models = models.into_iter().flat_map(Object::keys);
            if let (Some(model), None) = (models.next(), models.next()) {
                entry.event.model_version = Some(model.clone());
                self.facts.models.insert(model.clone());
            }
            at
        } else {
            self.add_entry(&placed, EntryKind::Notice, "model", Vec::new())
        };
        let entry = &mut self.entries[at];
        if is_failure {
            let first =
                placed.record.rest.get("errors").and_then(|errors| errors.as_array()?.first()?.as_str());
            entry.event.error_message = text.clone().or_else(|| first.map(Into::into));
            let code = if subtype.starts_with("error") { subtype.clone() } else { "error".into() };
            entry.event.error_code = Some(code);
        }
        entry.note("subtype", subtype);
        for (key, value) in std::mem::take(&mut placed.record.rest) {
            entry.note(&key, value);
        }
        self.n_told = self.entries.len();
    }
}
