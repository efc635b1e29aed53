//! What edits of a recording promised, beside what came of them.

use std::sync::Arc;

use strata_model::{Event, marks};

use crate::analysis::{BillTotals, CacheAnalysis, CallBill};

use super::align::AlignedCalls;
use super::compared::ComparedSession;

/// The same calls three times: as they were recorded, as edits predict them, and as a later recording has them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Promise {
    pub recorded: BillTotals,
    pub promised: BillTotals,
    pub really: BillTotals,
}

impl Promise {
    /// Sums over the calls that were made again: those of both recordings whose answers are not the same event, nor
    /// repeated from before. `edited` is the session of `recorded` with edits laid over it.
    pub fn of(
        recorded: &CacheAnalysis,
        [edited, after]: [ComparedSession<'_>; 2],
        aligned: &[AlignedCalls],
    ) -> Self {
        let triples: Vec<[&CallBill; 3]> = aligned
            .iter()
            .filter_map(|calls| {
                let (before, later) = (calls.before?, calls.after?);
                let (was, now) = (answer(edited, before)?, answer(after, later)?);
                let is_again = was.id != now.id && !marks::has(now, marks::REPLAYED);
                let bills = [
                    &recorded.call(before)?.bill,
                    &edited.billed.caches.call(before)?.bill,
                    &after.billed.caches.call(later)?.bill,
                ];
                is_again.then_some(bills)
            })
            .collect();
        let sum = |side: usize| BillTotals::of(triples.iter().map(|calls| calls[side]));
        Self { recorded: sum(0), promised: sum(1), really: sum(2) }
    }

    /// Prompt tokens less than recorded: as promised, and really.
    pub fn saved_tokens(&self) -> [i64; 2] {
        [self.promised, self.really]
            .map(|bill| self.recorded.prompt_tokens.cast_signed() - bill.prompt_tokens.cast_signed())
    }

    /// US dollars less than recorded: as promised, and really. `None` where a call has no price.
    pub fn saved_usd(&self) -> Option<[f64; 2]> {
        let recorded = self.recorded.cost_usd()?;
        Some([recorded - self.promised.cost_usd()?, recorded - self.really.cost_usd()?])
    }
}

fn answer(session: ComparedSession<'_>, call: u32) -> Option<&Arc<Event>> {
    let at = session.experiment.call(call)?.answer;
    session.experiment.session().events.get(at.as_usize())
}
