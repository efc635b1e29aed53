//! `dynamic_instructions`: what tools queued for the system instruction, as its last section.

use std::sync::Arc;

use strata_model::{LlmRequest, RichText};

use crate::context::CompileContext;
use crate::error::CompileError;
use crate::processor::{Processor, StageOutput};
use crate::sections::Sections;

pub struct DynamicInstructions;

impl Processor for DynamicInstructions {
    type Inputs<'c> = ();

    fn name(&self) -> &'static str {
        "dynamic_instructions"
    }

    fn after(&self) -> &'static [&'static str] {
        &["agent_tools"]
    }

    fn reads(&self) -> Sections {
        Sections::SYSTEM | Sections::PENDING
    }

    fn inputs<'c>(&self, _: &'c CompileContext<'c>) {}

    fn process((): (), request: &mut LlmRequest, output: &mut StageOutput) -> Result<(), CompileError> {
        let pending = std::mem::take(&mut request.pending_dynamic_instructions);
        if pending.is_empty() {
            output.note("none queued");
            return Ok(());
        }
        request.append_system(RichText::joined(pending.iter().cloned(), "\n\n"));
        request.pending_dynamic_instructions = Arc::default();
        output.note(format!("{} queued by tools", pending.len()));
        Ok(())
    }
}
