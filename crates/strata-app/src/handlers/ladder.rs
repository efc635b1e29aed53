//! The prefix ladder, in columns of numbers.

use strata_measure::analysis::{BilledCalls, CallCache, Nature};

use super::bytes::{Layout, NOT_KNOWN, VERSION, map_bytes};
use super::session::agent_names;
use crate::Strata;
use crate::api::cache::{Ladder, LadderFlag, Rows};
use crate::command::{Bytes, Handler};
use crate::error::AppError;

/// Rows that are answered at once.
const MAX_ROWS: usize = 500;

impl Handler for Ladder {
    fn run(self, strata: &Strata) -> Result<Bytes, AppError> {
        let open = strata.sessions.get(&self.session)?;
        let analysis = open.analysis();
        let caches = open.caches(&analysis, &strata.tables)?;
        let (from, to) = (self.from.max(1) as usize - 1, (self.to as usize).min(caches.calls.len()));
        let calls = caches.calls.get(from..to).unwrap_or_default();
        let agents = agent_names(&open);
        let cached = |call: &CallCache| call.bill.cached_tokens;
        let ends_at = |call: &CallCache| call.loss.as_ref().map_or(NOT_KNOWN, |loss| loss.at_token);
        let agent = |call: &CallCache| agents.iter().position(|name| *name == call.agent).unwrap_or(0) as u16;
        let mut layout = Layout::default();
        layout.words([VERSION, calls.len() as u32]);
        layout.words(calls.iter().map(|call| call.call));
        layout.words(calls.iter().map(|call| call.bill.prompt_tokens));
        layout.words(calls.iter().map(cached));
        layout.words(calls.iter().map(|call| call.prediction.expected));
        layout.words(calls.iter().map(|call| call.prediction.matched_ever));
        layout.words(calls.iter().map(ends_at));
        layout.halves(calls.iter().map(agent));
        layout.halves(calls.iter().map(flags));
        Ok(layout.finish())
    }
}

fn flags(call: &CallCache) -> u16 {
    let mut flags = match call.loss.as_ref().map(|loss| loss.cause.nature()) {
        None => 0,
        Some(Nature::Avoidable) => LadderFlag::AvoidableBreak as u16,
        Some(Nature::Structural) => LadderFlag::StructuralBreak as u16,
        Some(Nature::Provider) => LadderFlag::ProviderBreak as u16,
    };
    if let Some(comparison) = &call.comparison {
        flags |= LadderFlag::Reported as u16;
        if comparison.difference.is_some() {
            flags |= LadderFlag::Differs as u16;
        }
    }
    flags
}

impl Handler for Rows {
    fn run(self, strata: &Strata) -> Result<Bytes, AppError> {
        if self.calls.len() > MAX_ROWS {
            return Err(AppError::bad_input(format!("At most {MAX_ROWS} rows are answered at once.")));
        }
        let open = strata.sessions.get(&self.session)?;
        let analysis = open.analysis();
        let caches = open.caches(&analysis, &strata.tables)?;
        let billed = BilledCalls { analysis: &analysis, caches: &caches };
        map_bytes(&open, billed, &strata.tables, self.calls.iter().copied(), self.min_tokens)
    }
}
