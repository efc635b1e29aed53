//! `nl_planning`: makes the model plan, by its own thinking or by instruction.

use std::sync::Arc;

use strata_model::app::Planner;
use strata_model::{AgentField, LlmRequest, Origin, Part, RequestContent, RichText, Str};

use crate::adk_text::PLAN_REACT_INSTRUCTION;
use crate::context::CompileContext;
use crate::error::CompileError;
use crate::processor::{Processor, StageOutput};
use crate::sections::Sections;

pub struct NlPlanning;

#[derive(Hash)]
pub struct Inputs<'c> {
    agent: &'c Str,
    planner: Option<&'c Planner>,
}

impl Processor for NlPlanning {
    type Inputs<'c> = Inputs<'c>;

    fn name(&self) -> &'static str {
        "nl_planning"
    }

    fn after(&self) -> &'static [&'static str] {
        &["contents"]
    }

    fn reads(&self) -> Sections {
        Sections::SYSTEM | Sections::CONFIG | Sections::CONTENTS
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> Inputs<'c> {
        let agent = context.agent();
        Inputs { agent: &agent.name, planner: agent.planner.as_ref() }
    }

    fn process(
        inputs: Inputs<'_>,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError> {
        match inputs.planner {
            None => output.note("no planner"),
            Some(Planner::BuiltIn { thinking_config }) => {
                let origin = Origin::Agent { name: inputs.agent.clone(), field: AgentField::Planner };
                request.set_config("thinkingConfig", thinking_config.clone(), origin);
                output.note("the model's own thinking");
            }
            Some(Planner::PlanReAct) => {
                let instruction =
                    RichText::from_span(PLAN_REACT_INSTRUCTION, Origin::processor("nl_planning"));
                request.append_system(instruction);
                let n_unmarked = unmark_thoughts(request);
                output.note(match n_unmarked {
                    0 => "planning instruction".to_owned(),
                    n => format!("planning instruction; {n} earlier thoughts are sent as plain text"),
                });
            }
        }
        Ok(())
    }
}

/// Takes the thought mark off every part. Returns how many had it.
fn unmark_thoughts(request: &mut LlmRequest) -> usize {
    let mut n_unmarked = 0;
    request.contents.rewrite(|_, content| {
        let n_marked = content.parts.iter().filter(|part| part.part.thought.is_some()).count();
        if n_marked == 0 {
            return None;
        }
        n_unmarked += content.parts.iter().filter(|part| part.part.is_thought()).count();
        let unmarked = content.parts.iter().map(|part| {
            if part.part.thought.is_none() {
                return part.clone();
            }
            part.with_part(Part { thought: None, ..Part::clone(&part.part) })
        });
        Some(Arc::new(RequestContent::new(content.role.clone(), unmarked.collect())))
    });
    n_unmarked
}
