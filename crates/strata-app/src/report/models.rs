//! `strata models`: who can be asked.

use std::path::Path;

use serde::Serialize;
use strata_provider::KeyOrigin;
use tokio::runtime::Handle;

use super::VERSION;
use super::model_access::ModelAccess;
use crate::api::model::{Api, EndpointOrigin};
use crate::error::AppError;
use crate::models::EndpointModels;

/// The document of `strata models`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelsReport {
    pub version: u32,
    pub endpoints: Vec<EndpointReport>,
    /// Where keys are kept, in a sentence.
    pub keys: String,
}

/// An endpoint with its models.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EndpointReport {
    pub name: String,
    pub api: Api,
    pub address: String,
    pub origin: EndpointOrigin,
    /// Where its key is from; absent: it has none.
    pub key_from: Option<String>,
    /// The model that is asked where nobody says another.
    pub model: Option<String>,
    pub models: Vec<String>,
    /// What is wrong, in plain words.
    pub problem: Option<String>,
}

/// Asks every endpoint that can be asked for its models, on `runtime`.
pub fn models(database: Option<&Path>, runtime: &Handle) -> Result<ModelsReport, AppError> {
    let access = ModelAccess::open(database, runtime)?;
    let list = access.models.list(&access.custom)?;
    let endpoints = list.endpoints.iter().filter_map(EndpointReport::of).collect();
    Ok(ModelsReport { version: VERSION, endpoints, keys: list.keys.clone() })
}

impl EndpointReport {
    /// `None` where nobody was asked.
    fn of(listed: &EndpointModels) -> Option<Self> {
        let (models, problem) = match listed.models.as_ref()? {
            Ok(models) => (models.clone(), None),
            Err(error) => (Vec::new(), Some(error.message.clone())),
        };
        Some(Self {
            name: listed.endpoint.name.clone(),
            api: listed.endpoint.api,
            address: listed.server.shown_url(""),
            origin: listed.origin,
            key_from: listed.key_from.as_ref().map(KeyOrigin::describe),
            model: listed.endpoint.model.clone(),
            models,
            problem,
        })
    }
}
