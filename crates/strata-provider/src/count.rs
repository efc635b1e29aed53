//! Counts of tokens by those who know.

use strata_model::{LlmRequest, json};
use strata_wire::{decode_count, encode_count};
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::endpoint::Endpoint;
use crate::error::{CallError, CallErrorKind};

/// Bytes such an answer may have.
const MAX_ANSWER: usize = 1 << 20;

impl Client {
    /// The tokens of a request as the provider counts them; `None` where it does not. The whole prompt is sent to it.
    pub async fn count(
        &self,
        endpoint: &Endpoint,
        model: &str,
        request: &LlmRequest,
        stop: &CancellationToken,
    ) -> Result<Option<u64>, CallError> {
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

    /// All bytes of a short answer.
    pub(crate) async fn whole(
        &self,
        endpoint: &Endpoint,
        mut response: reqwest::Response,
        stop: &CancellationToken,
    ) -> Result<Vec<u8>, CallError> {
        let mut bytes = Vec::new();
        loop {
            let chunk = tokio::time::timeout(self.limits.stall, response.chunk());
            match stop.run_until_cancelled(chunk).await {
                Some(Ok(Ok(Some(more)))) if bytes.len() + more.len() <= MAX_ANSWER => {
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
