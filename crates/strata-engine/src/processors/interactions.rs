//! `interactions`: continues a conversation the provider keeps.

use strata_model::app::ModelFamily;
use strata_model::{Branch, LlmRequest, Str};

use crate::context::CompileContext;
use crate::error::CompileError;
use crate::processor::{Processor, StageOutput};
use crate::sections::Sections;

pub struct Interactions;

#[derive(Hash)]
pub struct Inputs<'c> {
    is_active: bool,
    previous: Option<&'c Str>,
    service_tier: Option<&'c Str>,
}

impl Processor for Interactions {
    type Inputs<'c> = Inputs<'c>;

    fn name(&self) -> &'static str {
        "interactions"
    }

    fn after(&self) -> &'static [&'static str] {
        &["compaction"]
    }

    fn reads(&self) -> Sections {
        Sections::empty()
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> Inputs<'c> {
        let model = context.model();
        let is_gemini = matches!(model.family, ModelFamily::Gemini | ModelFamily::GeminiWire);
        let is_active = is_gemini && model.use_interactions_api;
        let previous = if is_active { previous_interaction(context) } else { None };
        Inputs { is_active, previous, service_tier: context.invocation.run_config.service_tier.as_ref() }
    }

    fn process(
        inputs: Inputs<'_>,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError> {
        if !inputs.is_active {
            output.note("no chained interaction");
            return Ok(());
        }
        request.service_tier = inputs.service_tier.cloned();
        request.previous_interaction_id = inputs.previous.cloned();
        output.note(match inputs.previous {
            Some(id) => format!("continues interaction {id}: the provider keeps the history"),
            None => "the first interaction".to_owned(),
        });
        Ok(())
    }
}

/// The newest interaction of this agent on its branch.
fn previous_interaction<'c>(context: &CompileContext<'c>) -> Option<&'c Str> {
    let own = Branch::of(context.invocation.branch.as_ref());
    context.events.iter().rev().find_map(|logged| {
        let event = &*logged.event;
        let branch = Branch::of(event.branch.as_ref());
        let is_visible = branch.is_none() || (!own.is_none() && branch == own);
        let id = event.interaction_id.as_ref().filter(|id| !id.is_empty())?;
        (is_visible && event.author == context.agent().name).then_some(id)
    })
}
