//! Asking servers, from threads that wait for the answer.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use strata_model::LlmRequest;
use strata_provider::{
    AskOptions, CallError, Client, Endpoint, Limits, LocalServer, Progress, PromptCount, Trial, find_local,
};
use strata_wire::{Answer, ListedModel, ServerFacts};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::error::{AppError, ErrorCode};

/// What came of asking, and how long it took.
pub(crate) struct Asked {
    pub answer: Result<Answer, CallError>,
    /// Until the first piece of the answer; `None` where none came.
    pub first_token: Option<Duration>,
}

/// One client, made when somebody is asked for the first time, and the runtime of the process that it works on.
///
/// Callers block, so they must not be on a thread of the runtime itself, except one that may block.
pub(crate) struct Connections {
    runtime: Handle,
    client: Mutex<Option<Client>>,
}

impl Connections {
    pub(crate) fn new(runtime: Handle) -> Self {
        Self { runtime, client: Mutex::default() }
    }

    /// Sends a request and waits for the answer, or until `stop` is cancelled.
    pub(crate) fn ask(
        &self,
        endpoint: &Endpoint,
        model: &str,
        request: &LlmRequest,
        max_output_tokens: Option<u32>,
        stop: &CancellationToken,
        watch: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<Asked, AppError> {
        let options = AskOptions { max_output_tokens };
        let begun = Instant::now();
        let mut first_token = None;
        let mut watch = |progress: Progress| {
            match progress {
                Progress::Delta(_) if first_token.is_none() => first_token = Some(begun.elapsed()),
                // What was waited for between attempts is no part of the answer that came.
                Progress::Waiting { .. } => first_token = None,
                Progress::Delta(_) => {}
            }
            watch(progress);
        };
        let client = self.client()?;
        let answer = self.runtime.block_on(client.ask(endpoint, model, request, options, stop, &mut watch));
        Ok(Asked { answer, first_token })
    }

    /// What a server that people run themselves tells of itself and of a model.
    pub(crate) fn facts(&self, endpoint: &Endpoint, model: &str) -> Result<Option<ServerFacts>, AppError> {
        Ok(self.runtime.block_on(self.client()?.facts(endpoint, model)))
    }

    /// The tokens of a prompt as a server counts them, which is sent all of it; `None` where it does not.
    pub(crate) fn count(
        &self,
        endpoint: &Endpoint,
        model: &str,
        request: &LlmRequest,
        stop: &CancellationToken,
    ) -> Result<Option<PromptCount>, AppError> {
        let counted = self.runtime.block_on(self.client()?.count(endpoint, model, request, stop));
        counted.map_err(|error| AppError::new(ErrorCode::Provider, error.message))
    }

    /// The models of an endpoint, as it lists them.
    pub(crate) fn list(&self, endpoint: &Endpoint) -> Result<Result<Vec<ListedModel>, CallError>, AppError> {
        Ok(self.runtime.block_on(self.client()?.models(endpoint, &CancellationToken::new())))
    }

    /// Those of `servers` that are there, with the models they list.
    pub(crate) fn find_local(
        &self,
        servers: &[LocalServer],
    ) -> Result<Vec<(Endpoint, Vec<ListedModel>)>, AppError> {
        Ok(self.runtime.block_on(find_local(&self.client()?, servers)))
    }

    /// Asks a model for one word, once, with other limits than usual.
    pub(crate) fn try_out(
        &self,
        endpoint: &Endpoint,
        model: &str,
        limits: Limits,
    ) -> Result<Trial, AppError> {
        let client = self.client()?.with_limits(limits);
        Ok(self.runtime.block_on(client.try_out(endpoint, model, &CancellationToken::new())))
    }

    /// The runtime of the process.
    pub(crate) fn runtime(&self) -> &Handle {
        &self.runtime
    }

    /// The client, for those who await its answers on the runtime.
    pub(crate) fn client(&self) -> Result<Client, AppError> {
        let mut known = self.client.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = &*known {
            return Ok(client.clone());
        }
        let client = Client::new(Limits::default())
            .map_err(|error| AppError::new(ErrorCode::Provider, error.message))?;
        Ok(known.insert(client).clone())
    }
}
