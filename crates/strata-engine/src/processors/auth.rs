//! `auth`: takes up work that waited for a credential.
//!
//! ADK runs the waiting calls again here, which a recorded session shows as events. So this processor only says
//! whether there is an answer to a request for credentials in the history.

use strata_model::{LlmRequest, Part};

use crate::adk_text::REQUEST_CREDENTIAL;
use crate::context::CompileContext;
use crate::error::CompileError;
use crate::processor::{Processor, StageOutput};
use crate::sections::Sections;

pub struct Auth;

#[derive(Hash)]
pub struct Inputs {
    /// The last event with content is the user's answer to a request for credentials.
    has_credential_answer: bool,
}

impl Processor for Auth {
    type Inputs<'c> = Inputs;

    fn name(&self) -> &'static str {
        "auth"
    }

    fn reads(&self) -> Sections {
        Sections::empty()
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> Inputs {
        let last = context.events.iter().rev().find(|logged| logged.event.content.is_some());
        let is_answer = |part: &Part| {
            let response = part.function_response.as_ref();
            response.is_some_and(|response| response.name.as_deref() == Some(REQUEST_CREDENTIAL))
        };
        let has_credential_answer = last.is_some_and(|logged| {
            logged.event.is_from_user() && logged.event.parts().iter().any(|part| is_answer(part))
        });
        Inputs { has_credential_answer }
    }

    fn process(inputs: Inputs, _: &mut LlmRequest, output: &mut StageOutput) -> Result<(), CompileError> {
        output.note(if inputs.has_credential_answer {
            "a credential was given; what the waiting calls answered is in the events"
        } else {
            "no credentials pending"
        });
        Ok(())
    }
}
