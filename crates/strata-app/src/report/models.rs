//! `strata models`: who can be asked, and setting them up.

use std::path::Path;

use serde::Serialize;
use strata_measure::prices::Prices;
use strata_provider::{Key, KeyOrigin, KeyStore, Limits};
use strata_store::Store;
use tokio::runtime::Handle;

use super::VERSION;
use super::model_access::ModelAccess;
use crate::api::model::{Api, Endpoint, EndpointOrigin, Header};
use crate::data_folder::default_database;
use crate::error::AppError;
use crate::models::{
    EndpointModels, bare, check_endpoint, custom_endpoints, find_endpoint, forget_endpoint, save_endpoint,
};

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
    /// What it runs, where it tells.
    pub software: Option<String>,
    /// The longest prompt of its own model with the answer, in tokens.
    pub context_tokens: Option<u32>,
    /// The rule by which what it finds again is predicted.
    pub cache_rule: String,
    /// Prompts that it holds side by side, where that is set or told.
    pub slots: Option<u32>,
    pub models: Vec<String>,
    /// What is wrong, in plain words.
    pub problem: Option<String>,
}

/// Asks every endpoint that can be asked for its models, on `runtime`.
pub fn models(database: Option<&Path>, runtime: &Handle) -> Result<ModelsReport, AppError> {
    let access = ModelAccess::open(database, runtime)?;
    let list = access.models.list(&access.custom)?;
    let prices = Prices::embedded();
    let endpoints = list.endpoints.iter().filter_map(|listed| EndpointReport::of(listed, &prices)).collect();
    Ok(ModelsReport { version: VERSION, endpoints, keys: list.keys.clone() })
}

impl EndpointReport {
    /// `None` where nobody was asked.
    fn of(listed: &EndpointModels, prices: &Prices) -> Option<Self> {
        let (models, problem) = match listed.models.as_ref()? {
            Ok(models) => (models.iter().map(|model| model.name.clone()).collect(), None),
            Err(error) => (Vec::new(), Some(error.message.clone())),
        };
        let known = listed.knowledge(prices);
        Some(Self {
            name: listed.endpoint.name.clone(),
            api: listed.endpoint.api,
            address: listed.server.shown_url(""),
            origin: listed.origin,
            key_from: listed.key_from.as_ref().map(KeyOrigin::describe),
            model: listed.own_model().map(str::to_owned),
            software: listed.facts.as_ref().map(|facts| facts.software.to_owned()),
            context_tokens: known.context_tokens,
            cache_rule: known.rule.name,
            slots: known.slots,
            models,
            problem,
        })
    }
}

/// What is changed of an endpoint that was set up by hand; `None` leaves it as it is.
#[derive(Debug, Clone, Default)]
pub struct EndpointChange {
    pub address: Option<String>,
    pub api: Option<Api>,
    pub model: Option<String>,
    pub key_variable: Option<String>,
    pub context_tokens: Option<u32>,
    pub first_byte_s: Option<u32>,
    pub cache_rule: Option<String>,
    pub slots: Option<u32>,
    pub counts_tokens: Option<bool>,
    /// Sent with every request, in place of those before.
    pub headers: Vec<Header>,
}

/// The document of `strata models add`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SavedEndpoint {
    pub version: u32,
    #[serde(flatten)]
    pub endpoint: Endpoint,
}

