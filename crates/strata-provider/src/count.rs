//! Counts of tokens by those who know.

use std::time::Duration;

use strata_model::{Json, LlmRequest, Object, json};
use strata_wire::{Api, BodyOptions, decode_count, encode, encode_count};
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::endpoint::Endpoint;
use crate::error::{CallError, CallErrorKind};
use crate::send::{connection_error, headers, status_error};

/// Bytes such an answer may have.
const MAX_ANSWER: usize = 4 << 20;
/// Bytes of a prompt, or of the numbers of its tokens.
const MAX_TOKENS: usize = 64 << 20;
/// A server that cuts a prompt into tokens takes no longer; one that does has other things to do, and somebody waits.
const PATIENCE: Duration = Duration::from_secs(15);

/// A prompt as its provider counts it: what its template makes of the request, tools included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PromptCount {
    pub tokens: u64,
    /// The numbers of the tokens in the server's vocabulary, in order; `None` where it only says how many there are.
    pub ids: Option<Vec<u32>>,
}

impl Client {
    /// The tokens of a request as the provider counts them; `None` where it does not. The whole prompt is sent to it.
    pub async fn count(
        &self,
        endpoint: &Endpoint,
        model: &str,
        request: &LlmRequest,
        stop: &CancellationToken,
    ) -> Result<Option<PromptCount>, CallError> {
        if endpoint.api == Api::ChatCompletions {
            return self.count_chat(endpoint, model, request, stop).await;
        }
        let path = endpoint.api.count_path(model);
        let (Some(path), Some(body)) = (path, encode_count(endpoint.api, model, request)) else {
            return Ok(None);
        };
        let (response, _) = self.send(endpoint, &path, json::to_compact(&body), stop, &mut |_| ()).await?;
        let bytes = self.whole(endpoint, response, stop).await?;
        let count = json::parse(&bytes).ok().and_then(|answer| decode_count(endpoint.api, &answer));
        count.map(|tokens| Some(PromptCount { tokens, ids: None })).ok_or_else(|| uncounted(endpoint))
    }

    /// As llama.cpp and vLLM count, which make one text of a conversation and cut it into tokens. `None` for servers
    /// that do neither.
    async fn count_chat(
        &self,
        endpoint: &Endpoint,
        model: &str,
        request: &LlmRequest,
        stop: &CancellationToken,
    ) -> Result<Option<PromptCount>, CallError> {
        let body =
            encode(endpoint.api, model, request, BodyOptions { is_streamed: false, max_output_tokens: None });
        let made = self.posted(endpoint, "/apply-template", &body, stop).await?;
        let Some(prompt) = made.as_ref().and_then(|made| made.get("prompt")?.as_str()) else {
            let cut = self.posted(endpoint, "/tokenize", &body, stop).await?;
            return Ok(cut.and_then(|cut| decode_tokens(&cut)));
        };
        let text = Object::from_iter([
            ("content", Json::from(prompt)),
            ("add_special", true.into()),
            ("parse_special", true.into()),
        ]);
        let cut = self.posted(endpoint, "/tokenize", &Json::Object(text), stop).await?;
        let count = cut.and_then(|cut| decode_tokens(&cut));
        count.map(Some).ok_or_else(|| uncounted(endpoint))
    }

    /// What an address answers, where the server has it. It is asked once: whoever wants the count has another.
    async fn posted(
        &self,
        endpoint: &Endpoint,
        path: &str,
        body: &Json,
        stop: &CancellationToken,
    ) -> Result<Option<Json>, CallError> {
        let request = self
            .http(endpoint)
            .post(endpoint.url_beside(path))
            .headers(headers(endpoint)?)
            .header(reqwest::header::CONTENT_TYPE, "application/json")
            .body(json::to_compact(body));
        let sent = tokio::time::timeout(self.limits.stall.min(PATIENCE), request.send());
        let response = match stop.run_until_cancelled(sent).await {
            None => return Err(stopped()),
            Some(Err(_)) => {
                let message = format!("{} did not count a prompt in time.", endpoint.name);
                return Err(CallError::new(CallErrorKind::TimedOut, message));
            }
            Some(Ok(Err(error))) => return Err(connection_error(endpoint, &error)),
            Some(Ok(Ok(response))) => response,
        };
        if [404, 405, 501].contains(&response.status().as_u16()) {
            return Ok(None);
        }
        if !response.status().is_success() {
            return Err(status_error(endpoint, response).await);
        }
        let bytes = self.whole_up_to(MAX_TOKENS, endpoint, response, stop).await?;
        json::parse(&bytes).map(Some).map_err(|_| uncounted(endpoint))
    }

    /// All bytes of a short answer.
    pub(crate) async fn whole(
        &self,
        endpoint: &Endpoint,
        response: reqwest::Response,
        stop: &CancellationToken,
    ) -> Result<Vec<u8>, CallError> {
        self.whole_up_to(MAX_ANSWER, endpoint, response, stop).await
    }

    async fn whole_up_to(
        &self,
        most: usize,
        endpoint: &Endpoint,
        mut response: reqwest::Response,
        stop: &CancellationToken,
    ) -> Result<Vec<u8>, CallError> {
        let mut bytes = Vec::new();
        loop {
            let chunk = tokio::time::timeout(self.limits.stall, response.chunk());
            match stop.run_until_cancelled(chunk).await {
                Some(Ok(Ok(Some(more)))) if bytes.len() + more.len() <= most => {
                    bytes.extend_from_slice(&more);
                }
                Some(Ok(Ok(None))) => return Ok(bytes),
                None => return Err(stopped()),
                Some(_) => {
                    let message = format!("{} did not end its answer.", endpoint.name);
                    return Err(CallError::new(CallErrorKind::CutOff, message));
                }
            }
        }
    }
}

/// What llama.cpp (`tokens`) and vLLM (`count` and `tokens`) answer.
fn decode_tokens(cut: &Json) -> Option<PromptCount> {
    let ids = cut.get("tokens").and_then(Json::as_array);
    let ids: Option<Vec<u32>> =
        ids.and_then(|ids| ids.iter().map(|id| u32::try_from(id.as_i64()?).ok()).collect());
    let ids = ids.filter(|ids| !ids.is_empty());
    let said = cut.get("count").and_then(|count| u64::try_from(count.as_i64()?).ok());
    let tokens = said.or_else(|| Some(ids.as_ref()?.len() as u64))?;
    // Numbers that are not those of the prompt say nothing of where it begins to differ from another.
    Some(PromptCount { tokens, ids: ids.filter(|ids| ids.len() as u64 == tokens) })
}

fn uncounted(endpoint: &Endpoint) -> CallError {
    let message = format!("{} counted, and its answer has no count in it.", endpoint.name);
    CallError::new(CallErrorKind::Malformed, message)
}

fn stopped() -> CallError {
    CallError::new(CallErrorKind::Cancelled, "Stopped.")
}
