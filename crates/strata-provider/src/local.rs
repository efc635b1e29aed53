//! Model servers on this computer, found by the ports they usually listen on.

use std::time::Duration;

use futures_util::future::join_all;
use strata_wire::{Api, ListedModel};
use tokio_util::sync::CancellationToken;

use crate::client::{Client, Limits};
use crate::endpoint::Endpoint;

/// A server that people run themselves, and its usual port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LocalServer {
    pub name: &'static str,
    pub port: u16,
}

impl LocalServer {
    /// As it is asked.
    pub fn endpoint(self) -> Endpoint {
        Endpoint {
            name: self.name.to_owned(),
            api: Api::ChatCompletions,
            base_url: format!("http://127.0.0.1:{}/v1", self.port),
            headers: Vec::new(),
            key: None,
            first_byte: None,
        }
    }
}

pub const LOCAL_SERVERS: [LocalServer; 5] = [
    LocalServer { name: "Ollama", port: 11434 },
    LocalServer { name: "LM Studio", port: 1234 },
    LocalServer { name: "llama.cpp", port: 8080 },
    LocalServer { name: "vLLM", port: 8000 },
    LocalServer { name: "SGLang", port: 30000 },
];

/// Who is there answers at once.
const PATIENCE: Duration = Duration::from_millis(600);

/// The servers among `servers` that answer `client` with a list of models, as it lists them.
pub async fn find_local(client: &Client, servers: &[LocalServer]) -> Vec<(Endpoint, Vec<ListedModel>)> {
    let limits = Limits { connect: PATIENCE, stall: PATIENCE, retries: 0, ..client.limits };
    let client = client.with_limits(limits);
    let probes = servers.iter().map(|server| {
        let client = client.clone();
        async move {
            let endpoint = server.endpoint();
            let never = CancellationToken::new();
            let found = tokio::time::timeout(PATIENCE * 2, client.models(&endpoint, &never)).await;
            let models = found.ok()?.ok()?;
            // Other programs listen on these ports too; they list no models.
            (!models.is_empty()).then_some((endpoint, models))
        }
    });
    join_all(probes).await.into_iter().flatten().collect()
}
