//! Responses of the model, which are written as a line per content block.

use strata_model::take::{take_object, take_text};
use strata_model::{Json, Object, Part, Str};
use strata_wire::CacheVerdict;
use strata_wire::message::anthropic::{self, Blocks};

use super::entry::EntryKind;
use super::finish_reason::finish_reason;
use super::ids::{EntryId, MAIN};
use super::transcript::{Call, PlacedRecord, Transcript};
use super::usage::MessageUsage;
use crate::facts::add;
use crate::findings::Findings;
use crate::marks;

/// A message of the API, taken apart.
struct Message {
    id: Option<Str>,
    model: Option<Str>,
    content: Json,
    stop_reason: Option<Str>,
    usage: Option<Object>,
    rest: Object,
}

impl Message {
    fn read(mut message: Object) -> Self {
        Self {
            // Some gateways write an empty id, which names no response.
            id: take_text(&mut message, "id").filter(|id| !id.is_empty()),
            model: take_text(&mut message, "model"),
            content: message.remove("content").unwrap_or_default(),
            stop_reason: take_text(&mut message, "stop_reason"),
            usage: take_object(&mut message, "usage"),
            rest: message,
        }
    }

    fn is_synthetic(&self) -> bool {
        self.model.as_deref() == Some(marks::SYNTHETIC_MODEL)
    }
}

impl Transcript {
    pub(super) fn response(&mut self, mut placed: PlacedRecord, findings: &mut Findings) {
        let Some(message) = placed.record.message.take() else { return };
        let mut message = Message::read(message);
        let journaled = placed.record.may_be_journaled().then(|| message.content.clone());
        let blocks =
            anthropic::read(std::mem::take(&mut message.content), "assistant", |_| None, &mut self.unmapped);
        let usage = message.usage.take().map(|usage| MessageUsage::read(usage, &mut self.unmapped));
        if placed.record.is_compact_summary {
            let entry = self.summary(&placed, blocks);
            self.set_message(entry, message, usage);
            return self.set_record(entry, placed);
        }
        self.count_line(&placed, &message, usage.as_ref());
        let entry = self.entry_of_message(&placed, &message);
        self.append_blocks(entry, blocks, &placed, findings);
        if let Some(content) = journaled {
            self.journal.said_by_model(entry, content);
        }
        self.set_message(entry, message, usage);
        self.set_record(entry, placed);
    }

    fn count_line(&mut self, placed: &PlacedRecord, message: &Message, usage: Option<&MessageUsage>) {
        if placed.is_relayed {
            self.relayed_responses.extend(message.id.clone());
            return;
        }
        self.facts.assistant_lines += 1;
        add(&mut self.facts.naive_per_line_input_sum, usage.map(MessageUsage::input_tokens));
        self.facts.synthetic_messages += u64::from(message.is_synthetic());
        if let Some(model) = message.model.as_ref().filter(|model| !self.facts.models.contains(*model)) {
            self.facts.models.insert(model.clone());
        }
    }

    /// The event of the response this line belongs to; a new one for its first line.
    fn entry_of_message(&mut self, placed: &PlacedRecord, message: &Message) -> EntryId {
        let key = message.id.clone().map(|id| (placed.lane, id));
        if let Some(entry) = key.as_ref().and_then(|key| self.responses.get(key).copied()) {
            self.entries[entry].sources.push(placed.source.clone());
            self.nodes.set_entry(placed.node, entry);
            return entry;
        }
        let entry = self.add_entry(placed, EntryKind::Response, "model", Vec::new());
        if let Some(key) = key {
            // A sub-agent that is forked off begins with what its parent said. That is no call of its own, even where
            // its records stand before those of its parent.
            let known = self.answered.get(&key.1).copied();
            let is_own = known.is_none() || placed.lane == MAIN;
            if is_own {
                self.answered.insert(key.1.clone(), entry);
            }
            if let Some(copy) = if is_own { known } else { Some(entry) }.filter(|_| !placed.is_relayed) {
                self.entries[copy].custom.insert(marks::RELAYED, true);
            }
            self.entries[entry].note("messageId", key.1.clone());
            self.responses.insert(key, entry);
        }
        entry
    }

