//! Adding up what a finding costs, and in which calls.

use std::collections::BTreeMap;

use super::call_models::CallModels;
use super::carried::{CarriedPiece, Carriers};
use super::finding::{CallRange, SpentTokens};

/// A sum of tokens with the calls they were sent in.
#[derive(Default)]
pub(super) struct Tally {
    by_model: BTreeMap<usize, SpentTokens>,
    calls: Vec<CallRange>,
    /// US dollars that losses of caches cost. `None` until there is one, and where a model has no price.
    lost_usd: Option<f64>,
    has_unpriced: bool,
    /// The pieces whose calls were noted last.
    noted: Option<usize>,
}

impl Tally {
    /// Calls that are concerned and cost nothing more.
    pub(super) fn of_calls(calls: impl IntoIterator<Item = u32>) -> Self {
        let calls = calls.into_iter().map(|call| CallRange { first: call, last: call });
        Self { calls: calls.collect(), ..Self::default() }
    }

    /// A piece in all calls that carried it.
    pub(super) fn add_carried(
        &mut self,
        models: &CallModels,
        carried: &CarriedPiece<'_>,
        carriers: &Carriers,
    ) {
        self.add_share(models, carried, carriers, carried.piece.tokens);
    }

    /// As [`Self::add_carried`], for the first tokens of the piece.
    pub(super) fn add_share(
        &mut self,
        models: &CallModels,
        carried: &CarriedPiece<'_>,
        carriers: &Carriers,
        share: u32,
    ) {
        // Pieces come one behind the other, so those of the same calls do too.
        if self.noted != Some(carried.together) {
            self.noted = Some(carried.together);
            let ranges = carriers.runs.iter();
            self.calls.extend(ranges.map(|run| CallRange { first: run.first_call, last: run.last_call }));
        }
        for calls in &carriers.by_model {
            let partly = carriers.partly.iter().map(|run| {
                let n_calls = models.calls_to(calls.model, run.first_call, run.last_call);
                n_calls * u64::from(run.matched(&carried.sent).min(share))
            });
            let cached = calls.n_matched_whole * u64::from(share) + partly.sum::<u64>();
            let spent = self.of_model(models, calls.model);
            spent.cached += cached;
            spent.fresh += calls.n_calls * u64::from(share) - cached;
        }
    }

    /// The same tokens in consecutive calls, `cached` of them in a known prefix. Nothing, when the range is empty.
    pub(super) fn add(&mut self, models: &CallModels, range: (u32, u32), tokens: u32, cached: u32) {
        let (first, last) = range;
        if first > last {
            return;
        }
        self.calls.push(CallRange { first, last });
        for model in 0..models.names.len() {
            let n_calls = models.calls_to(model, first, last);
            if n_calls > 0 {
                let spent = self.of_model(models, model);
                spent.cached += n_calls * u64::from(cached.min(tokens));
                spent.fresh += n_calls * u64::from(tokens.saturating_sub(cached));
            }
        }
    }

    /// Tokens that one call paid in full again.
    pub(super) fn add_rebilled(&mut self, models: &CallModels, call: u32, tokens: u32) {
        self.add_call(call);
        if let Some(model) = (call as usize).checked_sub(1).and_then(|at| models.of_call.get(at)) {
            self.of_model(models, *model).rebilled += u64::from(tokens);
        }
    }

    pub(super) fn add_lost(&mut self, cost_usd: Option<f64>) {
        match cost_usd {
            Some(cost) => *self.lost_usd.get_or_insert(0.0) += cost,
            None => self.has_unpriced = true,
        }
    }

    pub(super) fn lost_usd(&self) -> Option<f64> {
        self.lost_usd.filter(|_| !self.has_unpriced)
    }

    /// A call that is concerned and costs nothing more.
    pub(super) fn add_call(&mut self, call: u32) {
        self.calls.push(CallRange { first: call, last: call });
    }

    pub(super) fn tokens(&self) -> u64 {
        self.by_model.values().map(SpentTokens::tokens).sum()
    }

    pub(super) fn spent(&self) -> Vec<SpentTokens> {
        self.by_model.values().filter(|spent| spent.tokens() > 0).cloned().collect()
    }

    /// The calls as ranges in order, none touching the next.
    pub(super) fn calls(&self) -> Vec<CallRange> {
        let mut ranges = self.calls.clone();
        ranges.sort_unstable();
        let mut joined: Vec<CallRange> = Vec::new();
        for range in ranges {
            match joined.last_mut() {
                Some(before) if range.first <= before.last + 1 => before.last = before.last.max(range.last),
                _ => joined.push(range),
            }
        }
        joined
    }

    pub(super) fn n_calls(&self) -> u64 {
        self.calls().iter().map(|range| u64::from(range.last - range.first + 1)).sum()
    }

    fn of_model(&mut self, models: &CallModels, model: usize) -> &mut SpentTokens {
        self.by_model
            .entry(model)
            .or_insert_with(|| SpentTokens { model: models.names[model].clone(), ..SpentTokens::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_joined_where_they_touch() {
        let mut tally = Tally::default();
        for call in [5, 1, 2, 3, 7, 2] {
            tally.add_call(call);
        }
        let ranges = [(1, 3), (5, 5), (7, 7)].map(|(first, last)| CallRange { first, last });
        assert_eq!((tally.calls(), tally.n_calls()), (ranges.to_vec(), 5));
    }

    #[test]
    fn tokens_are_kept_apart_by_model() {
        let models = CallModels {
            names: vec!["a".into(), "b".into()],
            of_call: vec![0, 1, 0],
            counts: vec![vec![0, 1, 1, 2], vec![0, 0, 1, 1]],
        };
        let mut tally = Tally::default();
        tally.add(&models, (1, 3), 10, 4);
        tally.add(&models, (3, 2), 10, 4);
        tally.add_rebilled(&models, 2, 7);
        let spent = |model: &str, fresh, cached, rebilled| SpentTokens {
            model: model.into(),
            fresh,
            cached,
            rebilled,
        };
        assert_eq!(tally.spent(), [spent("a", 12, 8, 0), spent("b", 6, 4, 7)]);
        assert_eq!(tally.tokens(), 37);
    }
}
