//! A call that is sent again, beside what was recorded.

use std::borrow::Borrow;

use strata_engine::Experiment;
use strata_measure::analysis::Counting;
use strata_measure::prices::{ChargedTokens, Prices};
use strata_measure::tokens::TokenCount;
use strata_model::{Fingerprint, Json, LlmRequest, Part, json};
use strata_provider::{Endpoint, Progress};
use strata_store::{PromptShape, Store};
use strata_wire::{Answer, BodyOptions, Delta, encode};

use crate::api::model::ReplayAnswer;
use crate::models::{Expected, calibrated, counted, measure};
use crate::text_diff::diff_lines;

/// Tokens an answer is taken to have where none is known.
const USUAL_ANSWER: u64 = 500;

/// A call as it is sent, and what is expected of it.
pub(crate) struct SentAgain {
    pub request: LlmRequest,
    pub model: String,
    /// As the provider is likely to report it.
    pub predicted: TokenCount,
    pub expected: Expected,
    /// The recorded answer.
    pub recorded: String,
    pub recorded_output_tokens: Option<u64>,
}

impl SentAgain {
    /// `request` of the call with a number, to `model`, with `cached` tokens of it expected in its provider's cache.
    /// `None` where the session has no such call.
    pub(crate) fn of(
        experiment: &Experiment,
        number: u32,
        (model, request, cached): (String, &LlmRequest, u32),
        counting: &Counting,
        store: Option<&Store>,
    ) -> Option<Self> {
        let call = experiment.call(number)?;
        let answer = experiment.session().events.get(call.answer.as_usize());
        let counted = counted(counting, &model, request);
        let predicted = store
            .and_then(|store| calibrated(store, (&model, PromptShape::Conversation), counted))
            .unwrap_or(counted);
        let text = json::to_compact(&request.to_json());
        Some(Self {
            request: request.clone(),
            predicted,
            expected: Expected {
                shape: PromptShape::Conversation,
                request: Fingerprint::of(text.as_bytes()),
                tokens: counted.tokens,
                cached: Some(cached),
            },
            recorded: answer
                .and_then(|event| event.content.as_deref())
                .map(|content| spoken(content.parts()))
                .unwrap_or_default(),
            recorded_output_tokens: call.usage.as_ref().and_then(|usage| usage.output_tokens()),
            model,
        })
    }

    /// As it is sent to an endpoint: where, and the body in the provider's form.
    pub(crate) fn as_sent(&self, endpoint: &Endpoint) -> (String, String) {
        let options = BodyOptions { is_streamed: true, max_output_tokens: None };
        let target = format!("POST {}", endpoint.shown_url(&endpoint.api.answer_path(&self.model)));
        (target, json::to_pretty(&encode(endpoint.api, &self.model, &self.request, options)))
    }

    /// Keeps what was reported. Returns how many answers of this model are known.
    pub(crate) fn measured(&self, answer: &Answer, store: &mut Store) -> u32 {
        // What is not kept is missing from calibration only.
        measure(store, &self.model, self.expected, answer.usage.as_ref().map(|report| &report.usage)).ok();
        store.measured_calls(&self.model, PromptShape::Conversation).map_or(0, |known| known.len() as u32)
    }

    /// US dollars, if nothing is cached: the cache is cold for a call that is sent later.
    pub(crate) fn estimated_cost(&self, prices: &Prices) -> Option<f64> {
        let price = prices.of_model(&self.model)?;
        let output = self.recorded_output_tokens.unwrap_or(USUAL_ANSWER);
        Some(price.cost(&ChargedTokens::uncached(self.predicted.tokens.into(), output)))
    }

    /// Before anything came.
    pub(crate) fn begun(&self) -> ReplayAnswer {
        ReplayAnswer {
            job: String::new(),
            is_ended: false,
            answer: String::new(),
            recorded: self.recorded.clone(),
            difference: Vec::new(),
            finish: None,
            predicted: self.predicted.into(),
            measured_calls: 0,
            reported_tokens: None,
            predicted_cached_tokens: self.expected.cached.unwrap_or(0),
            reported_cached_tokens: None,
            output_tokens: None,
            cost_usd: None,
            failure: None,
        }
    }
}

impl ReplayAnswer {
    pub(crate) fn take(&mut self, progress: Progress) {
        match progress {
            Progress::Delta(Delta::Text(text) | Delta::Arguments(text)) => self.answer += &text,
            Progress::Delta(Delta::Call { name }) => {
                let gap = if self.answer.is_empty() { "" } else { "\n" };
                self.answer += &format!("{gap}-> {name} ");
            }
            Progress::Delta(Delta::Thought(_)) => {}
            Progress::Waiting { why, .. } => self.failure = Some(why),
        }
    }

    pub(crate) fn end(&mut self, answer: &Answer, sent: &SentAgain, prices: &Prices) {
        self.answer = spoken(answer.parts());
        self.difference = diff_lines(&self.recorded, &self.answer).lines;
        self.finish = answer.ended().map(|finish| finish.name().to_owned());
        self.failure = None;
        let Some(usage) = answer.usage.as_ref().map(|report| &report.usage) else { return };
        let output = usage.output_tokens();
        self.reported_tokens = usage.prompt_token_count.map(|count| count as f64);
        self.reported_cached_tokens = usage.cached_content_token_count.map(|count| count as f64);
        self.output_tokens = output.map(|count| count as f64);
        let price =
            answer.model.as_deref().and_then(|name| prices.of_model(name)).or(prices.of_model(&sent.model));
        self.cost_usd = price.zip(usage.prompt_token_count).map(|(price, input)| {
            let cached = usage.cached_content_token_count.unwrap_or(0);
            price.cost(&ChargedTokens { cached, ..ChargedTokens::uncached(input, output.unwrap_or(0)) })
        });
    }
}

/// Text and calls of a content as people compare them.
fn spoken<P: Borrow<Part>>(parts: &[P]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for part in parts.iter().map(Borrow::borrow).filter(|part| !part.is_thought()) {
        if let Some(text) = part.text.as_deref().filter(|text| !text.is_empty()) {
            lines.push(text.to_owned());
        }
        if let Some(call) = &part.function_call {
            let args = call
                .args
                .as_ref()
                .map_or_else(|| "{}".to_owned(), |args| json::to_compact(&Json::Object((**args).clone())));
            lines.push(format!("-> {} {args}", call.name.as_deref().unwrap_or_default()));
        }
    }
    lines.join("\n")
}
