//! Models that can be asked.

use strata_measure::prices::Prices;
use strata_provider::{CallErrorKind, Key, KeyOrigin, Limits};

use crate::Strata;
use crate::api::model::{Endpoint, EndpointRow, Forget, List, ModelList, Save, SetKey, Test, TestAnswer};
use crate::command::Handler;
use crate::error::AppError;
use crate::models::{
    EndpointList, EndpointModels, UsableEndpoint, check_endpoint, custom_endpoints, forget_endpoint,
    save_endpoint,
};

impl Handler for List {
    fn run(self, strata: &Strata) -> Result<ModelList, AppError> {
        let custom = custom(strata);
        let list = if self.refresh { strata.models.list_anew(&custom) } else { strata.models.list(&custom) };
        Ok(shown(strata, &*list?))
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
    Ok(shown(strata, &*strata.models.list_anew(&custom(strata))?))
}

fn shown(strata: &Strata, list: &EndpointList) -> ModelList {
    let row = |listed: &EndpointModels| row(listed, &strata.tables.prices);
    ModelList { endpoints: list.endpoints.iter().map(row).collect(), keys: list.keys.clone() }
}

fn row(listed: &EndpointModels, prices: &Prices) -> EndpointRow {
    let endpoint = listed.endpoint.clone();
    let known = listed.knowledge(prices);
    let (models, problem) = match &listed.models {
        None => (Vec::new(), Some(missing_key(&endpoint))),
        Some(Ok(models)) => (models.iter().map(|model| model.name.clone()).collect(), None),
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
        own_model: listed.own_model().map(str::to_owned),
        software: listed.facts.as_ref().map(|facts| facts.software.to_owned()),
        context_tokens: known.context_tokens,
        cache_rule: known.rule.name,
        slots: known.slots,
        is_free: known.is_free,
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
        check_endpoint(&endpoint)?;
        save_endpoint(&mut strata.workspace.store(), endpoint)?;
        changed(strata)
    }
}

impl Handler for Forget {
    fn run(self, strata: &Strata) -> Result<ModelList, AppError> {
        forget_endpoint(&mut strata.workspace.store(), &self.name)?;
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
                Ok(models) => models.into_iter().next().map(|model| model.name).unwrap_or_default(),
                Err(error) => return Ok(refused(error.message)),
            },
        };
        if model.is_empty() {
            let message = format!("{} answers, and lists no model. Name the one to ask.", server.name);
            return Ok(refused(message));
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

fn refused(message: String) -> TestAnswer {
    TestAnswer {
        is_ok: false,
        message,
        model: None,
        milliseconds: 0.0,
        input_tokens: None,
        output_tokens: None,
    }
}
