//! What a run may take: tokens and US dollars. It is on unless somebody switches it off.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use strata_measure::analysis::ReportedCounts;
use strata_measure::prices::ChargedTokens;
use strata_model::{Content, LlmRequest, LlmResponse, Origin, Part, RequestContent, Str, Usage};
use strata_runtime::{Failure, ModelCall};

use crate::models::counted;
use crate::show::words::whole;
use crate::tables::Tables;

/// What whoever runs an app can do when its budget is spent; clients of one that is served cannot.
pub(crate) const LARGER_BUDGET: &str = "go on with this session and a larger budget.";

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

impl RunLimits {
    /// What holds where nobody says otherwise.
    pub const CALLS: u32 = 500;
    pub const TOKENS: u64 = 2_000_000;
    pub const DOLLARS: f64 = 5.0;

    /// As somebody says them: 0 is any number.
    pub fn up_to(calls: u32, tokens: u64, dollars: f64) -> Self {
        Self {
            calls: Some(calls).filter(|limit| *limit > 0),
            tokens: Some(tokens).filter(|limit| *limit > 0),
            dollars: Some(dollars).filter(|limit| *limit > 0.0),
        }
    }
}

impl Default for RunLimits {
    fn default() -> Self {
        Self::up_to(Self::CALLS, Self::TOKENS, Self::DOLLARS)
    }
}

/// What a run has taken, against its limits.
pub(crate) struct Budget {
    limits: RunLimits,
    tables: Arc<Tables>,
    /// What whoever asks can do when it is spent.
    when_spent: &'static str,
    spent: Mutex<Spent>,
}

/// What a run has taken so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Spent {
    /// Of prompts and answers.
    pub tokens: u64,
    /// Where the model's price is known; of scripted answers, what the agent's own model would have taken.
    pub dollars: f64,
}

/// A call that is being made. Dropped before its answer came, its prompt is taken to be paid for, and what was heard.
pub(crate) struct Charge {
    budget: Arc<Budget>,
    prompt_tokens: u64,
    model: Str,
    /// The pieces of the answer so far.
    heard: String,
    is_settled: bool,
}

impl Budget {
    pub(crate) fn new(limits: RunLimits, tables: Arc<Tables>, when_spent: &'static str) -> Self {
        Self { limits, tables, when_spent, spent: Mutex::default() }
    }

    pub(crate) fn spent(&self) -> Spent {
        *self.lock()
    }

    pub(crate) fn limits(&self) -> RunLimits {
        self.limits
    }

