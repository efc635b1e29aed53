//! Every endpoint that could be asked, with the models it lists.

use strata_measure::prices::Prices;
use strata_provider::{CallError, Endpoint as Server, KeyOrigin, KeyStore, LOCAL_SERVERS};
use strata_wire::{ListedModel, ServerFacts};

use super::connections::Connections;
use super::endpoints::{bare, known, server_of};
use super::knowledge::{Knowledge, tells};
use crate::api::model::{Endpoint, EndpointOrigin};
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
    pub models: Option<Result<Vec<ListedModel>, CallError>>,
    /// What it tells of itself and of the model that is asked where nobody says another.
    pub facts: Option<ServerFacts>,
}

impl EndpointModels {
    pub(crate) fn listed(&self) -> &[ListedModel] {
        match &self.models {
            Some(Ok(models)) => models,
            _ => &[],
        }
    }

    /// What is known of it and its own model.
    pub(crate) fn knowledge(&self, prices: &Prices) -> Knowledge {
        let settings = (&self.endpoint, self.server.is_local());
        let model = self.own_model().unwrap_or_default();
        Knowledge::of(settings, self.facts.as_ref(), self.listed(), model, prices)
    }

    /// The model that is asked where nobody says another.
    pub(crate) fn own_model(&self) -> Option<&str> {
        own_model(&self.endpoint, self.origin, self.listed())
    }
}

/// A server that people run themselves is asked for what it has; a provider has too much to guess.
pub(super) fn own_model<'m>(
    settings: &'m Endpoint,
    origin: EndpointOrigin,
    listed: &'m [ListedModel],
) -> Option<&'m str> {
    let first = || Some(&*listed.first().filter(|_| tells(origin))?.name);
    settings.model.as_deref().or_else(first)
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
        all.push(EndpointModels { endpoint, server, origin, key_from, models, facts: None });
    }
    for (server, models) in connections.find_local(&LOCAL_SERVERS)? {
        let is_asked_at = |known: &EndpointModels| {
            known.models.is_some() && known.server.shown_url("") == server.shown_url("")
        };
        if all.iter().any(is_asked_at) {
            continue;
        }
        let endpoint = bare(&server.name, &server.base_url);
        let (origin, models) = (EndpointOrigin::Local, Some(Ok(models)));
        all.push(EndpointModels { endpoint, server, origin, key_from: None, models, facts: None });
    }
    for endpoint in &mut all {
        if tells(endpoint.origin) && matches!(endpoint.models, Some(Ok(_))) {
            let model = endpoint.own_model().unwrap_or_default().to_owned();
            endpoint.facts = connections.facts(&endpoint.server, &model)?;
        }
    }
    Ok(all)
}
