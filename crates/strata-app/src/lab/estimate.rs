//! What a run would take, before anything is sent.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use strata_engine::turn::compaction::CompactionConfig;
use strata_measure::analysis::Counting;
use strata_measure::lab::{
    Assumptions, Lab, Payment, SizedWriter, Stop, SummaryDue, SummarySize, Writer, WrittenSummary,
};
use strata_measure::prices::{ChargedTokens, Prices};
use strata_measure::tokens::{Basis, TokenCount};
use strata_model::LlmRequest;
use strata_store::{PromptShape, Store};
use tokio_util::sync::CancellationToken;

use crate::error::AppError;
use crate::import::now_ms;
use crate::models::{
    Knowledge, Models, PaidAnswers, Sent, ServerCount, SizedPrompt, UsableEndpoint, counted, predicted,
    question,
};

/// What a run with a model would take.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Estimate {
    pub summaries: u32,
    /// Summaries that were paid for before, and are not asked for again.
    pub from_before: u32,
    pub model: String,
    /// Of the prompts that would be sent.
    pub input: TokenCount,
    /// The server counted all of them.
    pub counted_by_server: bool,
    /// Why it did not, where it may be asked to.
    pub count_failure: Option<String>,
    /// What of them the server should find again: of what was sent to it before, and of one another.
    pub cached: TokenCount,
    /// Seconds until the first token of the first summary; `None` where nobody knows how fast the server reads.
    pub first_token_s: Option<f64>,
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

impl Estimate {
    /// Who counted the prompts, behind their number; empty where none would be sent.
    pub(crate) fn input_said(&self) -> String {
        if self.summaries == self.from_before {
            return String::new();
        }
        match (&self.count_failure, self.input.basis) {
            (Some(why), _) => format!("as we count: {why}"),
            (None, Basis::Exact) if self.counted_by_server => "counted by the server".to_owned(),
            (None, _) if self.counted_by_server => {
                "counted by the server, with summaries of the size that they are taken to have".to_owned()
            }
            (None, Basis::Calibrated) => "calibrated by earlier answers".to_owned(),
            (None, _) => "as we count".to_owned(),
        }
    }
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
    pub stop: &'a CancellationToken,
}

/// A prompt by everybody's count.
pub(crate) struct CountedPrompt {
    /// By ours.
    pub ours: TokenCount,
    /// As the server counts it, else by our count or as its provider's reports have taught.
    pub predicted: TokenCount,
    pub server: ServerCount,
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
            stand_in: None,
            sent: HashMap::new(),
            at_s: now_ms() as f64 / 1000.0,
            estimate: Estimate {
                summaries: 0,
                from_before: 0,
                model: self.model.unwrap_or_default().to_owned(),
                input: TokenCount::exact(0),
                counted_by_server: true,
                count_failure: None,
                cached: TokenCount::exact(0),
                first_token_s: None,
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

    /// The tokens of a request of one message to `model`.
    pub(crate) fn count(&self, (model, known): (&str, &Knowledge), request: &LlmRequest) -> CountedPrompt {
        let server = self.models.count(&self.found.server, (model, request), known, self.stop);
        let ours = counted(self.counting, model, request);
        let predicted = predicted(&server, self.store, (model, PromptShape::Text), ours);
        CountedPrompt { ours, predicted, server }
    }
}

struct Estimator<'e, 'a> {
    asked: &'e TargetModel<'a>,
    sized: SizedWriter,
    /// Tokens of the last summary that has only a size so far.
    stand_in: Option<u32>,
    /// What the server would have been sent by then, by model.
    sent: HashMap<String, Sent>,
    /// Epoch seconds.
    at_s: f64,
    estimate: Estimate,
}

impl Estimator<'_, '_> {
    /// The tokens of a prompt, and of these what the server should find again. Returns both.
    fn meet(
        &mut self,
        (model, known): (&str, &Knowledge),
        request: &LlmRequest,
        is_on_stand_in: bool,
    ) -> (TokenCount, TokenCount) {
        let asked = self.asked;
        let CountedPrompt { ours, predicted, server } = asked.count((model, known), request);
        // What it says of a summary that is not written holds for a text of the size that it is taken to have.
        let off = self.stand_in.filter(|_| is_on_stand_in);
        let about = |count: TokenCount| match off {
            Some(off) => TokenCount::estimated(
                count.tokens,
                count.low.saturating_sub(off),
                count.high.saturating_add(off),
            ),
            None => count,
        };
        let base_url = &asked.found.server.base_url;
        let sent = self
            .sent
            .entry(model.to_owned())
            .or_insert_with(|| asked.models.sent.of((base_url, model), asked.counting));
        let prompt = SizedPrompt { request, ids: server.ids.as_ref(), ours, predicted };
        let at = (&known.rule, self.at_s);
        let foreseen = sent.foresee(prompt, at, asked.counting);
        sent.enter(prompt, at, asked.counting);
        let estimate = &mut self.estimate;
        if estimate.summaries == estimate.from_before + 1 {
            estimate.first_token_s = foreseen.first_token_s(predicted);
        }
        estimate.counted_by_server &= server.tokens.is_some();
        estimate.count_failure = estimate.count_failure.take().or(server.failure);
        (about(predicted), about(foreseen.cached))
    }
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
            self.stand_in = None;
            let payment = if known.is_free { Payment::Nobody } else { Payment::Writer };
            return Ok(Some(paid.written(&model, payment)));
        }
        drop(store);
        let (input, cached) = self.meet((&model, &known), &question(&prompt), due.window.seed.is_some());
        self.estimate.too_long += u32::from(known.overflow(input, &model).is_some());
        let written = self.sized.write(due)?;
        let text = written.iter().flat_map(|written| written.content.parts());
        let output: u64 =
            text.filter_map(|part| part.text.as_deref()).map(|text| u64::from(due.tokens(text))).sum();
        self.stand_in = Some(u32::try_from(output).unwrap_or(u32::MAX));
        let charged = ChargedTokens {
            cached: cached.tokens.into(),
            ..ChargedTokens::uncached(input.tokens.into(), output)
        };
        let cost = asked.cost((&model, &known), &charged);
        let rates = Assumptions::default();
        let estimate = &mut self.estimate;
        estimate.input = estimate.input + input;
        estimate.cached = estimate.cached + cached;
        estimate.output_tokens += output;
        estimate.cost_usd = estimate.cost_usd.zip(cost).map(|(sum, cost)| sum + cost);
        estimate.seconds += f64::from(input.tokens) / rates.read_per_s + output as f64 / rates.written_per_s;
        Ok(written)
    }
}
