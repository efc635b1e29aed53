//! `model_call`: what ADK still sets when it calls the model.

use strata_model::{Json, LlmRequest, Origin, Str};

use crate::context::CompileContext;
use crate::error::CompileError;
use crate::processor::{Phase, Processor, StageOutput};
use crate::sections::Sections;

/// The label that carries the agent's name.
const AGENT_LABEL: &str = "adk_agent_name";

pub struct ModelCall {
    /// As google-adk does. Other clients set labels of their own, which nobody wrote down.
    pub names_agent: bool,
}

impl Processor for ModelCall {
    /// The agent's name.
    type Inputs<'c> = Option<&'c Str>;

    fn name(&self) -> &'static str {
        "model_call"
    }

    fn phase(&self) -> Phase {
        Phase::Call
    }

    fn reads(&self) -> Sections {
        Sections::CONFIG
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> Option<&'c Str> {
        self.names_agent.then(|| &context.agent().name)
    }

    fn process(
        agent: Option<&Str>,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError> {
        let Some(agent) = agent else {
            output.note("nothing is added");
            return Ok(());
        };
        let mut labels =
            request.config_field("labels").and_then(Json::as_object).cloned().unwrap_or_default();
        if labels.contains_key(AGENT_LABEL) {
            output.note("the label with the agent's name is set already");
            return Ok(());
        }
        labels.push(AGENT_LABEL, agent.clone());
        request.set_config("labels", labels, Origin::processor("model_call"));
        output.note("label with the agent's name");
        Ok(())
    }
}
