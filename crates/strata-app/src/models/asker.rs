//! Asking a model for what is paid for once.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use strata_measure::analysis::Counting;
use strata_model::{Content, Fingerprint, LlmRequest, Origin, Part, RequestContent};
use strata_provider::{Endpoint, Progress};
use strata_store::{PromptShape, Store, StoreError};
use tokio_util::sync::CancellationToken;

use super::connections::{Asked, Connections};
use super::measured::{Expected, counted, measure};
use super::paid::{Paid, PaidAnswers};
use crate::error::{AppError, ErrorCode};

/// An endpoint that is asked, and what keeps its answers.
pub(crate) struct Asker<'a> {
    pub endpoint: &'a Endpoint,
    pub connections: &'a Connections,
    pub paid: &'a PaidAnswers,
    /// Where answers outlive the program, and where what providers report is learned from.
    pub store: Option<&'a Mutex<Store>>,
    pub counting: &'a Counting,
    pub stop: CancellationToken,
}

impl Asker<'_> {
    fn store(&self) -> Option<MutexGuard<'_, Store>> {
        self.store.map(|store| store.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What `model` is asked with a prompt is known by.
    pub(super) fn key(&self, model: &str, prompt: &str, max_tokens: Option<u32>) -> Fingerprint {
        PaidAnswers::key(&self.endpoint.base_url, model, prompt, max_tokens)
    }

    /// The answer that was paid for before.
    pub(super) fn known(&self, key: Fingerprint) -> Option<Paid> {
        self.paid.find(key, self.store().as_deref())
    }

    pub(super) fn ask(
        &self,
        model: &str,
        request: &LlmRequest,
        max_tokens: Option<u32>,
        watch: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<Asked, AppError> {
        self.connections.ask(self.endpoint, model, request, max_tokens, &self.stop, watch)
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
        let kept = self.paid.keep(key, paid.clone(), store.as_deref_mut());
        if let Some(store) = store.as_deref_mut() {
            let tokens = counted(self.counting, model, request).tokens;
            let expected = Expected { shape: PromptShape::Text, request: key, tokens, cached: None };
            // What is not kept is missing from calibration only.
            measure(store, model, expected, paid.usage.as_ref()).ok();
        }
        kept
    }

    /// Asks `model` a question, unless its answer is known.
    pub(crate) fn ask_once(&self, model: &str, prompt: &str, max_tokens: u32) -> Result<Paid, AppError> {
        let key = self.key(model, prompt, Some(max_tokens));
        if let Some(paid) = self.known(key) {
            return Ok(paid);
        }
        if self.stop.is_cancelled() {
            return Err(AppError::new(ErrorCode::Provider, "Stopped."));
        }
        let request = question(prompt);
        let asked = self.ask(model, &request, Some(max_tokens), &mut |_| {})?;
        let answer = asked.map_err(|error| AppError::new(ErrorCode::Provider, error.message))?;
        let paid = Paid {
            usage: answer.usage.as_ref().map(|report| report.usage.clone()),
            model: answer.model.as_deref().unwrap_or(model).to_owned(),
            content: answer.into_content(),
        };
        // It is there until Strata is closed, and there is nobody here to tell.
        self.keep(key, (model, &request), &paid).ok();
        Ok(paid)
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
