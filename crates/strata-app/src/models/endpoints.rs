//! Endpoints by name: the one of the environment, well-known providers, and those that were set up by hand.

use std::time::Duration;

use strata_provider::{Endpoint as Server, KeyOrigin, KeyStore};
use strata_store::{Store, StoreError};
use strata_wire::Api as WireApi;

use crate::api::model::{Api, Endpoint, EndpointOrigin};
use crate::error::AppError;

/// Where endpoints that were set up by hand are stored.
const SETTING: &str = "model.endpoints";

/// The name of the endpoint that the environment describes.
const LIVE: &str = "live";

/// An endpoint that can be asked.
#[derive(Debug, Clone)]
pub(crate) struct UsableEndpoint {
    pub server: Server,
    /// The model to ask where nobody says another.
    pub model: Option<String>,
    pub settings: Endpoint,
    pub origin: EndpointOrigin,
}

fn api_of(api: Api) -> WireApi {
    match api {
        Api::ChatCompletions => WireApi::ChatCompletions,
        Api::Responses => WireApi::Responses,
        Api::Gemini => WireApi::Gemini,
        Api::Anthropic => WireApi::Anthropic,
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
}

fn provider(name: &str, api: Api, base_url: &str, key_variable: &str) -> Endpoint {
    Endpoint { api, key_variable: Some(key_variable.to_owned()), ..bare(name, base_url) }
}

/// An endpoint of which no more is known than where it is.
pub(crate) fn bare(name: &str, base_url: &str) -> Endpoint {
    Endpoint {
        name: name.to_owned(),
        api: Api::ChatCompletions,
        base_url: base_url.to_owned(),
        model: None,
        headers: Vec::new(),
        key_variable: None,
        context_tokens: None,
        first_byte_s: None,
        cache_rule: None,
        slots: None,
        counts_tokens: false,
    }
}

/// Every endpoint but those found on this computer. `custom` are those that were set up by hand; one that has the name
/// of a provider takes its place.
pub(super) fn known(custom: &[Endpoint]) -> Vec<(Endpoint, EndpointOrigin)> {
    let mut all: Vec<(Endpoint, EndpointOrigin)> = Vec::new();
    if let Some(base_url) = variable("STRATA_LIVE_BASE_URL") {
        let live = Endpoint {
            model: variable("STRATA_LIVE_MODEL"),
            ..provider(LIVE, Api::ChatCompletions, &base_url, "STRATA_LIVE_API_KEY")
        };
        all.push((live, EndpointOrigin::Live));
    }
    let providers = [
        provider("OpenAI", Api::ChatCompletions, "https://api.openai.com/v1", "OPENAI_API_KEY"),
        provider("OpenAI Responses", Api::Responses, "https://api.openai.com/v1", "OPENAI_API_KEY"),
        provider("Anthropic", Api::Anthropic, "https://api.anthropic.com", "ANTHROPIC_API_KEY"),
        provider("Gemini", Api::Gemini, "https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY"),
        provider("OpenRouter", Api::ChatCompletions, "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    ];
    all.extend(providers.map(|endpoint| (endpoint, EndpointOrigin::Provider)));
    for endpoint in custom {
        all.retain(|(known, _)| !known.name.eq_ignore_ascii_case(&endpoint.name));
        all.push((endpoint.clone(), EndpointOrigin::Custom));
    }
    all
}

/// Endpoints that were set up by hand. Those that cannot be read are none.
pub(crate) fn custom_endpoints(store: &Store) -> Result<Vec<Endpoint>, StoreError> {
    let stored = store.setting(SETTING)?;
    Ok(stored.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}

/// What an endpoint needs.
pub(crate) fn check_endpoint(endpoint: &Endpoint) -> Result<(), AppError> {
    let is_address = endpoint.base_url.starts_with("http://") || endpoint.base_url.starts_with("https://");
    if endpoint.name.trim().is_empty() || !is_address {
        let message = "An endpoint needs a name, and an address like https://host/v1.";
        return Err(AppError::bad_input(message));
    }
    let rules = strata_wire::CacheRules::embedded();
    let unknown = endpoint.cache_rule.as_deref().filter(|name| rules.named(name).is_none());
    if let Some(unknown) = unknown {
        let names: Vec<&str> = rules.all().map(|rule| &*rule.name).collect();
        let message = format!("There is no cache rule called {unknown}. There are: {}.", names.join("; "));
        return Err(AppError::bad_input(message));
    }
    let is_zero = |number: Option<u32>| number == Some(0);
    if is_zero(endpoint.context_tokens) || is_zero(endpoint.first_byte_s) || is_zero(endpoint.slots) {
        let message = "A limit of 0 lets nothing through. Leave it out where there is none.";
        return Err(AppError::bad_input(message));
    }
    Ok(())
}

/// Stores an endpoint in place of the one of its name, if there is one.
pub(crate) fn save_endpoint(store: &mut Store, endpoint: Endpoint) -> Result<(), AppError> {
    let mut all = custom_endpoints(store)?;
    match all.iter_mut().find(|known| known.name.eq_ignore_ascii_case(&endpoint.name)) {
        Some(known) => *known = endpoint,
        None => all.push(endpoint),
    }
    set_custom_endpoints(store, &all)
}

/// Takes an endpoint out of the store. False where none of this name was set up by hand.
pub(crate) fn forget_endpoint(store: &mut Store, name: &str) -> Result<bool, AppError> {
    let mut all = custom_endpoints(store)?;
    let n_before = all.len();
    all.retain(|endpoint| !endpoint.name.eq_ignore_ascii_case(name));
    set_custom_endpoints(store, &all)?;
    Ok(all.len() < n_before)
}

fn set_custom_endpoints(store: &mut Store, endpoints: &[Endpoint]) -> Result<(), AppError> {
    let text = serde_json::to_string(endpoints).map_err(|error| AppError::internal(error.to_string()))?;
    Ok(store.set_setting(SETTING, &text)?)
}

/// An endpoint as it is asked, with its key.
pub(crate) fn server_of(endpoint: &Endpoint, keys: &KeyStore) -> (Server, Option<KeyOrigin>) {
    let key = keys.find(&endpoint.name, endpoint.key_variable.as_deref());
    let (key, origin) = key.map_or((None, None), |(key, origin)| (Some(key), Some(origin)));
    let headers = endpoint.headers.iter().map(|header| (header.name.clone(), header.value.clone()));
    let server = Server {
        name: endpoint.name.clone(),
        api: api_of(endpoint.api),
        base_url: endpoint.base_url.clone(),
        headers: headers.collect(),
        key,
        first_byte: endpoint.first_byte_s.map(|seconds| Duration::from_secs(seconds.into())),
    };
    (server, origin)
}

/// The endpoint of this name, with the model that is set for it.
pub(crate) fn find_endpoint(
    name: &str,
    custom: &[Endpoint],
    keys: &KeyStore,
) -> Result<UsableEndpoint, AppError> {
    let mut known = known(custom).into_iter();
    if let Some((settings, origin)) = known.find(|(endpoint, _)| endpoint.name.eq_ignore_ascii_case(name)) {
        let (server, _) = server_of(&settings, keys);
        return Ok(UsableEndpoint { server, model: settings.model.clone(), settings, origin });
    }
    let local = strata_provider::LOCAL_SERVERS.iter().find(|server| server.name.eq_ignore_ascii_case(name));
    if let Some(local) = local {
        let server = local.endpoint();
        let settings = bare(&server.name, &server.base_url);
        return Ok(UsableEndpoint { server, model: None, settings, origin: EndpointOrigin::Local });
    }
    if name.eq_ignore_ascii_case(LIVE) {
        let message = "`live` is the server that STRATA_LIVE_BASE_URL names, and the variable is not set. Set it, \
             as in http://127.0.0.1:8080/v1, and STRATA_LIVE_MODEL beside it.";
        return Err(AppError::bad_input(message));
    }
    Err(AppError::not_found(format!(
        "There is no endpoint called {name}. `strata models` lists those that are set up or were found here."
    )))
}
