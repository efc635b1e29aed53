//! Counts of tokens by those who know.

use strata_model::{Json, LlmRequest, Object, json};
use strata_wire::{Api, BodyOptions, decode_count, encode, encode_count};
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::endpoint::Endpoint;
use crate::error::{CallError, CallErrorKind};
use crate::send::headers;

/// Bytes such an answer may have.
const MAX_ANSWER: usize = 4 << 20;
/// Bytes of a prompt, or of the numbers of its tokens.
const MAX_TOKENS: usize = 64 << 20;

impl Client {
    /// The tokens of a request as the provider counts them; `None` where it does not. The whole prompt is sent to it.
    pub async fn count(
        &self,
        endpoint: &Endpoint,
        model: &str,
        request: &LlmRequest,
        stop: &CancellationToken,
    ) -> Result<Option<u64>, CallError> {
        if endpoint.api == Api::ChatCompletions {
            return Ok(self.count_chat(endpoint, model, request, stop).await);
        }
        let path = endpoint.api.count_path(model);
        let (Some(path), Some(body)) = (path, encode_count(endpoint.api, model, request)) else {
            return Ok(None);
        };
        let (response, _) = self.send(endpoint, &path, json::to_compact(&body), stop, &mut |_| ()).await?;
        let bytes = self.whole(endpoint, response, stop).await?;
        let count = json::parse(&bytes).ok().and_then(|answer| decode_count(endpoint.api, &answer));
        count.map(Some).ok_or_else(|| {
            let message = format!("{} counted, and its answer has no count in it.", endpoint.name);
            CallError::new(CallErrorKind::Malformed, message)
        })
    }

    /// As llama.cpp and vLLM count, which make one text of a conversation and cut it into tokens. `None` for servers
    /// that do neither.
    async fn count_chat(
        &self,
        endpoint: &Endpoint,
        model: &str,
        request: &LlmRequest,
        stop: &CancellationToken,
    ) -> Option<u64> {
        let body =
            encode(endpoint.api, model, request, BodyOptions { is_streamed: false, max_output_tokens: None });
        let made = self.posted(endpoint, "/apply-template", &body, stop).await;
        if let Some(prompt) = made.as_ref().and_then(|made| made.get("prompt")?.as_str()) {
            let text = Object::from_iter([
                ("content", Json::from(prompt)),
                ("add_special", true.into()),
                ("parse_special", true.into()),
            ]);
            let cut = self.posted(endpoint, "/tokenize", &Json::Object(text), stop).await?;
            return Some(cut.get("tokens")?.as_array()?.len() as u64);
        }
        let cut = self.posted(endpoint, "/tokenize", &body, stop).await?;
        u64::try_from(cut.get("count")?.as_i64()?).ok()
    }

    async fn posted(
        &self,
        endpoint: &Endpoint,
        path: &str,
        body: &Json,
        stop: &CancellationToken,
    ) -> Option<Json> {
        let request = self
            .http(endpoint)
            .post(endpoint.url_beside(path))
            .headers(headers(endpoint).ok()?)
            .header(reqwest::header::CONTENT_TYPE, "application/json")
            .body(json::to_compact(body));
        let sent = tokio::time::timeout(self.limits.stall, request.send());
        let response = stop.run_until_cancelled(sent).await?.ok()?.ok()?;
        if !response.status().is_success() {
            return None;
        }
        json::parse(&self.whole_up_to(MAX_TOKENS, endpoint, response, stop).await.ok()?).ok()
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
                None => return Err(CallError::new(CallErrorKind::Cancelled, "Stopped.")),
                Some(_) => {
                    let message = format!("{} did not end its answer.", endpoint.name);
                    return Err(CallError::new(CallErrorKind::CutOff, message));
                }
            }
        }
    }
}
