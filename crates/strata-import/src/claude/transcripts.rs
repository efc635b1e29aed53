//! The conversations of a file: one, unless somebody put several transcripts into it.

use strata_model::Json;

use super::transcript::Transcript;
use crate::findings::Findings;
use crate::values::Value;

/// Takes records to the conversations they are of.
#[derive(Debug, Clone, Default)]
pub(super) struct Transcripts {
    all: Vec<Transcript>,
    /// Records that may stand at the head of the next conversation: what comes behind them tells.
    held: Vec<Value>,
}

impl Transcripts {
    pub(super) fn read(&mut self, value: Value, findings: &mut Findings) {
        if self.may_be_a_head(&value.json) {
            self.held.push(value);
            return;
        }
        let at = self.place_of(&value.json);
        for value in std::mem::take(&mut self.held).into_iter().chain([value]) {
            self.all[at].read(value, findings);
        }
    }

    /// All of them, once no record is missing.
    pub(super) fn finished(mut self, findings: &mut Findings) -> Vec<Transcript> {
        let held = std::mem::take(&mut self.held);
        let last = self.last();
        for value in held {
            self.all[last].read(value, findings);
        }
        self.all
    }

    fn last(&mut self) -> usize {
        if self.all.is_empty() {
            self.all.push(Transcript::default());
        }
        self.all.len() - 1
    }

    /// Records behind a conversation that say nothing, and name no session or one that nothing was read of.
    fn may_be_a_head(&self, record: &Json) -> bool {
        let is_begun = self.all.last().is_some_and(|transcript| !transcript.entries.is_empty());
        if !is_begun || record.get("uuid").is_some() || record.get("message").is_some() {
            return false;
        }
        match session_of(record) {
            Some(id) => self.of_session(id).is_none(),
            None => matches!(text(record, "type"), Some("summary" | "file-history-snapshot")),
        }
    }

    fn of_session(&self, id: &str) -> Option<usize> {
        self.all.iter().position(|transcript| transcript.facts.session_ids.contains(id))
    }

    fn place_of(&mut self, record: &Json) -> usize {
        if let Some(known) = session_of(record).and_then(|id| self.of_session(id)) {
            return known;
        }
        let last = self.last();
        if !self.all[last].entries.is_empty() && begins_another(record) {
            self.all.push(Transcript::default());
            return last + 1;
        }
        last
    }
}

/// Whether a record of a session that was not seen before has nothing to do with those above it. Sessions that go on
/// with another one's conversation name a record of that as their parent.
fn begins_another(record: &Json) -> bool {
    let is_root = record.get("uuid").is_some() && record.get("parentUuid").is_some_and(Json::is_null);
    let goes_on = ["logicalParentUuid", "isSidechain", "isCompactSummary", "forkedFrom", "agentId"]
        .iter()
        .any(|key| record.get(key).is_some_and(Json::is_truthy));
    is_root && session_of(record).is_some() && !goes_on && text(record, "subtype") != Some("compact_boundary")
}

fn session_of(record: &Json) -> Option<&str> {
    text(record, "sessionId").or_else(|| text(record, "session_id"))
}

fn text<'r>(record: &'r Json, key: &str) -> Option<&'r str> {
    record.get(key)?.as_str()
}
