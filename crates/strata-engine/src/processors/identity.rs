//! `identity`: tells the agent who it is.

use strata_model::app::AgentMode;
use strata_model::{AgentField, LlmRequest, Origin, RichText, Str};

use crate::context::CompileContext;
use crate::error::CompileError;
use crate::processor::{Processor, StageOutput};
use crate::sections::Sections;

pub struct Identity;

#[derive(Hash)]
pub struct Inputs<'c> {
    name: &'c Str,
    description: &'c str,
    /// An agent that answers once and is gone is not told who it is.
    is_single_turn: bool,
}

impl Processor for Identity {
    type Inputs<'c> = Inputs<'c>;

    fn name(&self) -> &'static str {
        "identity"
    }

    fn after(&self) -> &'static [&'static str] {
        &["basic"]
    }

    fn reads(&self) -> Sections {
        Sections::SYSTEM
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> Inputs<'c> {
        let agent = context.agent();
        Inputs {
            name: &agent.name,
            description: agent.description(),
            is_single_turn: context.mode() == AgentMode::SingleTurn,
        }
    }

    fn process(
        inputs: Inputs<'_>,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError> {
        if inputs.is_single_turn {
            output.note("a single-turn agent is not told who it is");
            return Ok(());
        }
        let framing = Origin::processor("identity");
        let field = |field| Origin::Agent { name: inputs.name.clone(), field };
        let mut text = RichText::from_span("You are an agent. Your internal name is \"", framing.clone());
        text.push(inputs.name.clone(), field(AgentField::Name));
        text.push("\".", framing.clone());
        if !inputs.description.is_empty() {
            text.push(" The description about you is \"", framing.clone());
            text.push(inputs.description, field(AgentField::Description));
            text.push("\".", framing);
        }
        request.append_system(text);
        output.note(if inputs.description.is_empty() { "agent name" } else { "agent name and description" });
        Ok(())
    }
}
