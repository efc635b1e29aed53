//! Records of the role `user`: prompts, tool results, and what the client says in the user's name.

use strata_model::FromJson as _;
use strata_wire::message::anthropic::{self, Blocks};

use super::entry::EntryKind;
use super::ids::EntryId;
use super::injected;
use super::transcript::{PlacedRecord, Transcript};
use crate::findings::Findings;
use crate::injected::{SUMMARY, injected_kind};
use crate::marks;

impl Transcript {
    pub(super) fn user(&mut self, mut placed: PlacedRecord, findings: &mut Findings) {
        let Some(mut message) = placed.record.message.take() else { return };
        let content = message.remove("content").unwrap_or_default();
        let journaled = placed.record.may_be_journaled().then(|| content.clone());
        let calls = &self.calls;
        let name_of = |id: &str| calls.get(id).and_then(|call| call.name.clone());
        let blocks = anthropic::read(content, "user", name_of, &mut self.unmapped);
        for (key, value) in message.iter().filter(|(key, _)| &***key != "role") {
            self.unmapped.field("user.message", key, value);
        }
        self.count_blocks(&placed, &blocks, findings);
        if self.is_copy(&placed, &blocks, findings) {
            return;
        }
        let is_summary = placed.record.is_compact_summary || self.follows_boundary(&placed, &blocks);
        let entry = if is_summary { self.summary(&placed, blocks) } else { self.say(&placed, blocks) };
        if let Some(content) = journaled {
            self.journal.said_by_user(entry, content);
        }
        self.finish_user(entry, placed);
    }

    fn count_blocks(&mut self, placed: &PlacedRecord, blocks: &Blocks, findings: &mut Findings) {
        if placed.is_relayed {
            return;
        }
        let facts = &mut self.facts;
        facts.images += blocks.images;
        facts.largest_image_base64_chars =
            facts.largest_image_base64_chars.max(blocks.largest_image_base64_chars);
        self.largest_result_bytes = self.largest_result_bytes.max(blocks.largest_result_bytes);
        let has_results = blocks.parts.iter().any(|part| part.function_response.is_some());
        facts.tool_result_carrier_records += u64::from(has_results);
        if blocks.answered.iter().any(|id| !self.calls.contains_key(id)) {
            let message =
                "a tool result answers a call that is not in this file; it was kept without a tool name";
            findings.info("orphan-result", &*placed.place, message);
        }
    }

    /// A resumed session may write a record again.
    fn is_copy(&mut self, placed: &PlacedRecord, blocks: &Blocks, findings: &mut Findings) -> bool {
        let earlier = placed.record.uuid.as_ref().and_then(|uuid| self.nodes.entry_of(uuid));
        let Some(entry) = earlier.filter(|entry| self.entries[*entry].parts == blocks.parts) else {
            return false;
        };
        self.entries[entry].sources.push(placed.source.clone());
        self.nodes.set_entry(placed.node, entry);
        let message = "a record is written twice; it was kept once";
        findings.info("repeated-record", &*placed.place, message);
        true
    }

    /// The output stream does not mark the summary that follows a compaction.
    fn follows_boundary(&self, placed: &PlacedRecord, blocks: &Blocks) -> bool {
        self.lanes.get(placed.lane).open_compaction.is_some() && injected_kind(&blocks.parts) == Some(SUMMARY)
    }

    fn say(&mut self, placed: &PlacedRecord, blocks: Blocks) -> EntryId {
        let Blocks { parts, answered, .. } = blocks;
        if parts.iter().any(|part| part.function_response.is_some()) {
            return self.add_entry(placed, EntryKind::Results(answered), "user", parts);
        }
        if let Some(kind) = injected::kind_of(&placed.record, placed.lane, &parts) {
            if kind == injected::TRANSCRIPT_ONLY {
                // It is on the screen only.
                let entry = self.add_entry(placed, EntryKind::Notice, "model", Vec::new());
                self.entries[entry].note("type", kind);
                let content: Vec<_> = parts.iter().map(|part| part.to_json()).collect();
                self.entries[entry].note("content", content);
                return entry;
            }
            return self.add_injected(placed, &kind, parts);
        }
        self.add_entry(placed, EntryKind::Prompt, "user", parts)
    }

    fn finish_user(&mut self, at: EntryId, mut placed: PlacedRecord) {
        let entry = &mut self.entries[at];
        if let Some(result) = placed.record.tool_use_result.take() {
            entry.custom.insert(marks::TOOL_USE_RESULT, result);
        }
        if placed.is_relayed {
            entry.custom.insert(marks::RELAYED, true);
        }
        placed.record.note_rest(&mut self.unmapped);
    }
}
