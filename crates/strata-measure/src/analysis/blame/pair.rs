//! Two calls of one lineage.

use strata_engine::{Call, Experiment, Stage};
use strata_model::{LlmRequest, TextSpan};
use strata_wire::CacheRule;

/// Two calls of one lineage: their prompts, and the stages that made them.
pub(in crate::analysis) struct Pair<'e> {
    pub experiment: &'e Experiment,
    pub earlier: (&'e Call, &'e LlmRequest),
    pub later: (&'e Call, &'e LlmRequest),
    pub stages: (&'e [Stage], &'e [Stage]),
    /// How the provider of both reads a prompt.
    pub rule: &'e CacheRule,
}

/// Where a byte of a system instruction lies: its block, and its span.
pub(super) fn system_place(request: &LlmRequest, at: usize) -> Option<(usize, &TextSpan)> {
    let mut end = 0;
    for (block, spans) in request.system_instruction.as_ref()?.blocks().enumerate() {
        for span in spans {
            end += span.text.len();
            if at < end {
                return Some((block, span));
            }
        }
    }
    None
}
