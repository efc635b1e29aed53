//! Asking a model for what is paid for once.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use strata_measure::analysis::Counting;
use strata_measure::prices::Prices;
use strata_measure::tokens::TokenCount;
use strata_model::{Content, Fingerprint, LlmRequest, Origin, Part, RequestContent};
use strata_provider::Progress;
use strata_store::{PromptShape, Store, StoreError};
use tokio_util::sync::CancellationToken;

use super::connections::Asked;
use super::endpoints::UsableEndpoint;
use super::knowledge::Knowledge;
use super::measured::{Expected, counted, measure, predicted};
use super::paid::{Paid, PaidAnswers};
use super::sent::SizedPrompt;
use super::servers::Models;
use crate::error::{AppError, ErrorCode};
use crate::import::now_ms;

/// An endpoint that is asked, and what keeps its answers.
pub(crate) struct Asker<'a> {
    pub found: &'a UsableEndpoint,
    pub models: &'a Models,
    /// Where answers outlive the program, and where what providers report is learned from.
    pub store: Option<&'a Mutex<Store>>,
    pub counting: &'a Counting,
    pub prices: &'a Prices,
    pub stop: CancellationToken,
}

/// What was foreseen of a prompt before it was sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Foresight {
    /// Tokens of the prompt, as the server is likely to report them, and of these what it should find again.
    pub prompt: TokenCount,
    pub cached: TokenCount,
}

impl Asker<'_> {
    fn store(&self) -> Option<MutexGuard<'_, Store>> {
        self.store.map(|store| store.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What `model` is asked with a prompt is known by.
    pub(super) fn key(&self, model: &str, prompt: &str, max_tokens: Option<u32>) -> Fingerprint {
        PaidAnswers::key(&self.found.server.base_url, model, prompt, max_tokens)
    }

    /// The answer that was paid for before.
    pub(super) fn known(&self, key: Fingerprint) -> Option<Paid> {
        self.models.paid.find(key, self.store().as_deref())
    }

    /// What is known of a model here.
    pub(crate) fn knowledge(&self, model: &str) -> Result<Knowledge, AppError> {
        self.models.knowledge(self.found, model, self.prices)
    }

    /// Sends a request, unless it is longer than the model takes. What the server reads is remembered. Returns what came,
    /// and what was foreseen of it.
    pub(crate) fn ask(
        &self,
        (model, known): (&str, &Knowledge),
        (shape, request): (PromptShape, &LlmRequest),
        max_tokens: Option<u32>,
        watch: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<(Asked, Foresight), AppError> {
        let server = &self.found.server;
        let count = self.models.count(server, (model, request), known, &self.stop);
        let ours = counted(self.counting, model, request);
        let predicted = predicted(&count, self.store, (model, shape), ours);
        if let Some(problem) = known.overflow(predicted, model) {
            return Err(AppError::bad_input(problem));
        }
        let prompt = SizedPrompt { request, ids: count.ids.as_ref(), ours, predicted };
        let target = (&*server.base_url, model);
        let at = |ms: i64| (&known.rule, ms as f64 / 1000.0);
        let foreseen =
            self.models.sent.of(target, self.counting).foresee(prompt, at(now_ms()), self.counting);
        let foresight = Foresight { prompt: predicted, cached: foreseen.cached };
        let asked = self.models.connections.ask(server, model, request, max_tokens, &self.stop, watch)?;
        let usage = match &asked.answer {
            Ok(answer) => answer.usage.as_ref(),
            Err(error) => error.partial.as_ref().and_then(|partial| partial.usage.as_ref()),
        };
        if asked.answer.is_ok() || asked.first_token.is_some() {
            let fresh = usage.and_then(|report| {
                let usage = &report.usage;
                let cached = usage.cached_content_token_count.unwrap_or(0);
                Some(usage.prompt_token_count?.saturating_sub(cached))
            });
            let took = (fresh, asked.first_token);
            self.models.sent.enter(target, prompt, at(now_ms()), self.counting, took);
        }
        Ok((asked, foresight))
    }

    /// Keeps the answer to a request that was sent to `model`, and learns from what was reported. An answer that cannot
    /// be stored is there until Strata is closed.
    pub(super) fn keep(
        &self,
        key: Fingerprint,
        (model, request): (&str, &LlmRequest),
        paid: &Paid,
    ) -> Result<(), StoreError> {
        let mut store = self.store();
        let kept = self.models.paid.keep(key, paid.clone(), store.as_deref_mut());
        if let Some(store) = store.as_deref_mut() {
            let tokens = counted(self.counting, model, request).tokens;
            let expected = Expected { shape: PromptShape::Text, request: key, tokens, cached: None };
            // What is not kept is missing from calibration only.
            measure(store, model, expected, paid.usage.as_ref()).ok();
        }
        kept
    }

    /// Asks `model` a question, unless its answer is known. True where it was asked now.
    pub(crate) fn ask_once(
        &self,
        model: &str,
        prompt: &str,
        max_tokens: u32,
    ) -> Result<(Paid, bool), AppError> {
        let key = self.key(model, prompt, Some(max_tokens));
        if let Some(paid) = self.known(key) {
            return Ok((paid, false));
        }
        if self.stop.is_cancelled() {
            return Err(AppError::new(ErrorCode::Provider, "Stopped."));
        }
        let request = question(prompt);
        let known = self.knowledge(model)?;
        let (asked, _) =
            self.ask((model, &known), (PromptShape::Text, &request), Some(max_tokens), &mut |_| {})?;
        let answer = asked.answer.map_err(|error| AppError::new(ErrorCode::Provider, error.message))?;
        let paid = Paid {
            usage: answer.usage.as_ref().map(|report| report.usage.clone()),
            model: answer.model.as_deref().unwrap_or(model).to_owned(),
            content: answer.into_content(),
        };
        // It is there until Strata is closed, and there is nobody here to tell.
        self.keep(key, (model, &request), &paid).ok();
        Ok((paid, true))
    }
}

/// The one user message a model is asked with.
pub(crate) fn question(prompt: &str) -> LlmRequest {
    let mut request = LlmRequest::default();
    let content = Content::new("user", [Part::from_text(prompt)]);
    let origin = |_| Origin::processor("compaction");
    request.contents.push(Arc::new(RequestContent::from_content(&content, origin)));
    request
}

/// What an answer says, without thoughts.
pub(crate) fn spoken_text(content: &Content) -> String {
    let parts = content.parts().iter().filter(|part| !part.is_thought());
    parts.filter_map(|part| part.text.as_deref()).collect::<Vec<_>>().join("\n").trim().to_owned()
}
