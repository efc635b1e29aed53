//! Rollouts as they come in.

use super::ahead::Ahead;
use super::bare;
use super::rollout::Rollout;
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::{Import, ImportedSession};
use crate::pieces::PieceReader;
use crate::records::RecordReader;
use crate::values::Value;

/// Records at the end of a file that may still turn out to be something else: the interface tells of a prompt in a record
/// beside that of its item.
const UNSETTLED: usize = 64;

/// Reads a file of rollouts: one, unless somebody put several into it.
#[derive(Debug)]
pub(super) struct RolloutReader {
    format: Format,
    records: RecordReader,
    /// What was found while records were taken apart; that stands before what they tell.
    findings: Findings,
    rollouts: Rollouts,
}

/// Rollouts one after the other.
#[derive(Debug)]
struct Rollouts {
    before: Vec<Arriving>,
    last: Arriving,
}

/// A rollout that comes in. How a record is read depends on others behind it, so records wait until all are there that are
/// to be told.
#[derive(Debug)]
struct Arriving {
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
        let rollouts = Rollouts { before: Vec::new(), last: Arriving::of(Ahead::default()) };
        Self { format, records: RecordReader::default(), findings: Findings::default(), rollouts }
    }
}

impl PieceReader for RolloutReader {
    fn feed(&mut self, bytes: &[u8]) {
        let Self { records, findings, rollouts, .. } = self;
        records.feed(bytes, findings, |value, _| rollouts.take(value));
    }

    fn finish(self: Box<Self>) -> Import {
        let Self { format, mut records, mut findings, mut rollouts } = *self;
        records.rest(&mut findings, |value, _| rollouts.take(value));
        let told = rollouts.before.into_iter().chain([rollouts.last]).map(Arriving::told).collect();
        import(told, format, findings)
    }

    fn so_far(&mut self) -> Option<Import> {
        let Self { format, records, findings, rollouts } = self;
        let mut findings = findings.clone();
        // What may still go on is read beside what has come in, which it leaves as it is.
        let mut rest = Rollouts { before: Vec::new(), last: Arriving::of(rollouts.last.ahead.clone()) };
        records.rest(&mut findings, |value, _| rest.take(value));
        let mut rest = rest.before.into_iter().chain([rest.last]);
        let end = rest.next()?;
        let mut told = Vec::new();
        for rollout in &mut rollouts.before {
            told.push(rollout.told_so_far(None)?);
        }
        told.push(rollouts.last.told_so_far(Some(end))?);
        told.extend(rest.map(Arriving::told));
        Some(import(told, *format, findings))
    }
}

fn import(told: Vec<Told>, format: Format, mut findings: Findings) -> Import {
    let mut sessions: Vec<ImportedSession> = Vec::with_capacity(told.len());
    for told in told {
        findings.append(told.findings);
        sessions.extend(told.rollout.finish(format, &mut findings));
    }
    Import::of(sessions, findings)
}

impl Rollouts {
    fn take(&mut self, value: Value) {
        for record in bare::records(value) {
            if self.last.ahead.fork.is_before(&record) {
                self.before.push(std::mem::replace(&mut self.last, Arriving::of(Ahead::default())));
            }
            self.last.ahead.note(&record);
            self.last.waiting.push(record);
        }
    }
}

impl Arriving {
    fn of(ahead: Ahead) -> Self {
        Self {
            ahead,
            told: Told { rollout: Rollout::new(), findings: Findings::default() },
            waiting: Vec::new(),
        }
    }

    /// What all of it comes to.
    fn told(self) -> Told {
        let Self { ahead, mut told, waiting } = self;
        told.rollout.look_ahead(&ahead);
        told.read(waiting);
        told
    }

    /// What it comes to with `end` behind it; `None` where that tells otherwise what came before.
    fn told_so_far(&mut self, end: Option<Self>) -> Option<Told> {
        let (ahead, rest) = match end {
            Some(end) => (end.ahead, end.waiting),
            None => (self.ahead.clone(), Vec::new()),
        };
        if !self.told.rollout.look_ahead(&ahead) {
            return None;
        }
        let n_settled = self.waiting.len().saturating_sub(UNSETTLED);
        self.told.read(self.waiting.drain(..n_settled));
        let mut told = self.told.clone();
        told.read(self.waiting.iter().cloned().chain(rest));
        Some(told)
    }
}

impl Told {
    fn read(&mut self, records: impl IntoIterator<Item = Value>) {
        for record in records {
            self.rollout.next(record, &mut self.findings);
        }
    }
}
