//! Records of the type `system`: compactions, retries, notes of the client.

use strata_model::{Json, Object, Part, Str};
use strata_wire::message::anthropic::Blocks;

use super::entry::{EntryKind, Preserved};
use super::ids::EntryId;
use super::transcript::{PlacedRecord, Transcript};
use crate::injected::injected_kind;

impl Transcript {
    pub(super) fn system(&mut self, mut placed: PlacedRecord) {
        let subtype = placed.record.take_text("subtype").unwrap_or_default();
        match &*subtype {
            "compact_boundary" => self.compaction(placed),
            "microcompact_boundary" => {
                self.facts.microcompactions += 1;
                self.notice(placed, &subtype, &["microcompactMetadata"]);
            }
            "api_error" | "api_retry" => self.api_error(placed, &subtype),
            // The model is given the echo of a command and what it put out, as if the user had said it, and does not
            // answer it.
            "local_command" => self.local_command(placed),
            _ => self.keep_raw(&placed, &subtype),
        }
    }

    fn notice(&mut self, mut placed: PlacedRecord, subtype: &Str, carried: &[&str]) -> EntryId {
        let entry = self.add_entry(&placed, EntryKind::Notice, "model", Vec::new());
        self.entries[entry].note("subtype", subtype.clone());
        for key in carried {
            if let Some(value) = placed.record.rest.remove(key) {
                self.entries[entry].note(key, value);
            }
        }
        placed.record.note_rest(&mut self.unmapped);
        entry
    }

    /// A request that failed and was tried again.
    fn api_error(&mut self, placed: PlacedRecord, subtype: &Str) {
        let rest = &placed.record.rest;
        let error = rest.get("error");
        let status = error.and_then(|error| error.get("status")).or_else(|| rest.get("error_status"));
        let status = status.and_then(Json::as_i64);
        let message = error.and_then(|error| {
            error.as_str().or_else(|| error.get("message").or_else(|| error.get("formatted"))?.as_str())
        });
        let (code, message) = (status.map(|status| status.to_string()), message.map(Str::from));
        let carried = [
            "error",
            "retryInMs",
            "retryAttempt",
            "maxRetries",
            "cause",
            "attempt",
            "max_retries",
            "retry_delay_ms",
            "error_status",
        ];
        let agent_id = self.lanes.get(placed.lane).agent_id.clone();
        let entry = self.notice(placed, subtype, &carried);
        let event = &mut self.entries[entry].event;
        self.journal.failed(agent_id, event.timestamp, entry);
        event.error_code = Some(code.map_or_else(|| "api_error".into(), Into::into));
        event.error_message = message;
    }

    fn local_command(&mut self, mut placed: PlacedRecord) {
        let Some(content) = placed.record.take_text("content") else {
            return self.keep_raw(&placed, "local_command");
        };
        let parts = vec![Part::from_text(content)];
        let kind = match injected_kind(&parts) {
            Some("command") | None => "local-command",
            Some(kind) => kind,
        };
        self.add_injected(&placed, kind, parts);
        placed.record.note_rest(&mut self.unmapped);
    }

    /// The boundary; its summary follows as a record of its own.
    fn compaction(&mut self, mut placed: PlacedRecord) {
        let earlier = placed.record.uuid.as_ref().and_then(|uuid| self.nodes.entry_of(uuid));
        if let Some(entry) = earlier {
            self.entries[entry].sources.push(placed.source.clone());
            return self.nodes.set_entry(placed.node, entry);
        }
        let rest = &mut placed.record.rest;
        let metadata = rest.remove("compactMetadata").or_else(|| rest.remove("compact_metadata"));
        let preserved = metadata.as_ref().map(preserved).unwrap_or_default();
        let entry = self.add_entry(&placed, EntryKind::Compaction(preserved), "user", Vec::new());
        self.entries[entry].note("subtype", "compact_boundary");
        if let Some(metadata) = metadata {
            self.entries[entry].note("compactMetadata", metadata);
        }
        self.lanes.get_mut(placed.lane).open_compaction = Some(entry);
        placed.record.note_rest(&mut self.unmapped);
    }

    /// The summary of the compaction before it. Old versions write no boundary.
    pub(super) fn summary(&mut self, placed: &PlacedRecord, blocks: Blocks) -> EntryId {
        let open = self.lanes.get_mut(placed.lane).open_compaction.take();
        let entry = match open {
            Some(entry) => {
                self.entries[entry].sources.push(placed.source.clone());
                self.nodes.set_entry(placed.node, entry);
                entry
            }
            None => self.add_entry(placed, EntryKind::Compaction(Preserved::default()), "user", Vec::new()),
        };
        self.entries[entry].parts = blocks.parts;
        entry
    }
}

/// What a compaction left as it was: from the head of the preserved segment on, and single messages.
fn preserved(metadata: &Json) -> Preserved {
    let inner = |keys: [&str; 2]| keys.iter().find_map(|key| metadata.get(key)).and_then(Json::as_object);
    let segment = inner(["preservedSegment", "preserved_segment"]);
    let head = segment.and_then(|it: &Object| it.get("headUuid").or_else(|| it.get("head_uuid")));
    let messages = inner(["preservedMessages", "preserved_messages"])
        .and_then(|it| it.get("uuids")?.as_array())
        .unwrap_or_default();
    let uuids = head.into_iter().chain(messages).filter_map(Json::as_str);
    Preserved(uuids.map(Into::into).collect())
}
