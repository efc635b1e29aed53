//! Models that can be asked.

use strata_provider::{CallErrorKind, Key, KeyOrigin, Limits};

use crate::Strata;
use crate::api::model::{Endpoint, EndpointRow, Forget, List, ModelList, Save, SetKey, Test, TestAnswer};
use crate::command::Handler;
use crate::error::AppError;
use crate::models::{EndpointList, EndpointModels, UsableEndpoint, custom_endpoints, set_custom_endpoints};

impl Handler for List {
    fn run(self, strata: &Strata) -> Result<ModelList, AppError> {
        let custom = custom(strata);
        let list = if self.refresh { strata.models.list_anew(&custom) } else { strata.models.list(&custom) };
        Ok(shown(&*list?))
    }
}

/// Endpoints that were set up by hand.
fn custom(strata: &Strata) -> Vec<Endpoint> {
    custom_endpoints(&strata.workspace.store()).unwrap_or_default()
}

/// The endpoint of this name.
pub(super) fn find(strata: &Strata, name: &str) -> Result<UsableEndpoint, AppError> {
    strata.models.find(name, &custom(strata))
}

/// What can be asked, after something about it changed.
fn changed(strata: &Strata) -> Result<ModelList, AppError> {
    strata.models.forget_list();
    Ok(shown(&*strata.models.list_anew(&custom(strata))?))
}

fn shown(list: &EndpointList) -> ModelList {
    ModelList { endpoints: list.endpoints.iter().map(row).collect(), keys: list.keys.clone() }
}

fn row(listed: &EndpointModels) -> EndpointRow {
    let endpoint = listed.endpoint.clone();
    let (models, problem) = match &listed.models {
        None => (Vec::new(), Some(missing_key(&endpoint))),
        Some(Ok(models)) => (models.clone(), None),
        // A server need not list its models to answer.
        Some(Err(error)) if lists_nothing(error.kind) && endpoint.model.is_some() => {
            (endpoint.model.iter().cloned().collect(), None)
        }
        Some(Err(error)) => (Vec::new(), Some(error.message.clone())),
    };
    EndpointRow {
        origin: listed.origin,
        has_key: listed.server.key.is_some(),
        key_from: listed.key_from.as_ref().map(KeyOrigin::describe),
        is_reachable: listed.models.is_some() && problem.is_none(),
        problem,
        models,
        endpoint,
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
    fn run(self, strata: &Strata) -> Result<ModelList, AppError> {
        let endpoint = self.endpoint;
        let is_address =
            endpoint.base_url.starts_with("http://") || endpoint.base_url.starts_with("https://");
        if endpoint.name.trim().is_empty() || !is_address {
            let message = "An endpoint needs a name, and an address like https://host/v1.";
            return Err(AppError::bad_input(message));
        }
        let mut all = custom(strata);
        match all.iter_mut().find(|known| known.name == endpoint.name) {
            Some(known) => *known = endpoint,
            None => all.push(endpoint),
        }
        set_custom_endpoints(&mut strata.workspace.store(), &all)?;
        changed(strata)
    }
}

impl Handler for Forget {
    fn run(self, strata: &Strata) -> Result<ModelList, AppError> {
        let mut all = custom(strata);
        all.retain(|endpoint| endpoint.name != self.name);
        set_custom_endpoints(&mut strata.workspace.store(), &all)?;
        strata.models.keys.forget(&self.name);
        changed(strata)
    }
}

impl Handler for SetKey {
    fn run(self, strata: &Strata) -> Result<ModelList, AppError> {
        match Key::new(&self.key) {
            Some(key) => drop(strata.models.keys.keep(&self.name, key)),
            None => strata.models.keys.forget(&self.name),
        }
        changed(strata)
    }
}

impl Handler for Test {
    fn run(self, strata: &Strata) -> Result<TestAnswer, AppError> {
        let (server, _) = strata.models.server(&self.endpoint);
        let limits =
            Limits { retries: 0, first_byte: std::time::Duration::from_mins(1), ..Limits::default() };
        let model = match self.model.or(self.endpoint.model) {
            Some(model) => model,
            None => match strata.models.connections.list(&server)? {
                Ok(names) => names.into_iter().next().unwrap_or_default(),
                Err(error) => return Ok(refused(error.message, error.kind)),
            },
        };
        if model.is_empty() {
            let message = format!("{} answers, and lists no model. Name the one to ask.", server.name);
            return Ok(refused(message, CallErrorKind::NotFound));
        }
        let trial = strata.models.connections.try_out(&server, &model, limits)?;
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
