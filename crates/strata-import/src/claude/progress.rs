//! Progress records: what a tool reports while it runs. Those of the Task tool hold a sub-agent's messages (2.0, 2.1).

use strata_model::{Json, Object, Str};

use super::record::Record;
use super::transcript::{PlacedRecord, Transcript};
use crate::findings::Findings;
use crate::time::epoch_seconds;

impl Transcript {
    pub(super) fn progress(&mut self, mut placed: PlacedRecord, findings: &mut Findings) {
        let data = placed.record.rest.remove("data");
        let kind = data.as_ref().and_then(|data| data.get("type")?.as_str()).unwrap_or_default().to_owned();
        match data {
            Some(Json::Object(data)) if kind == "agent_progress" => self.relay(placed, data, findings),
            _ => self.keep_raw(&placed, &kind),
        }
    }

    fn relay(&mut self, mut outer: PlacedRecord, mut data: Object, findings: &mut Findings) {
        let agent_id: Option<Str> = data.get("agentId").and_then(Json::as_str).map(Into::into);
        let (Some(Json::Object(message)), Some(agent_id)) = (data.remove("message"), agent_id) else {
            return self.keep_raw(&outer, "agent_progress");
        };
        let mut record = Record::read(message);
        record.version.clone_from(&outer.record.version);
        let task = outer.record.take_text("parentToolUseID");
        let lane = self.lanes.agent(&agent_id);
        if let Some(call) = task.as_ref().and_then(|task| self.calls.get(task)) {
            self.lanes.get_mut(lane).called_by = Some(call.entry);
        }
        let timestamp = record.timestamp.as_deref().and_then(epoch_seconds).unwrap_or(outer.timestamp);
        let node = self.nodes.add(&record, lane);
        let n_entries = self.entries.len();
        let source = outer.source.clone();
        let place = outer.place.clone();
        let placed = PlacedRecord { record, lane, node, source, place, timestamp, is_relayed: true };
        match &*placed.record.kind {
            "user" if placed.record.message.is_some() => self.user(placed, findings),
            "assistant" if placed.record.message.is_some() => self.response(placed, findings),
            _ => return self.keep_raw(&outer, "agent_progress"),
        }
        if let (Some(task), Some(entry)) = (task, self.entries.get_mut(n_entries)) {
            entry.note("parentToolUseId", task);
        }
        for (key, value) in data.iter().filter(|(key, _)| !matches!(&***key, "type" | "agentId" | "prompt")) {
            self.unmapped.field("progress.data", key, value);
        }
        outer.record.note_rest(&mut self.unmapped);
    }
}