    /// Adds the blocks of a line. A resumed session may write lines again; what is there already is not added twice.
    /// Gateways to other providers write what came so far: a block that continues another takes its place.
    fn append_blocks(
        &mut self,
        entry: EntryId,
        blocks: Blocks,
        placed: &PlacedRecord,
        findings: &mut Findings,
    ) {
        // No response has more blocks than this; more are a broken file, which must not cost quadratic time.
        const MAX_COMPARED: usize = 200;
        let n_before = self.entries[entry].parts.len();
        let compared = n_before.saturating_sub(MAX_COMPARED)..n_before;
        for part in blocks.parts {
            let known = &mut self.entries[entry].parts[compared.clone()];
            if known.contains(&part) {
                let message = "a line repeats a block of a response; it was kept once";
                findings.info("repeated-block", &*placed.place, message);
                continue;
            }
            if let Some(shorter) = known.iter_mut().find(|known| continues(&part, known)) {
                *shorter = part;
                continue;
            }
            if let Some(id) = call_id(&part) {
                let name = part.function_call.as_ref().and_then(|call| call.name.clone());
                self.calls.entry(id).or_insert(Call { entry, name });
            }
            self.entries[entry].parts.push(part);
        }
    }

    /// Sets what the message says. The last line has the final counts; earlier ones hold placeholders.
    fn set_message(&mut self, at: EntryId, message: Message, usage: Option<MessageUsage>) {
        let is_synthetic = message.is_synthetic();
        let entry = &mut self.entries[at];
        entry.event.model_version = message.model.or_else(|| entry.event.model_version.take());
        if let Some(reason) = message.stop_reason {
            entry.event.finish_reason = Some(finish_reason(&reason).into());
            entry.note("stopReason", reason);
        }
        if let Some(usage) = usage.filter(|_| !is_synthetic) {
            entry.set_usage(usage);
        }
        for (key, value) in message.rest {
            match &*key {
                "role" | "type" => {}
                "diagnostics" => {
                    let mut said = value.as_object().cloned().unwrap_or_default();
                    if let Some(verdict) = CacheVerdict::take_from_diagnostics(&mut said) {
                        self.entries[at].custom.insert(marks::CACHE_VERDICT, verdict.to_json());
                    }
                    self.entries[at].note(&key, value);
                }
                "stop_details" | "context_management" => self.entries[at].note(&key, value),
                _ => self.unmapped.field("assistant.message", &key, &value),
            }
        }
    }

    /// Sets what the record around the message says.
    fn set_record(&mut self, at: EntryId, mut placed: PlacedRecord) {
        let record = &mut placed.record;
        let entry = &mut self.entries[at];
        if let Some(request) = record.request_id.take() {
            entry.note("requestId", request);
        }
        if let Some(request) = record.take_text("requestRef") {
            if !placed.is_relayed {
                self.journal.answered(request.clone(), at);
            }
            entry.note("requestRef", request);
        }
        if record.take_flag("isApiErrorMessage") {
            let code = record.text("error").unwrap_or("api_error");
            entry.event.error_code = Some(code.into());
            entry.event.error_message = entry.parts.iter().find_map(|part| part.text.clone());
        } else if entry.event.model_version.as_deref() == Some(marks::SYNTHETIC_MODEL)
            && !record.rest.contains_key("error")
        {
            // It is no refusal: the client answered by itself, and no model was asked.
            entry.custom.insert(marks::NOT_SENT, "client");
        }
        if record.take_flag("isAbortedMidStream") {
            entry.event.other.insert("interrupted", true);
        }
        for key in ["supersedesUuids", "errorDetails", "error"] {
            if let Some(value) = record.rest.remove(key) {
                entry.note(key, value);
            }
        }
        if placed.is_relayed {
            entry.custom.insert(marks::RELAYED, true);
        }
        placed.record.note_rest(&mut self.unmapped);
    }
}

fn call_id(part: &Part) -> Option<Str> {
    part.function_call.as_ref()?.id.clone()
}

/// Whether a block is another one with more in it: longer words, or the arguments of the same call.
fn continues(part: &Part, shorter: &Part) -> bool {
    if let Some(id) = call_id(shorter) {
        return call_id(part).is_some_and(|own| own == id);
    }
    let texts = part.text.as_deref().zip(shorter.text.as_deref());
    let is_longer = |(long, short): (&str, &str)| {
        !short.trim().is_empty() && long.len() > short.len() && long.starts_with(short)
    };
    part.thought == shorter.thought && texts.is_some_and(is_longer)
}
