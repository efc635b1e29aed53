//! Asking a model, from threads that wait for the answer.

use std::sync::Arc;

use strata_model::LlmRequest;
use strata_provider::{AskOptions, Cancel, Client, Endpoint, Limits, Progress};
use strata_wire::Answer;

use crate::error::{AppError, ErrorCode};

/// What came of asking.
pub(crate) type Asked = Result<Answer, strata_provider::CallError>;

/// Runs something asynchronous to its end on this thread.
pub(crate) fn run_blocking<T>(work: impl Future<Output = T>) -> Result<T, AppError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| AppError::internal(format!("Connections cannot be made: {error}.")))?;
    Ok(runtime.block_on(work))
}

pub(crate) fn client() -> Result<Client, AppError> {
    Client::new(Limits::default()).map_err(|error| AppError::new(ErrorCode::Provider, error.message))
}

/// Sends a request and waits for the answer.
pub(crate) fn ask(
    endpoint: &Endpoint,
    model: &str,
    request: &LlmRequest,
    max_output_tokens: Option<u32>,
    cancel: &Cancel,
    watch: &mut (dyn FnMut(Progress) + Send),
) -> Result<Asked, AppError> {
    let client = client()?;
    let options = AskOptions { max_output_tokens };
    run_blocking(client.ask(endpoint, model, request, options, cancel, watch))
}

/// The models of an endpoint, as it lists them.
pub(crate) fn list(endpoint: &Endpoint) -> Result<Result<Vec<String>, strata_provider::CallError>, AppError> {
    let client = client()?;
    let never: Cancel = Arc::new(|| false);
    run_blocking(client.models(endpoint, &never))
}
