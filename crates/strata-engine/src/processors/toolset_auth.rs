//! `toolset_auth`: asks for the credentials a toolset needs before its tools can be listed.

use strata_model::LlmRequest;

use crate::context::CompileContext;
use crate::error::CompileError;
use crate::processor::{Processor, StageOutput};
use crate::sections::Sections;

pub struct ToolsetAuth;

impl Processor for ToolsetAuth {
    type Inputs<'c> = ();

    fn name(&self) -> &'static str {
        "toolset_auth"
    }

    fn reads(&self) -> Sections {
        Sections::empty()
    }

    fn inputs<'c>(&self, _: &'c CompileContext<'c>) {}

    /// App configurations do not carry credentials, so there is never one to ask for.
    fn process((): (), _: &mut LlmRequest, output: &mut StageOutput) -> Result<(), CompileError> {
        output.note("no toolset needs credentials");
        Ok(())
    }
}
