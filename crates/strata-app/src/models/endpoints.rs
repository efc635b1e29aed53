//! Endpoints by name: the one of the environment, well-known providers, and those that were set up by hand.

use strata_provider::{Endpoint as Server, KeyOrigin, KeyStore};
use strata_store::{Store, StoreError};
use strata_wire::Api as WireApi;

use crate::api::model::{Api, Endpoint, EndpointOrigin};
use crate::error::AppError;

/// Where endpoints that were set up by hand are stored.
const SETTING: &str = "model.endpoints";

/// The name of the endpoint that the environment describes.
const LIVE: &str = "live";

/// An endpoint that can be asked, and the model to ask where nobody says another.
pub(crate) struct UsableEndpoint {
    pub server: Server,
    pub model: Option<String>,
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
    Endpoint {
        name: name.to_owned(),
        api,
        base_url: base_url.to_owned(),
        model: None,
        headers: Vec::new(),
        key_variable: Some(key_variable.to_owned()),
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
        all.retain(|(known, _)| known.name != endpoint.name);
        all.push((endpoint.clone(), EndpointOrigin::Custom));
    }
    all
}

/// Endpoints that were set up by hand. Those that cannot be read are none.
pub(crate) fn custom_endpoints(store: &Store) -> Result<Vec<Endpoint>, StoreError> {
    let stored = store.setting(SETTING)?;
    Ok(stored.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default())
}

pub(crate) fn set_custom_endpoints(store: &mut Store, endpoints: &[Endpoint]) -> Result<(), AppError> {
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
    };
    (server, origin)
}

/// The endpoint of this name.
pub(crate) fn find(name: &str, custom: &[Endpoint], keys: &KeyStore) -> Result<UsableEndpoint, AppError> {
    let mut known = known(custom).into_iter().map(|(endpoint, _)| endpoint);
    if let Some(endpoint) = known.find(|endpoint| endpoint.name.eq_ignore_ascii_case(name)) {
        let (server, _) = server_of(&endpoint, keys);
        return Ok(UsableEndpoint { server, model: endpoint.model });
    }
    let local = strata_provider::LOCAL_SERVERS.iter().find(|server| server.name.eq_ignore_ascii_case(name));
    if let Some(local) = local {
        let server = Server {
            name: local.name.to_owned(),
            api: WireApi::ChatCompletions,
            base_url: format!("http://127.0.0.1:{}/v1", local.port),
            headers: Vec::new(),
            key: None,
        };
        return Ok(UsableEndpoint { server, model: None });
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
