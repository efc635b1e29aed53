//! The servers that can be asked, and what is known of them and by them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use strata_measure::prices::Prices;
use strata_model::{FingerprintBuilder, LlmRequest, json};
use strata_provider::{Endpoint as Server, KeyOrigin, KeyStore};
use strata_wire::{ListedModel, ServerFacts};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::connections::Connections;
use super::endpoints::{UsableEndpoint, find_endpoint, server_of};
use super::knowledge::{Knowledge, tells};
use super::listed::{EndpointModels, listed as list_all, own_model};
use super::paid::PaidAnswers;
use super::sent::SentHistory;
use super::server_counts::{ServerCount, ServerCounts};
use crate::api::model::Endpoint;
use crate::error::AppError;

/// A list of endpoints is asked for again after this.
const YOUNG: Duration = Duration::from_mins(1);

/// The address of a server, and the name of one of its models.
type ServerAndModel = (String, String);

/// The connections, keys, what was paid for, and the endpoints as they were listed last.
pub(crate) struct Models {
    pub connections: Connections,
    pub keys: KeyStore,
    pub paid: PaidAnswers,
    pub sent: SentHistory,
    /// What servers told of themselves and of a model, for a moment.
    told: Mutex<HashMap<ServerAndModel, (Instant, Option<ServerFacts>)>>,
    counts: ServerCounts,
    /// When a server failed to count a prompt, and why.
    failed: Mutex<HashMap<String, (Instant, String)>>,
    listed: Mutex<Option<(Instant, Arc<EndpointList>)>>,
}

/// Every endpoint that could be asked.
pub(crate) struct EndpointList {
    pub endpoints: Vec<EndpointModels>,
    /// Where keys are kept, in a sentence.
    pub keys: String,
}

impl Models {
    /// Whoever is asked is asked on `runtime`, which belongs to the process.
    pub(crate) fn new(runtime: Handle) -> Self {
        Self {
            connections: Connections::new(runtime),
            keys: KeyStore::default(),
            paid: PaidAnswers::default(),
            sent: SentHistory::default(),
            told: Mutex::default(),
            counts: ServerCounts::default(),
            failed: Mutex::default(),
            listed: Mutex::default(),
        }
    }

    /// The endpoint of this name, one of `custom` or one that everybody knows. A server that people run themselves is
    /// asked for the model it has, where nobody has set one.
    pub(crate) fn find(&self, name: &str, custom: &[Endpoint]) -> Result<UsableEndpoint, AppError> {
        let mut found = find_endpoint(name, custom, &self.keys)?;
        if found.model.is_none() && tells(found.origin) {
            let models = self.models_of(&found.server)?;
            found.model = own_model(&found.settings, found.origin, &models).map(str::to_owned);
        }
        Ok(found)
    }

    /// The models of a server as it listed them a moment ago, else as it lists them now; none where it does not.
    fn models_of(&self, server: &Server) -> Result<Vec<ListedModel>, AppError> {
        let listed = self.young_list();
        let known = listed.iter().flat_map(|list| &list.endpoints);
        let known = known.filter(|known| known.server.base_url == server.base_url);
        if let Some(known) = known.into_iter().find(|known| matches!(known.models, Some(Ok(_)))) {
            return Ok(known.listed().to_vec());
        }
        Ok(self.connections.list(server)?.unwrap_or_default())
    }

    /// What is known of a model of an endpoint before it is asked.
    pub(crate) fn knowledge(
        &self,
        found: &UsableEndpoint,
        model: &str,
        prices: &Prices,
    ) -> Result<Knowledge, AppError> {
        let facts = if tells(found.origin) { self.facts(&found.server, model)? } else { None };
        let listed = if tells(found.origin) { self.models_of(&found.server)? } else { Vec::new() };
        let settings = (&found.settings, found.server.is_local());
        Ok(Knowledge::of(settings, facts.as_ref(), &listed, model, prices))
    }

    fn facts(&self, server: &Server, model: &str) -> Result<Option<ServerFacts>, AppError> {
        let key = (server.base_url.clone(), model.to_owned());
        let lock = || self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, told)) = lock().get(&key).filter(|(at, _)| at.elapsed() < YOUNG) {
            let _ = at;
            return Ok(told.clone());
        }
        let told = self.connections.facts(server, model)?;
        lock().insert(key, (Instant::now(), told.clone()));
        Ok(told)
    }

    /// The tokens of a prompt as the server counts them, where it may be asked and does. Each prompt is asked for once; a
    /// server that failed is asked again after a moment.
    pub(crate) fn count(
        &self,
        server: &Server,
        (model, request): (&str, &LlmRequest),
        known: &Knowledge,
        stop: &CancellationToken,
    ) -> ServerCount {
        if !known.counts_tokens {
            return ServerCount::default();
        }
        let mut hash = FingerprintBuilder::new();
        hash.text(&server.base_url).text(model).text(&json::to_compact(&request.to_json()));
        let key = hash.finish();
        if let Some(count) = self.counts.get(key) {
            return count;
        }
        // A server that failed at one prompt is not waited for at each of them.
        let lock = || self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, why)) = lock().get(&server.base_url).filter(|(at, _)| at.elapsed() < YOUNG) {
            return ServerCount::failed(why.clone());
        }
        match self.connections.count(server, model, request, stop) {
            Ok(counted) => {
                let count = ServerCount::of(counted);
                self.counts.keep(key, &count);
                count
            }
            Err(error) => {
                if !stop.is_cancelled() {
                    lock().insert(server.base_url.clone(), (Instant::now(), error.message.clone()));
                }
                ServerCount::failed(error.message)
            }
        }
    }

    /// An endpoint as it is asked, with its key.
    pub(crate) fn server(&self, endpoint: &Endpoint) -> (Server, Option<KeyOrigin>) {
        server_of(endpoint, &self.keys)
    }

    /// Every endpoint, each asked for its models, unless that was done a moment ago.
    pub(crate) fn list(&self, custom: &[Endpoint]) -> Result<Arc<EndpointList>, AppError> {
        self.young_list().map_or_else(|| self.list_anew(custom), Ok)
    }

    fn young_list(&self) -> Option<Arc<EndpointList>> {
        let listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        listed.filter(|(made, _)| made.elapsed() < YOUNG).map(|(_, list)| list)
    }

    /// As [`Self::list`], whatever was known.
    pub(crate) fn list_anew(&self, custom: &[Endpoint]) -> Result<Arc<EndpointList>, AppError> {
        self.forget_facts();
        let endpoints = list_all(custom, &self.keys, &self.connections)?;
        let list = Arc::new(EndpointList { endpoints, keys: self.keys.describe() });
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), list.clone()));
        Ok(list)
    }

    /// Endpoints or their keys changed: what was listed is no longer so.
    pub(crate) fn forget_list(&self) {
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.forget_facts();
    }

    fn forget_facts(&self) {
        self.told.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}
