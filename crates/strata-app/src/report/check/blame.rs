//! What most of a prompt is, and which processor put it there.

use strata_engine::StageCache;
use strata_measure::analysis::{CallAnalysis, SessionAnalysis};
use strata_model::Origin;
use strata_wire::{Segment, prompt_segments};

use super::super::origin;
use super::super::source::Subject;
use crate::show::{SegmentScale, writer};
use crate::tables::Tables;

/// A block of a prompt.
pub(super) struct Block {
    pub stage: Option<String>,
    /// `E7`, `state.hits`.
    pub origin: Option<String>,
    /// "E7 search_logs": for a sentence.
    pub name: String,
    pub tokens: u32,
}

/// The largest block of a call's prompt.
pub(super) fn largest(
    subject: &Subject,
    analysis: &SessionAnalysis,
    tables: &Tables,
    call: &CallAnalysis,
) -> Option<Block> {
    let scale = subject.scale(analysis, tables, call).ok()?;
    let weigh = SegmentScale::new(scale, &call.request);
    let weighed = prompt_segments(&call.request).map(|segment| (weigh.count(&segment).tokens, segment));
    let (tokens, segment) = weighed.max_by_key(|(tokens, _)| *tokens)?;
    Some(block(subject, call, &segment, tokens))
}

/// A segment of a call's prompt, and who put it there.
pub(super) fn block(subject: &Subject, call: &CallAnalysis, segment: &Segment<'_>, tokens: u32) -> Block {
    let made = subject.experiment.call(call.number);
    let compilation = made.and_then(|made| subject.experiment.compile(made, &mut StageCache::default()));
    let of = segment.main_origin();
    Block {
        stage: compilation.and_then(|compilation| writer(&compilation, segment)).map(|(stage, _)| stage),
        origin: of.map(origin::text),
        name: of.map_or(String::new(), |of: &Origin| origin::from(of, subject.experiment.log())),
        tokens,
    }
}