    pub(crate) fn tables(&self) -> Arc<Tables> {
        self.tables.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Spent> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a call to `model` be made, or says why not.
    pub(crate) fn begin(self: &Arc<Self>, call: &ModelCall, model: &str) -> Result<Charge, Failure> {
        let prompt_tokens = u64::from(counted(&self.tables.counting, model, &call.request).tokens);
        let next = self.cost(model, &ChargedTokens::uncached(prompt_tokens, 0));
        let spent = self.spent();
        let refused = |what: &str, limit: String, taken: String, more: String| {
            Failure::new(
                "BudgetExceededError",
                format!(
                    "The budget of this run is {limit}{what}. It has taken {taken}, and the next call would take {more} \
                     or more. All that was said is kept: {}",
                    self.when_spent
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
        Ok(Charge {
            budget: self.clone(),
            prompt_tokens,
            model: model.into(),
            heard: String::new(),
            is_settled: false,
        })
    }

    /// Tokens of what a model said, by our count: as many as in a prompt that quotes it.
    fn said(&self, model: &str, content: &Content) -> u64 {
        let said = RequestContent::from_content(content, |_| Origin::processor("model_call"));
        let contents = std::iter::once(Arc::new(said)).collect();
        let quoting = LlmRequest { contents, ..LlmRequest::default() };
        u64::from(counted(&self.tables.counting, model, &quoting).tokens)
    }

    /// US dollars; none where the model has no price.
    fn cost(&self, model: &str, charged: &ChargedTokens) -> f64 {
        self.tables.prices.of_model(model).map_or(0.0, |price| price.cost(charged))
    }

    fn spend(&self, model: &str, charged: &ChargedTokens) {
        let dollars = self.cost(model, charged);
        let mut spent = self.lock();
        spent.tokens += charged.prompt + charged.output;
        spent.dollars += dollars;
    }
}

impl Charge {
    /// Takes what an answer says that the call has cost, and where it says nothing, what we count.
    pub(crate) fn take(&mut self, response: &LlmResponse) {
        if self.is_settled {
            return;
        }
        if response.partial == Some(true) {
            let parts = response.content.iter().flat_map(|content| content.parts());
            self.heard.extend(parts.filter_map(|part| part.text.as_deref()));
            return;
        }
        self.is_settled = true;
        let usage = response.usage_metadata.as_deref();
        let counted =
            || response.content.as_ref().map_or(0, |content| self.budget.said(&self.model, content));
        let output = usage.and_then(Usage::output_tokens).unwrap_or_else(counted);
        let report = ReportedCounts::of_answer(usage, response.custom_metadata.as_ref());
        let charged = match report {
            Some(report) => ChargedTokens { output, ..report.charged() },
            None => ChargedTokens::uncached(self.prompt_tokens, output),
        };
        self.budget.spend(&self.model, &charged);
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        if self.is_settled {
            return;
        }
        let output = if self.heard.is_empty() {
            0
        } else {
            let heard = Part::from_text(std::mem::take(&mut self.heard));
            self.budget.said(&self.model, &Content::new("model", [heard]))
        };
        self.budget.spend(&self.model, &ChargedTokens::uncached(self.prompt_tokens, output));
    }
}

#[cfg(test)]
mod tests {
    use strata_measure::prices::Prices;

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
        Arc::new(Budget::new(limits, Arc::default(), LARGER_BUDGET))
    }

    #[test]
    fn the_call_that_would_pass_the_limit_is_not_made() {
        let budget = budget(RunLimits { tokens: Some(1000), ..RunLimits::default() });
        budget.begin(&call(100), "gpt-4o").unwrap().take(&reported(700, 50));
        let refusal = budget.begin(&call(400), "gpt-4o").map(|_| ()).unwrap_err();
        assert_eq!(&*refusal.kind, "BudgetExceededError");
        assert!(refusal.message.contains("1,000 tokens. It has taken 750"), "{}", refusal.message);
        assert!(budget.begin(&call(100), "gpt-4o").is_ok());
    }

    #[test]
    fn an_answer_without_a_report_counts_as_it_would_in_a_prompt() {
        let taken = |responses: &[LlmResponse]| {
            let budget = budget(RunLimits::default());
            let mut charge = budget.begin(&call(10), "gpt-4o").unwrap();
            for response in responses {
                charge.take(response);
            }
            drop(charge);
            budget.spent().tokens
        };
        let prompt = taken(&[]);
        let words = || LlmResponse::from_text("word ".repeat(300));
        let whole = taken(&[words()]);
        assert!((300..350).contains(&(whole - prompt)), "{prompt} {whole}");
        let of_prompt = Usage { prompt_token_count: Some(50), ..Usage::default() };
        let half = LlmResponse { usage_metadata: Some(Box::new(of_prompt)), ..words() };
        assert_eq!(taken(&[half]), 50 + whole - prompt, "what is reported counts, and all else is counted");
        let piece = || LlmResponse { partial: Some(true), ..words() };
        assert_eq!(taken(&[piece(), words()]), whole, "pieces are no more than the whole");
        let broken_off = taken(&[piece(), piece()]);
        assert!((600..660).contains(&(broken_off - prompt)), "{prompt} {broken_off}");
    }

    #[test]
    fn what_is_kept_for_an_hour_is_charged_as_such() {
        let written = |fields: &str| {
            let mark = strata_model::json::parse(fields.as_bytes()).unwrap();
            let custom_metadata = Some([(strata_model::marks::CACHE_WRITE, mark)].into_iter().collect());
            let response = LlmResponse { custom_metadata, ..reported(10_000, 0) };
            let budget = budget(RunLimits::default());
            budget.begin(&call(10), "claude-sonnet-4-5").unwrap().take(&response);
            budget.spent().dollars
        };
        let (short, long) =
            (written(r#"{"tokens": 8000}"#), written(r#"{"tokens": 8000, "ephemeral1h": 8000}"#));
        assert!(long > short && short > 0.0, "{short} {long}");
    }

    #[test]
    fn a_call_without_a_report_counts_with_its_prompt_and_dollars_are_those_of_the_price() {
        let budget = budget(RunLimits { dollars: Some(0.01), ..RunLimits::default() });
        drop(budget.begin(&call(500), "gpt-4o").unwrap());
        let spent = budget.spent();
        let price = Prices::embedded();
        let expected = price.of_model("gpt-4o").unwrap().cost(&ChargedTokens::uncached(spent.tokens, 0));
        assert!((spent.dollars - expected).abs() < 1e-12 && spent.tokens >= 500, "{spent:?}");
        let mut charge = budget.begin(&call(10), "gpt-4o").unwrap();
        charge.take(&reported(10_000, 0));
        drop(charge);
        assert!(budget.begin(&call(10), "gpt-4o").is_err());
        assert!(budget.begin(&call(10), "a-model-without-a-price").is_ok());
    }
}