/// Sets an endpoint up, or changes the one of this name. A new one needs an address.
pub fn save_model(
    database: Option<&Path>,
    name: &str,
    change: EndpointChange,
) -> Result<SavedEndpoint, AppError> {
    let mut store = store_of(database)?;
    let known = custom_endpoints(&store)?.into_iter().find(|known| known.name.eq_ignore_ascii_case(name));
    let mut endpoint = match known {
        Some(known) => known,
        None => {
            let missing =
                || AppError::bad_input("A new endpoint needs an address: --url http://127.0.0.1:8080/v1.");
            bare(name, change.address.as_deref().ok_or_else(missing)?)
        }
    };
    let take = |place: &mut Option<String>, given: Option<String>| {
        if let Some(text) = given {
            *place = Some(text).filter(|text| !text.trim().is_empty());
        }
    };
    if let Some(address) = change.address {
        endpoint.base_url = address;
    }
    endpoint.api = change.api.unwrap_or(endpoint.api);
    endpoint.context_tokens = change.context_tokens.or(endpoint.context_tokens);
    endpoint.first_byte_s = change.first_byte_s.or(endpoint.first_byte_s);
    endpoint.slots = change.slots.or(endpoint.slots);
    endpoint.counts_tokens = change.counts_tokens.unwrap_or(endpoint.counts_tokens);
    take(&mut endpoint.model, change.model);
    take(&mut endpoint.key_variable, change.key_variable);
    take(&mut endpoint.cache_rule, change.cache_rule);
    if !change.headers.is_empty() {
        endpoint.headers = change.headers;
    }
    check_endpoint(&endpoint)?;
    save_endpoint(&mut store, endpoint.clone())?;
    Ok(SavedEndpoint { version: VERSION, endpoint })
}

/// Takes an endpoint that was set up by hand off the list, with its key.
pub fn forget_model(database: Option<&Path>, name: &str) -> Result<(), AppError> {
    let is_known = forget_endpoint(&mut store_of(database)?, name)?;
    if !is_known {
        let message = format!("No endpoint called {name} was set up here. `strata models` lists them.");
        return Err(AppError::not_found(message));
    }
    KeyStore::default().forget(name);
    Ok(())
}

/// Where a key is kept from now on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeptKey {
    /// In the key store of the operating system.
    Kept,
    Forgotten,
}

/// Keeps the key of an endpoint in the key store of the operating system; an empty one is forgotten.
pub fn set_model_key(database: Option<&Path>, name: &str, key: &str) -> Result<KeptKey, AppError> {
    let custom = custom_endpoints(&store_of(database)?)?;
    let keys = KeyStore::default();
    let found = find_endpoint(name, &custom, &keys)?;
    match Key::new(key) {
        None => {
            keys.forget(&found.settings.name);
            Ok(KeptKey::Forgotten)
        }
        Some(key) => match keys.keep(&found.settings.name, key) {
            KeyOrigin::System => Ok(KeptKey::Kept),
            // This program ends now, and its memory with it.
            KeyOrigin::Memory | KeyOrigin::Environment(_) => {
                let variable = match &found.settings.key_variable {
                    Some(variable) => format!("Set the variable {variable} before Strata is started."),
                    None => format!(
                        "Name a variable that holds it: strata models add {name} --key-variable NAME."
                    ),
                };
                let message = format!("There is no key store here, so nothing was kept. {variable}");
                Err(AppError::bad_input(message))
            }
        },
    }
}

/// The document of `strata models test`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelTest {
    pub version: u32,
    pub endpoint: String,
    pub is_ok: bool,
    /// What answered, or what is wrong and what to do.
    pub message: String,
    pub model: Option<String>,
    pub milliseconds: f64,
}

/// Asks an endpoint for one word.
pub fn try_model(
    database: Option<&Path>,
    name: &str,
    model: Option<&str>,
    runtime: &Handle,
) -> Result<ModelTest, AppError> {
    let access = ModelAccess::open(database, runtime)?;
    let found = access.find(name)?;
    let model = model.map(str::to_owned).or_else(|| found.model.clone());
    let endpoint = found.server.name.clone();
    let Some(model) = model else {
        let message = format!("{endpoint} has no model set, and lists none to take. Name one: --model NAME.");
        return Ok(ModelTest {
            version: VERSION,
            endpoint,
            is_ok: false,
            message,
            model: None,
            milliseconds: 0.0,
        });
    };
    let limits = Limits { retries: 0, ..Limits::default() };
    let trial = access.models.connections.try_out(&found.server, &model, limits)?;
    Ok(ModelTest {
        version: VERSION,
        endpoint,
        is_ok: trial.answer.is_some(),
        message: trial.message,
        model: Some(trial.answer.and_then(|answer| answer.model).map_or(model, |name| name.to_string())),
        milliseconds: trial.took.as_secs_f64() * 1000.0,
    })
}

fn store_of(database: Option<&Path>) -> Result<Store, AppError> {
    let path = database.map_or_else(default_database, |path| Ok(path.to_owned()))?;
    Ok(Store::open(&path)?)
}
