//! Models that can be asked.

use std::sync::Arc;

use strata_provider::{CallErrorKind, Cancel, Client, Key, Limits, find_local};

use crate::Strata;
use crate::api::model::{
    Endpoint, EndpointOrigin, EndpointRow, Forget, List, ModelList, Save, SetKey, Test, TestAnswer,
};
use crate::command::Handler;
use crate::error::{AppError, ErrorCode};
use crate::models::{known, list, run_blocking, settings_key};

impl Handler for List {
    fn run(self, strata: &Arc<Strata>) -> Result<ModelList, AppError> {
        strata.model_list(self.refresh)
    }
}

impl Strata {
    /// Endpoints that were set up by hand.
    pub(crate) fn custom_endpoints(&self) -> Vec<Endpoint> {
        let stored = self.store().setting(settings_key()).ok().flatten();
        stored.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
    }

    fn set_custom_endpoints(&self, endpoints: &[Endpoint]) -> Result<(), AppError> {
        let text = serde_json::to_string(endpoints).map_err(|error| AppError::internal(error.to_string()))?;
        Ok(self.store().set_setting(settings_key(), &text)?)
    }

    fn model_list(&self, refresh: bool) -> Result<ModelList, AppError> {
        if let Some(list) = self.known_models(refresh) {
            return Ok(list);
        }
        let models = self.models();
        let mut rows: Vec<EndpointRow> = Vec::new();
        for (endpoint, origin) in known(&self.custom_endpoints()) {
            let (server, key_from) = models.server(&endpoint);
            let has_key = server.key.is_some();
            // A provider nobody has a key for is not asked: it would only say so.
            let is_asked = has_key || origin != EndpointOrigin::Provider;
            let listed = if is_asked { Some(list(&server)?) } else { None };
            let (names, problem) = match listed {
                None => (Vec::new(), Some(missing_key(&endpoint))),
                Some(Ok(names)) => (names, None),
                // A server need not list its models to answer.
                Some(Err(error)) if lists_nothing(error.kind) && endpoint.model.is_some() => {
                    (endpoint.model.iter().cloned().collect(), None)
                }
                Some(Err(error)) => (Vec::new(), Some(error.message)),
            };
            rows.push(EndpointRow {
                origin,
                has_key,
                key_from: key_from.map(|origin| origin.describe()),
                is_reachable: is_asked && problem.is_none(),
                problem,
                models: names,
                endpoint,
            });
        }
        let found = run_blocking(find_local(&strata_provider::LOCAL_SERVERS))?;
        for (server, names) in found.map_err(|error| AppError::new(ErrorCode::Provider, error.message))? {
            let is_known =
                rows.iter().any(|row| row.endpoint.base_url.trim_end_matches('/') == server.base_url);
            if is_known {
                continue;
            }
            rows.push(EndpointRow {
                endpoint: Endpoint {
                    name: server.name,
                    api: crate::api::model::Api::ChatCompletions,
                    base_url: server.base_url,
                    model: names.first().cloned(),
                    headers: Vec::new(),
                    key_variable: None,
                },
                origin: EndpointOrigin::Local,
                has_key: false,
                key_from: None,
                is_reachable: true,
                problem: None,
                models: names,
            });
        }
        let list = ModelList { endpoints: rows, keys: models.keys.describe() };
        self.remember_models(Some(list.clone()));
        Ok(list)
    }
}

/// The server is there, and has no list of models.
fn lists_nothing(kind: CallErrorKind) -> bool {
    matches!(kind, CallErrorKind::NotFound | CallErrorKind::BadRequest | CallErrorKind::Malformed)
}

fn missing_key(endpoint: &Endpoint) -> String {
    match &endpoint.key_variable {
        Some(variable) => {
            format!("No key is set. Set one here, or the variable {variable} before Strata is started.")
        }
        None => "No key is set.".to_owned(),
    }
}

impl Handler for Save {
    fn run(self, strata: &Arc<Strata>) -> Result<ModelList, AppError> {
        let endpoint = self.endpoint;
        let is_address =
            endpoint.base_url.starts_with("http://") || endpoint.base_url.starts_with("https://");
        if endpoint.name.trim().is_empty() || !is_address {
            let message = "An endpoint needs a name, and an address like https://host/v1.";
            return Err(AppError::bad_input(message));
        }
        let mut all = strata.custom_endpoints();
        match all.iter_mut().find(|known| known.name == endpoint.name) {
            Some(known) => *known = endpoint,
            None => all.push(endpoint),
        }
        strata.set_custom_endpoints(&all)?;
        strata.remember_models(None);
        strata.model_list(true)
    }
}

impl Handler for Forget {
    fn run(self, strata: &Arc<Strata>) -> Result<ModelList, AppError> {
        let mut all = strata.custom_endpoints();
        all.retain(|endpoint| endpoint.name != self.name);
        strata.set_custom_endpoints(&all)?;
        strata.models().keys.forget(&self.name);
        strata.remember_models(None);
        strata.model_list(true)
    }
}

impl Handler for SetKey {
    fn run(self, strata: &Arc<Strata>) -> Result<ModelList, AppError> {
        match Key::new(&self.key) {
            Some(key) => drop(strata.models().keys.keep(&self.name, key)),
            None => strata.models().keys.forget(&self.name),
        }
        strata.remember_models(None);
        strata.model_list(true)
    }
}

impl Handler for Test {
    fn run(self, strata: &Arc<Strata>) -> Result<TestAnswer, AppError> {
        let (server, _) = strata.models().server(&self.endpoint);
        let limits =
            Limits { retries: 0, first_byte: std::time::Duration::from_mins(1), ..Limits::default() };
        let client =
            Client::new(limits).map_err(|error| AppError::new(ErrorCode::Provider, error.message))?;
        let model = match self.model.or(self.endpoint.model) {
            Some(model) => model,
            None => match list(&server)? {
                Ok(names) => names.into_iter().next().unwrap_or_default(),
                Err(error) => return Ok(refused(error.message, error.kind)),
            },
        };
        if model.is_empty() {
            let message = format!("{} answers, and lists no model. Name the one to ask.", server.name);
            return Ok(refused(message, CallErrorKind::NotFound));
        }
        let never: Cancel = Arc::new(|| false);
        let trial = run_blocking(client.try_out(&server, &model, &never))?;
        let reported = trial.answer.as_ref().and_then(|answer| answer.usage.clone());
        let usage = reported.map(|report| report.usage);
        Ok(TestAnswer {
            is_ok: trial.answer.is_some(),
            message: trial.message,
            model: Some(trial.answer.and_then(|answer| answer.model).map_or(model, |name| name.to_string())),
            milliseconds: trial.took.as_secs_f64() * 1000.0,
            input_tokens: usage.as_ref().and_then(|usage| usage.prompt_token_count).map(|count| count as f64),
            output_tokens: usage.as_ref().and_then(|usage| usage.output_tokens()).map(|count| count as f64),
        })
    }
}

fn refused(message: String, _: CallErrorKind) -> TestAnswer {
    TestAnswer {
        is_ok: false,
        message,
        model: None,
        milliseconds: 0.0,
        input_tokens: None,
        output_tokens: None,
    }
}
