//! Taking records in, one after the other.

use super::journal;
use super::record::Record;
use super::transcript::{PlacedRecord, Transcript};
use crate::findings::Findings;
use crate::values::Value;

impl Transcript {
    pub(super) fn read(&mut self, value: Value, findings: &mut Findings) {
        self.facts.records += 1;
        self.facts.glued_lines += u64::from(value.is_glued);
        let place = value.place();
        if value.is_glued {
            findings.info("glued-records", &*place, "two records stand on one line; both were read");
        }
        let Some((object, source)) = value.into_record(findings) else { return };
        let mut record = Record::read(object);
        let timestamp = self.note_envelope(&mut record, &place, findings);
        if journal::is_record(&record.kind) {
            return self.journal.read(record, source, &place, &mut self.unmapped, findings);
        }
        let lane = self.lanes.of(&record, &self.nodes);
        if let Some(call) = record.task.as_ref().and_then(|task| self.calls.get(task)) {
            self.lanes.get_mut(lane).called_by = Some(call.entry);
        }
        if record.uuid.as_ref().is_some_and(|uuid| self.nodes.find(uuid).is_some()) {
            self.facts.duplicate_uuids += 1;
        }
        let node = self.nodes.add(&record, lane);
        self.dispatch(
            PlacedRecord { record, lane, node, source, place, timestamp, is_relayed: false },
            findings,
        );
    }

    fn dispatch(&mut self, placed: PlacedRecord, findings: &mut Findings) {
        match &*placed.record.kind {
            "user" if placed.record.message.is_some() => self.user(placed, findings),
            "assistant" if placed.record.message.is_some() => self.response(placed, findings),
            "attachment" => self.attachment(placed),
            "system" => self.system(placed),
            "progress" => self.progress(placed, findings),
            "stream_event" => self.stream_event(&placed),
            "result" if placed.record.is_outcome() => self.outcome(placed),
            "cost-state" => self.cost_state(placed),
            "summary" => self.title(placed, "summary"),
            "ai-title" => self.title(placed, "aiTitle"),
            "custom-title" => self.title(placed, "customTitle"),
            _ => self.keep_raw(&placed, ""),
        }
    }
}
