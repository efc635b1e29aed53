//! Rollouts as they come in.

use super::ahead::Ahead;
use super::bare;
use super::rollout::Rollout;
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::Import;
use crate::pieces::PieceReader;
use crate::records::RecordReader;
use crate::values::Value;

/// Records at the end of a file that may still turn out to be something else: the interface tells of a prompt in a record
/// beside that of its item.
const UNSETTLED: usize = 64;

/// Reads a rollout. How a record is read depends on others behind it, so records wait until all are there that are to be
/// told.
#[derive(Debug)]
pub(super) struct RolloutReader {
    format: Format,
    records: RecordReader,
    /// What was found while records were taken apart; that stands before what they tell.
    findings: Findings,
    ahead: Ahead,
    told: Told,
    /// Records that are not in `told`.
    waiting: Vec<Value>,
}

/// What the first records come to.
#[derive(Debug, Clone)]
struct Told {
    rollout: Rollout,
    findings: Findings,
}

impl RolloutReader {
    pub(super) fn new(format: Format) -> Self {
        Self {
            format,
            records: RecordReader::default(),
            findings: Findings::default(),
            ahead: Ahead::default(),
            told: Told { rollout: Rollout::new(), findings: Findings::default() },
            waiting: Vec::new(),
        }
    }
}

impl PieceReader for RolloutReader {
    fn feed(&mut self, bytes: &[u8]) {
        let Self { records, findings, ahead, waiting, .. } = self;
        records.feed(bytes, findings, |value, _| take(value, ahead, waiting));
    }

    fn finish(self: Box<Self>) -> Import {
        let Self { format, mut records, mut findings, mut ahead, mut told, mut waiting } = *self;
        records.rest(&mut findings, |value, _| take(value, &mut ahead, &mut waiting));
        told.rollout.look_ahead(&ahead);
        told.read(waiting);
        told.finish(format, findings)
    }

    fn so_far(&mut self) -> Option<Import> {
        let (mut findings, mut ahead, mut rest) = (self.findings.clone(), self.ahead.clone(), Vec::new());
        self.records.rest(&mut findings, |value, _| take(value, &mut ahead, &mut rest));
        if !self.told.rollout.look_ahead(&ahead) {
            return None;
        }
        let n_settled = self.waiting.len().saturating_sub(UNSETTLED);
        self.told.read(self.waiting.drain(..n_settled));
        let mut told = self.told.clone();
        told.read(self.waiting.iter().cloned().chain(rest));
        Some(told.finish(self.format, findings))
    }
}

fn take(value: Value, ahead: &mut Ahead, records: &mut Vec<Value>) {
    for record in bare::records(value) {
        ahead.note(&record);
        records.push(record);
    }
}

impl Told {
    fn read(&mut self, records: impl IntoIterator<Item = Value>) {
        for record in records {
            self.rollout.next(record, &mut self.findings);
        }
    }

    fn finish(self, format: Format, mut findings: Findings) -> Import {
        findings.append(self.findings);
        let session = self.rollout.finish(format, &mut findings);
        Import::of(session.into_iter().collect(), findings)
    }
}
