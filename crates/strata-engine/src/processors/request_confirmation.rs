//! `request_confirmation`: takes up calls that waited for a person's approval.

use strata_model::LlmRequest;

use crate::context::CompileContext;
use crate::error::CompileError;
use crate::processor::{Processor, StageOutput};
use crate::sections::Sections;

pub struct RequestConfirmation;

#[derive(Hash)]
pub struct Inputs {
    has_answer: bool,
}

impl Processor for RequestConfirmation {
    type Inputs<'c> = Inputs;

    fn name(&self) -> &'static str {
        "request_confirmation"
    }

    fn reads(&self) -> Sections {
        Sections::empty()
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> Inputs {
        let last = context.events.iter().rev().find(|logged| logged.event.is_from_user());
        let has_answer = last.is_some_and(|logged| {
            logged
                .event
                .function_responses()
                .any(|response| response.name.as_deref() == Some("adk_request_confirmation"))
        });
        Inputs { has_answer }
    }

    fn process(inputs: Inputs, _: &mut LlmRequest, output: &mut StageOutput) -> Result<(), CompileError> {
        output.note(if inputs.has_answer { "an approval was given" } else { "nothing to confirm" });
        Ok(())
    }
}
