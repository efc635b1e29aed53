//! What a run would take, before anything is sent.

use std::sync::{Mutex, PoisonError};

use strata_engine::turn::compaction::CompactionConfig;
use strata_measure::analysis::Counting;
use strata_measure::lab::{
    Assumptions, Lab, Payment, SizedWriter, Stop, SummaryDue, SummarySize, Writer, WrittenSummary,
};
use strata_measure::prices::{ChargedTokens, Prices};
use strata_measure::tokens::TokenCount;
use strata_model::LlmRequest;
use strata_store::{PromptShape, Store};

use crate::error::AppError;
use crate::models::{Knowledge, Models, PaidAnswers, UsableEndpoint, calibrated, counted, question};

/// What a run with a model would take.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Estimate {
    pub summaries: u32,
    /// Summaries that were paid for before, and are not asked for again.
    pub from_before: u32,
    pub model: String,
    /// Of the prompts that would be sent.
    pub input: TokenCount,
    /// Of the answers, as large as summaries are taken to be.
    pub output_tokens: u64,
    /// US dollars. `None` where the model has no price.
    pub cost_usd: Option<f64>,
    /// With the usual rates, one summary after the other.
    pub seconds: f64,
    /// Prompts that are longer than the model takes, and that are not sent.
    pub too_long: u32,
    /// The longest prompt with its answer that the model takes, where that is known.
    pub context_tokens: Option<u32>,
    /// Nobody is paid.
    pub is_free: bool,
}

/// Whom a run would ask.
pub(crate) struct TargetModel<'a> {
    pub found: &'a UsableEndpoint,
    /// `None`: the model that google-adk would ask.
    pub model: Option<&'a str>,
    pub models: &'a Models,
    pub store: Option<&'a Mutex<Store>>,
    pub counting: &'a Counting,
    pub prices: &'a Prices,
}

impl TargetModel<'_> {
    /// Goes through a session without asking anybody. Summaries that are known stand in it as they are, others by
    /// their size.
    pub(crate) fn estimate(
        &self,
        lab: &Lab<'_>,
        config: &CompactionConfig,
        size: SummarySize,
    ) -> Result<Estimate, AppError> {
        let mut estimator = Estimator {
            asked: self,
            sized: SizedWriter::new(size),
            estimate: Estimate {
                summaries: 0,
                from_before: 0,
                model: self.model.unwrap_or_default().to_owned(),
                input: TokenCount::exact(0),
                output_tokens: 0,
                cost_usd: Some(0.0),
                seconds: 0.0,
                too_long: 0,
                context_tokens: None,
                is_free: false,
            },
        };
        lab.replay(config, &mut estimator).map_err(|stop| AppError::internal(stop.0))?;
        Ok(estimator.estimate)
    }

    pub(crate) fn knowledge(&self, model: &str) -> Result<Knowledge, AppError> {
        self.models.knowledge(self.found, model, self.prices)
    }

    /// US dollars; `None` where the model has no price.
    pub(crate) fn cost(&self, (model, known): (&str, &Knowledge), charged: &ChargedTokens) -> Option<f64> {
        if known.is_free {
            return Some(0.0);
        }
        self.prices.of_model(model).map(|price| price.cost(charged))
    }

    /// Tokens of a request of one message to `model`: as the server counts them, else by our count or as its provider's
    /// reports have taught.
    pub(crate) fn tokens(&self, (model, known): (&str, &Knowledge), request: &LlmRequest) -> TokenCount {
        if let Some(count) = self.models.count(&self.found.server, (model, request), known) {
            return count;
        }
        let counted = counted(self.counting, model, request);
        let store = self.store.map(|store| store.lock().unwrap_or_else(PoisonError::into_inner));
        store.and_then(|store| calibrated(&store, (model, PromptShape::Text), counted)).unwrap_or(counted)
    }
}

struct Estimator<'e, 'a> {
    asked: &'e TargetModel<'a>,
    sized: SizedWriter,
    estimate: Estimate,
}

impl Writer for Estimator<'_, '_> {
    fn write(&mut self, due: &SummaryDue<'_>) -> Result<Option<WrittenSummary>, Stop> {
        let Ok(prompt) = due.job().prompt else { return Ok(None) };
        let asked = self.asked;
        let model = asked.model.map_or_else(|| due.model.to_string(), str::to_owned);
        self.estimate.model.clone_from(&model);
        self.estimate.summaries += 1;
        let known = asked.knowledge(&model).map_err(|error| Stop(error.message))?;
        self.estimate.context_tokens = known.context_tokens;
        self.estimate.is_free = known.is_free;
        let key = PaidAnswers::key(&asked.found.server.base_url, &model, &prompt, due.max_tokens);
        let store = asked.store.map(|store| store.lock().unwrap_or_else(PoisonError::into_inner));
        if let Some(paid) = asked.models.paid.find(key, store.as_deref()) {
            self.estimate.from_before += 1;
            let payment = if known.is_free { Payment::Nobody } else { Payment::Writer };
            return Ok(Some(paid.written(&model, payment)));
        }
        drop(store);
        let input = asked.tokens((&model, &known), &question(&prompt));
        self.estimate.too_long += u32::from(known.overflow(input, &model).is_some());
        let written = self.sized.write(due)?;
        let text = written.iter().flat_map(|written| written.content.parts());
        let output: u64 =
            text.filter_map(|part| part.text.as_deref()).map(|text| u64::from(due.tokens(text))).sum();
        let cost = asked.cost((&model, &known), &ChargedTokens::uncached(input.tokens.into(), output));
        let rates = Assumptions::default();
        let estimate = &mut self.estimate;
        estimate.input = estimate.input + input;
        estimate.output_tokens += output;
        estimate.cost_usd = estimate.cost_usd.zip(cost).map(|(sum, cost)| sum + cost);
        estimate.seconds += f64::from(input.tokens) / rates.read_per_s + output as f64 / rates.written_per_s;
        Ok(written)
    }
}
