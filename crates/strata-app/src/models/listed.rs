//! Every endpoint that could be asked, with the models it lists.

use strata_provider::{CallError, Endpoint as Server, KeyOrigin, KeyStore, LOCAL_SERVERS};

use super::connections::Connections;
use super::endpoints::{known, server_of};
use crate::api::model::{Api, Endpoint, EndpointOrigin};
use crate::error::AppError;

/// An endpoint, and what came of asking it for its models.
#[derive(Debug, Clone)]
pub(crate) struct EndpointModels {
    pub endpoint: Endpoint,
    /// As it is asked.
    pub server: Server,
    pub origin: EndpointOrigin,
    pub key_from: Option<KeyOrigin>,
    /// `None`: it was not asked. A provider nobody has a key for would only say so.
    pub models: Option<Result<Vec<String>, CallError>>,
}

/// Those of the environment, providers, those that were set up by hand (`custom`), and servers found on this computer.
pub(super) fn listed(
    custom: &[Endpoint],
    keys: &KeyStore,
    connections: &Connections,
) -> Result<Vec<EndpointModels>, AppError> {
    let mut all: Vec<EndpointModels> = Vec::new();
    for (endpoint, origin) in known(custom) {
        let (server, key_from) = server_of(&endpoint, keys);
        let is_asked = server.key.is_some() || origin != EndpointOrigin::Provider;
        let models = if is_asked { Some(connections.list(&server)?) } else { None };
        all.push(EndpointModels { endpoint, server, origin, key_from, models });
    }
    for (server, models) in connections.find_local(&LOCAL_SERVERS)? {
        let is_asked_at = |known: &EndpointModels| {
            known.models.is_some() && known.server.shown_url("") == server.shown_url("")
        };
        if all.iter().any(is_asked_at) {
            continue;
        }
        let endpoint = Endpoint {
            name: server.name.clone(),
            api: Api::ChatCompletions,
            base_url: server.base_url.clone(),
            model: models.first().cloned(),
            headers: Vec::new(),
            key_variable: None,
        };
        let origin = EndpointOrigin::Local;
        all.push(EndpointModels { endpoint, server, origin, key_from: None, models: Some(Ok(models)) });
    }
    Ok(all)
}
