//! What providers report, beside what we expect of them.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use strata_measure::analysis::{CallAnalysis, Counting};
use strata_measure::tokens::{Calibration, Measured, TokenCount, Weigher};
use strata_model::{Fingerprint, LlmRequest, Str, Usage};
use strata_store::{MeasuredCall, PromptShape, Store, StoreError};

use super::server_counts::ServerCount;
use crate::import::now_ms;

/// What was expected of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Expected {
    pub shape: PromptShape,
    pub request: Fingerprint,
    pub tokens: u32,
    pub cached: Option<u32>,
}

/// Tokens of a request by our count.
pub(crate) fn counted(counting: &Counting, model: &str, request: &LlmRequest) -> TokenCount {
    let tokenizer = counting.tokenizer(model);
    Weigher::new(&tokenizer, &counting.memo).request(request).total()
}

/// Keeps what was reported for a request to `model`. Nothing is kept where nothing was reported.
pub(crate) fn measure(
    store: &mut Store,
    model: &str,
    expected: Expected,
    usage: Option<&Usage>,
) -> Result<(), StoreError> {
    let Some(reported) = usage.and_then(|usage| usage.prompt_token_count).filter(|tokens| *tokens > 0) else {
        return Ok(());
    };
    let small = |tokens: u64| u32::try_from(tokens).unwrap_or(u32::MAX);
    let call = MeasuredCall {
        request: expected.request,
        counted: expected.tokens,
        reported: small(reported),
        expected_cached: expected.cached,
        reported_cached: usage.and_then(|usage| usage.cached_content_token_count).map(small),
        at_ms: now_ms(),
    };
    store.add_measured_call(model, expected.shape, &call)
}

/// What is likely to be reported for a prompt to `model` of which we count `ours`: what its server counts, else what its
/// provider's earlier reports teach, else our count.
pub(crate) fn predicted(
    server: &ServerCount,
    store: Option<&Mutex<Store>>,
    (model, shape): (&str, PromptShape),
    ours: TokenCount,
) -> TokenCount {
    let calibrated = || {
        let store = store?.lock().unwrap_or_else(PoisonError::into_inner);
        of_calls(&store.measured_calls(model, shape).ok()?, ours)
    };
    server.tokens.or_else(calibrated).unwrap_or(ours)
}

/// What is known of models, each read once.
pub(crate) struct Calibrations<'s> {
    store: &'s Store,
    known: HashMap<Str, Vec<MeasuredCall>>,
}

impl<'s> Calibrations<'s> {
    pub(crate) fn new(store: &'s Store) -> Self {
        Self { store, known: HashMap::new() }
    }

    /// What the provider of a call is likely to have counted.
    pub(crate) fn of_call(&mut self, call: &CallAnalysis) -> Option<TokenCount> {
        let store = self.store;
        let known = self.known.entry(call.sent_to.clone()).or_insert_with(|| {
            store.measured_calls(&call.sent_to, PromptShape::Conversation).unwrap_or_default()
        });
        of_calls(known, call.total)
    }
}

fn of_calls(known: &[MeasuredCall], counted: TokenCount) -> Option<TokenCount> {
    let mut calibration = Calibration::default();
    for call in known {
        calibration.observe(Measured { ours: call.counted, reported: call.reported }, None);
    }
    calibration.predict(counted.tokens, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(counted: u32, reported: u32) -> MeasuredCall {
        MeasuredCall {
            request: Fingerprint(counted.into()),
            counted,
            reported,
            expected_cached: None,
            reported_cached: None,
            at_ms: 0,
        }
    }

    #[test]
    fn a_model_that_reports_a_fifth_more_is_predicted_so() {
        let known = [call(1000, 1210), call(2000, 2410), call(3000, 3610), call(4000, 4810)];
        let count = of_calls(&known, TokenCount::estimated(2500, 2000, 3000)).unwrap();
        assert_eq!((count.tokens, count.basis.name()), (3010, "calibrated"));
        assert!(count.low > 2990 && count.high < 3030, "{count:?}");
        assert_eq!(of_calls(&known[..2], TokenCount::exact(2500)), None, "two say nothing of how they err");
    }
}
