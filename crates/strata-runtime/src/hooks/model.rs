//! Hooks around the call of a model.

use std::sync::Arc;

use strata_engine::{CompileRun, Hook, Step};
use strata_model::app::Plugin;
use strata_model::{Agent, Json, LlmResponse};

use super::{ask_callback, ask_plugin, callbacks, code_of, plugins_of};
use crate::context::Context;
use crate::halt::{Failure, Halt};
use crate::host::{Answer, HookPoint};

/// The call of a model, as hooks see it.
pub(crate) struct ModelHooks<'h> {
    pub(crate) context: &'h Context,
    pub(crate) agent: &'h Arc<Agent>,
}

/// Whether the model is called after a hook.
pub(crate) enum Proceed {
    GoOn,
    /// A hook has answered.
    Answered(Box<LlmResponse>),
}

impl ModelHooks<'_> {
    /// Whether the host's code stands there; what Strata knows by its type is a processor.
    pub(crate) fn is_code(&self, hook: Hook) -> bool {
        match hook {
            Hook::Plugin(at) => {
                let plugins = plugins_of(&self.context.invocation());
                matches!(plugins.get(at), Some(Plugin::Code { .. }))
            }
            Hook::Callback(at) => self
                .agent
                .before_model_callbacks()
                .get(at)
                .is_some_and(|callback| code_of(callback).is_some()),
        }
    }

    /// Asks code that stands in the flow at a step. What it makes of the request is a stage.
    pub(crate) async fn before(
        &self,
        hook: Hook,
        step: &Step,
        run: &mut CompileRun,
    ) -> Result<Proceed, Halt> {
        let mut request = run.request().clone();
        let point = HookPoint::BeforeModel { agent: &self.agent.name, request: &mut request };
        let answer = match hook {
            Hook::Plugin(at) => {
                let plugins = plugins_of(&self.context.invocation());
                let Some(Plugin::Code { name, code: Some(code), .. }) = plugins.get(at) else {
                    return Ok(Proceed::GoOn);
                };
                ask_plugin(self.context, name, code, "before_model", point).await?
            }
            Hook::Callback(at) => {
                let callback = self.agent.before_model_callbacks().get(at);
                let Some(code) = callback.and_then(code_of) else { return Ok(Proceed::GoOn) };
                ask_callback(self.context, &self.agent.name, code, point).await?
            }
        };
        run.add_stage(step.processor.name(), request);
        Ok(match answer {
            Answer::Response(response) => Proceed::Answered(response),
            _ => Proceed::GoOn,
        })
    }

    /// A response in place of the model's.
    pub(crate) async fn after(&self, response: &LlmResponse) -> Result<Option<LlmResponse>, Halt> {
        let replaced = self.replaced(response).await?;
        Ok(replaced.map(|replaced| inherited(response, replaced)))
    }

    async fn replaced(&self, response: &LlmResponse) -> Result<Option<LlmResponse>, Halt> {
        let agent = &self.agent.name;
        for plugin in plugins_of(&self.context.invocation()) {
            let Plugin::Code { name, code: Some(code), .. } = &plugin else { continue };
            let point = HookPoint::AfterModel { agent, response };
            if let Answer::Response(response) =
                ask_plugin(self.context, name, code, "after_model", point).await?
            {
                return Ok(Some(*response));
            }
        }
        for code in callbacks(self.agent, |agent| agent.after_model_callbacks.as_ref()) {
            let point = HookPoint::AfterModel { agent, response };
            if let Answer::Response(response) = ask_callback(self.context, agent, code, point).await? {
                return Ok(Some(*response));
            }
        }
        Ok(None)
    }

    /// A response in place of a model's failure.
    pub(crate) async fn on_error(
        &self,
        request: &strata_model::LlmRequest,
        failure: &Failure,
    ) -> Result<Option<LlmResponse>, Halt> {
        let agent = &self.agent.name;
        for plugin in plugins_of(&self.context.invocation()) {
            let Plugin::Code { name, code: Some(code), .. } = &plugin else { continue };
            let point = HookPoint::OnModelError { agent, request, failure };
            let answer = ask_plugin(self.context, name, code, "on_model_error", point).await?;
            if let Answer::Response(response) = answer {
                return Ok(Some(*response));
            }
        }
        for code in callbacks(self.agent, |agent| agent.on_model_error_callbacks.as_ref()) {
            let point = HookPoint::OnModelError { agent, request, failure };
            if let Answer::Response(response) = ask_callback(self.context, agent, code, point).await? {
                return Ok(Some(*response));
            }
        }
        Ok(None)
    }
}

/// What measures the call itself stays, where the replacement does not say otherwise.
fn inherited(original: &LlmResponse, mut replaced: LlmResponse) -> LlmResponse {
    replaced.partial = replaced.partial.or(original.partial);
    if replaced.usage_metadata.is_none() {
        replaced.usage_metadata.clone_from(&original.usage_metadata);
    }
    if !replaced.other.contains_key("turnComplete")
        && let Some(complete @ Json::Bool(_)) = original.other.get("turnComplete")
    {
        replaced.other.insert("turnComplete", complete.clone());
    }
    replaced
}
