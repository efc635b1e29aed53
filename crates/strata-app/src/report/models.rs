//! `strata models`: who can be asked.

use std::path::Path;

use serde::Serialize;
use strata_provider::find_local;

use super::VERSION;
use super::model_desk::ModelDesk;
use crate::api::model::{Api, EndpointOrigin};
use crate::error::{AppError, ErrorCode};
use crate::models::{known, list, run_blocking};

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

/// Asks every endpoint that can be asked for its models.
pub fn models(database: Option<&Path>) -> Result<ModelsReport, AppError> {
    let desk = ModelDesk::open(database)?;
    let mut endpoints: Vec<EndpointReport> = Vec::new();
    for (endpoint, origin) in known(&desk.custom) {
        let (server, key_from) = desk.models().server(&endpoint);
        if server.key.is_none() && origin == EndpointOrigin::Provider {
            continue;
        }
        let (models, problem) = match list(&server)? {
            Ok(models) => (models, None),
            Err(error) => (Vec::new(), Some(error.message)),
        };
        endpoints.push(EndpointReport {
            address: server.shown_url(""),
            name: endpoint.name,
            api: endpoint.api,
            origin,
            key_from: key_from.map(|origin| origin.describe()),
            model: endpoint.model,
            models,
            problem,
        });
    }
    let found = run_blocking(find_local(&strata_provider::LOCAL_SERVERS))?;
    for (server, models) in found.map_err(|error| AppError::new(ErrorCode::Provider, error.message))? {
        let address = server.shown_url("");
        if endpoints.iter().any(|known| known.address == address) {
            continue;
        }
        endpoints.push(EndpointReport {
            name: server.name,
            api: Api::ChatCompletions,
            address,
            origin: EndpointOrigin::Local,
            key_from: None,
            model: models.first().cloned(),
            models,
            problem: None,
        });
    }
    Ok(ModelsReport { version: VERSION, endpoints, keys: desk.models().keys.describe() })
}
