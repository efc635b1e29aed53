//! What servers that people run themselves tell of themselves.

use std::time::Duration;

use strata_model::{Json, json};
use strata_wire::{Api, ServerFacts};
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::endpoint::Endpoint;
use crate::send::headers;

/// Such answers come at once; a server that is busy with a prompt tells later.
const PATIENCE: Duration = Duration::from_secs(2);

impl Client {
    /// What a server tells of itself and of `model`. `None` for one that tells nothing, as providers do.
    pub async fn facts(&self, endpoint: &Endpoint, model: &str) -> Option<ServerFacts> {
        if endpoint.api != Api::ChatCompletions {
            return None;
        }
        let json = async |path| json::parse(&self.told(endpoint, path).await?).ok();
        // One after the other: no server minds, and a stranger is asked as little as can be.
        if let Some(facts) = json("/props").await.as_ref().and_then(ServerFacts::of_llama_cpp) {
            return Some(with_slots(facts, json("/slots").await.as_ref()));
        }
        if let Some(facts) =
            json("/api/ps").await.as_ref().and_then(|running| ServerFacts::of_ollama(running, model))
        {
            return Some(facts);
        }
        if let Some(facts) =
            json("/api/v0/models").await.as_ref().and_then(|list| ServerFacts::of_lm_studio(list, model))
        {
            return Some(facts);
        }
        if let Some(facts) = json("/get_server_info").await.as_ref().and_then(ServerFacts::of_sglang) {
            return Some(facts);
        }
        let metrics = self.told(endpoint, "/metrics").await?;
        ServerFacts::of_vllm(&String::from_utf8_lossy(&metrics))
    }

    async fn told(&self, endpoint: &Endpoint, path: &str) -> Option<Vec<u8>> {
        let request = self.http(endpoint).get(endpoint.url_beside(path)).headers(headers(endpoint).ok()?);
        let response = tokio::time::timeout(PATIENCE, request.send()).await.ok()?.ok()?;
        if !response.status().is_success() {
            return None;
        }
        self.whole(endpoint, response, &CancellationToken::new()).await.ok()
    }
}

/// llama.cpp's own list of slots, where it shows one, is what it really has.
fn with_slots(facts: ServerFacts, slots: Option<&Json>) -> ServerFacts {
    let slots = slots.and_then(Json::as_array).map_or(0, <[Json]>::len);
    ServerFacts { slots: u32::try_from(slots).ok().filter(|n| *n > 0).or(facts.slots), ..facts }
}
