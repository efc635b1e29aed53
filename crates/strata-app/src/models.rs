//! Models that can be asked: which there are, and asking them.

mod asker;
mod connections;
mod endpoints;
mod listed;
mod measured;
mod paid;
mod writer;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use strata_provider::{Endpoint as Server, KeyOrigin, KeyStore};
use tokio::runtime::Handle;

pub(crate) use asker::{Asker, question, spoken_text};
pub(crate) use connections::Connections;
pub(crate) use endpoints::{UsableEndpoint, custom_endpoints, set_custom_endpoints};
pub(crate) use listed::EndpointModels;
pub(crate) use measured::{Calibrations, Expected, calibrated, counted, measure};
pub(crate) use paid::PaidAnswers;
pub(crate) use writer::{ModelWriter, WriterEvent};

use crate::api::model::Endpoint;
use crate::error::AppError;

/// A list of endpoints is asked for again after this.
const YOUNG: Duration = Duration::from_mins(1);

/// The connections, keys, what was paid for, and the endpoints as they were listed last.
pub(crate) struct Models {
    pub connections: Connections,
    pub keys: KeyStore,
    pub paid: PaidAnswers,
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
            listed: Mutex::default(),
        }
    }

    /// The endpoint of this name, one of `custom` or one that everybody knows.
    pub(crate) fn find(&self, name: &str, custom: &[Endpoint]) -> Result<UsableEndpoint, AppError> {
        endpoints::find(name, custom, &self.keys)
    }

    /// An endpoint as it is asked, with its key.
    pub(crate) fn server(&self, endpoint: &Endpoint) -> (Server, Option<KeyOrigin>) {
        endpoints::server_of(endpoint, &self.keys)
    }

    /// Every endpoint, each asked for its models, unless that was done a moment ago.
    pub(crate) fn list(&self, custom: &[Endpoint]) -> Result<Arc<EndpointList>, AppError> {
        let listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        match listed.filter(|(made, _)| made.elapsed() < YOUNG) {
            Some((_, list)) => Ok(list),
            None => self.list_anew(custom),
        }
    }

    /// As [`Self::list`], whatever was known.
    pub(crate) fn list_anew(&self, custom: &[Endpoint]) -> Result<Arc<EndpointList>, AppError> {
        let endpoints = listed::listed(custom, &self.keys, &self.connections)?;
        let list = Arc::new(EndpointList { endpoints, keys: self.keys.describe() });
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), list.clone()));
        Ok(list)
    }

    /// Endpoints or their keys changed: what was listed is no longer so.
    pub(crate) fn forget_list(&self) {
        *self.listed.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
