//! Processors that look at a request as a whole, and at nothing else but what is pinned.

use std::hash::Hash;
use std::sync::Arc;

use strata_model::{EventIndex, LlmRequest, Str};

use super::rule::RuleContext;
use crate::context::CompileContext;
use crate::error::CompileError;
use crate::processor::{AnyProcessor, Phase, Processor, StageOutput};
use crate::sections::Sections;

/// A change of requests that looks at nothing but the request.
pub(super) trait RequestRule: Hash + Send + Sync + 'static {
    const READS: Sections;
    const AFTER: &'static [&'static str];

    fn apply(&self, request: &mut LlmRequest, pen: &RuleContext<'_>, output: &mut StageOutput);
}

/// A [`RequestRule`] in a flow.
pub(super) struct ByRequest<R> {
    name: Str,
    rule: Arc<R>,
}

impl<R: RequestRule> ByRequest<R> {
    pub(super) fn boxed(name: Str, rule: R) -> Arc<dyn AnyProcessor> {
        Arc::new(Self { name, rule: Arc::new(rule) })
    }
}

pub(super) struct Inputs<'c, R> {
    name: Str,
    rule: Arc<R>,
    pinned: &'c [EventIndex],
}

impl<R: Hash> Hash for Inputs<'_, R> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (std::any::type_name::<R>(), &self.name, &self.rule, self.pinned).hash(state);
    }
}

impl<R: RequestRule> Processor for ByRequest<R> {
    type Inputs<'c> = Inputs<'c, R>;

    fn name(&self) -> &str {
        &self.name
    }

    fn after(&self) -> &'static [&'static str] {
        R::AFTER
    }

    fn phase(&self) -> Phase {
        Phase::Call
    }

    fn reads(&self) -> Sections {
        R::READS
    }

    fn inputs<'c>(&self, context: &'c CompileContext<'c>) -> Inputs<'c, R> {
        Inputs { name: self.name.clone(), rule: self.rule.clone(), pinned: context.events.pinned() }
    }

    fn process(
        inputs: Inputs<'_, R>,
        request: &mut LlmRequest,
        output: &mut StageOutput,
    ) -> Result<(), CompileError> {
        let pen = RuleContext { name: &inputs.name, pinned: inputs.pinned };
        inputs.rule.apply(request, &pen, output);
        Ok(())
    }
}
