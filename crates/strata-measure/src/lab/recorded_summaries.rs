//! Summaries that are in the recording: what they were made from, and how large they are.

use super::prepared::Lab;
use super::source_tokens::WithMemory;
use crate::analysis::Summaries;

impl Lab<'_> {
    /// Sizes of summaries that are in the recording: `(tokens of what each is made from, tokens of it)`. None where
    /// nothing weighs them.
    pub fn recorded_sizes(&self) -> Vec<(u32, u32)> {
        let Some(scale) = self.scale(None) else { return Vec::new() };
        let mut summaries = Summaries::default();
        let weigher = WithMemory { sources: &self.sources, weigher: scale.weigher() };
        summaries.read(self.recording.experiment.log(), &weigher);
        let sizes = summaries.found().iter().map(|summary| (summary.source_tokens, summary.tokens));
        sizes.filter(|(source, tokens)| *source > 0 && *tokens > 0).collect()
    }
}
