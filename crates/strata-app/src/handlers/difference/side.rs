//! A prompt that is compared.

use strata_measure::analysis::{CallAnalysis, Scale, SessionAnalysis};
use strata_wire::{Path, Segment, prefix_segments};

use crate::show::SegmentScale;

/// A prompt in segments, and the token with which each begins.
pub(super) struct Side<'r> {
    pub call: u32,
    pub segments: Vec<Segment<'r>>,
    /// One more than there are segments: the last is the end of the prompt.
    pub starts: Vec<u32>,
}

impl<'r> Side<'r> {
    pub(super) fn of(analysis: &SessionAnalysis, scale: Scale<'_>, call: &'r CallAnalysis) -> Self {
        let segments: Vec<_> = prefix_segments(&call.request, analysis.rule_of(call).order).collect();
        let weigh = SegmentScale::new(scale, &call.request);
        let prompt = scale.prompt(&call.request);
        let mut overheads = prompt.contents();
        let (mut at, mut content) = (0, None);
        let mut starts = Vec::with_capacity(segments.len() + 1);
        for segment in &segments {
            if let Path::Part { content: of, .. } = segment.path
                && content != Some(of)
            {
                // Framing of the head, then of each content, stands behind what it frames.
                at += match content {
                    None => prompt.head.overhead.tokens,
                    Some(_) => overheads.next().map_or(0, |before| before.overhead.tokens),
                };
                content = Some(of);
            }
            starts.push(at);
            at += weigh.count(segment).tokens;
        }
        starts.push(call.total.tokens);
        Self { call: call.number, segments, starts }
    }

    pub(super) fn tokens(&self, at: usize) -> u32 {
        self.starts[at + 1].saturating_sub(self.starts[at])
    }
}
