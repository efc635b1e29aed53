//! What a run may take: tokens and US dollars. It is on unless somebody switches it off.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use strata_measure::analysis::Counting;
use strata_measure::prices::{ChargedTokens, Prices};
use strata_model::{LlmResponse, Str, marks};
use strata_runtime::{Failure, ModelCall};

use crate::models::counted;
use crate::words::whole;

/// What a run may take. `None`: as much as it wants.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunLimits {
    /// Calls of models in one turn.
    pub calls: Option<u32>,
    /// Tokens of prompts and answers.
    pub tokens: Option<u64>,
    /// US dollars, where the models have a price.
    pub dollars: Option<f64>,
}

impl Default for RunLimits {
    fn default() -> Self {
        Self { calls: Some(500), tokens: Some(2_000_000), dollars: Some(5.0) }
    }
}

/// What a run has taken, against its limits.
pub(crate) struct Budget {
    limits: RunLimits,
    counting: Arc<Counting>,
    prices: Prices,
    spent: Mutex<Spent>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Spent {
    tokens: u64,
    dollars: f64,
}

/// A call that is being made. Dropped before its answer came, its prompt is taken to be paid for.
pub(crate) struct Charge {
    budget: Arc<Budget>,
    prompt_tokens: u64,
    /// `None`: nobody is paid.
    model: Option<Str>,
    is_settled: bool,
}

impl Budget {
    pub(crate) fn new(limits: RunLimits, counting: Arc<Counting>, prices: Prices) -> Self {
        Self { limits, counting, prices, spent: Mutex::default() }
    }

    fn spent(&self) -> MutexGuard<'_, Spent> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a call to `model` be made, or says why not. `is_paid`: somebody is paid for it.
    pub(crate) fn begin(
        self: &Arc<Self>,
        call: &ModelCall,
        model: &str,
        is_paid: bool,
    ) -> Result<Charge, Failure> {
        let prompt_tokens = u64::from(counted(&self.counting, model, &call.request).tokens);
        let model: Option<Str> = is_paid.then(|| model.into());
        let next = self.cost(model.as_deref(), &ChargedTokens::uncached(prompt_tokens, 0));
        let spent = *self.spent();
        let refused = |what: &str, limit: String, taken: String, more: String| {
            Failure::new(
                "BudgetExceededError",
                format!(
                    "The budget of this run is {limit}{what}. It has taken {taken}, and the next call would take {more} \
                     or more. All that was said is kept: go on with this session and a larger budget."
                ),
            )
        };
        if let Some(limit) = self.limits.tokens.filter(|limit| spent.tokens + prompt_tokens > *limit) {
            let count = |tokens: u64| whole(tokens as i64);
            return Err(refused(" tokens", count(limit), count(spent.tokens), count(prompt_tokens)));
        }
        if let Some(limit) = self.limits.dollars.filter(|limit| next > 0.0 && spent.dollars + next > *limit) {
            let dollars = |amount: f64| format!("${amount:.4}");
            return Err(refused("", dollars(limit), dollars(spent.dollars), dollars(next)));
        }
        Ok(Charge { budget: self.clone(), prompt_tokens, model, is_settled: false })
    }

    /// US dollars; none where the model has no price.
    fn cost(&self, model: Option<&str>, charged: &ChargedTokens) -> f64 {
        model.and_then(|model| self.prices.of_model(model)).map_or(0.0, |price| price.cost(charged))
    }

    fn spend(&self, model: Option<&str>, charged: &ChargedTokens) {
        let dollars = self.cost(model, charged);
        let mut spent = self.spent();
        spent.tokens += charged.prompt + charged.output;
        spent.dollars += dollars;
    }
}

impl Charge {
    /// Takes what an answer says that the call has cost.
    pub(crate) fn take(&mut self, response: &LlmResponse) {
        let Some(usage) = &response.usage_metadata else { return };
        if self.is_settled || response.partial == Some(true) {
            return;
        }
        self.is_settled = true;
        let written = response.custom_metadata.as_ref().and_then(|metadata| metadata.get(marks::CACHE_WRITE));
        let written = written.and_then(|written| written.get("tokens")?.as_i64());
        let charged = ChargedTokens {
            prompt: usage.prompt_token_count.unwrap_or(self.prompt_tokens),
            cached: usage.cached_content_token_count.unwrap_or(0),
            written: written.and_then(|written| u64::try_from(written).ok()).unwrap_or(0),
            output: usage.output_tokens().unwrap_or(0),
            ..ChargedTokens::default()
        };
        self.budget.spend(self.model.as_deref(), &charged);
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        if !self.is_settled {
            self.budget.spend(self.model.as_deref(), &ChargedTokens::uncached(self.prompt_tokens, 0));
        }
    }
}

#[cfg(test)]
mod tests {
    use strata_model::{Content, LlmRequest, Origin, Part, RequestContent, Usage};

    use super::*;

    fn call(words: usize) -> ModelCall {
        let content = Content::new("user", [Part::from_text("word ".repeat(words))]);
        let origin = |_| Origin::processor("contents");
        let contents = std::iter::once(Arc::new(RequestContent::from_content(&content, origin))).collect();
        let request = Arc::new(LlmRequest { contents, ..LlmRequest::default() });
        ModelCall { agent: "a".into(), model: "gpt-4o".into(), request, is_streaming: false }
    }

    fn reported(prompt: u64, output: u64) -> LlmResponse {
        let usage = Usage {
            prompt_token_count: Some(prompt),
            candidates_token_count: Some(output),
            ..Usage::default()
        };
        LlmResponse { usage_metadata: Some(Box::new(usage)), ..LlmResponse::default() }
    }

    fn budget(limits: RunLimits) -> Arc<Budget> {
        Arc::new(Budget::new(limits, Arc::default(), Prices::embedded()))
    }

    #[test]
    fn the_call_that_would_pass_the_limit_is_not_made() {
        let budget = budget(RunLimits { tokens: Some(1000), ..RunLimits::default() });
        budget.begin(&call(100), "gpt-4o", true).unwrap().take(&reported(700, 50));
        let refusal = budget.begin(&call(400), "gpt-4o", true).map(|_| ()).unwrap_err();
        assert_eq!(&*refusal.kind, "BudgetExceededError");
        assert!(refusal.message.contains("1,000 tokens. It has taken 750"), "{}", refusal.message);
        assert!(budget.begin(&call(100), "gpt-4o", true).is_ok());
    }

    #[test]
    fn a_call_without_a_report_counts_with_its_prompt_and_dollars_are_those_of_the_price() {
        let budget = budget(RunLimits { dollars: Some(0.01), ..RunLimits::default() });
        drop(budget.begin(&call(500), "gpt-4o", true).unwrap());
        let spent = *budget.spent();
        let price = Prices::embedded();
        let expected = price.of_model("gpt-4o").unwrap().cost(&ChargedTokens::uncached(spent.tokens, 0));
        assert!((spent.dollars - expected).abs() < 1e-12 && spent.tokens >= 500, "{spent:?}");
        let mut charge = budget.begin(&call(10), "gpt-4o", true).unwrap();
        charge.take(&reported(10_000, 0));
        drop(charge);
        assert!(budget.begin(&call(10), "gpt-4o", true).is_err());
        assert!(budget.begin(&call(10), "gpt-4o", false).is_ok(), "nobody is paid");
    }
}
