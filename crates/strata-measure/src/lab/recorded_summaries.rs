//! Summaries that are in the recording: what they were made from, and how large they are.

use strata_engine::LoggedEvent;
use strata_model::{Str, Usage};

use super::prepared::Lab;

/// A summary of the recording.
pub(super) struct RecordedSummary {
    /// Tokens of what it was made from, as google-adk's summariser is shown it: the summary before it that it takes in,
    /// and the events since.
    pub source_tokens: u32,
    /// Of the summary.
    pub summary_tokens: u32,
    /// What writing it took, where that was reported.
    pub usage: Option<Usage>,
}

/// What a summary covers.
struct Span<'s> {
    start: f64,
    end: f64,
    isolation_scope: Option<&'s Str>,
    tokens: u32,
}

impl Lab<'_> {
    /// Summaries of the recording, in its order. None where nothing weighs them.
    pub(super) fn recorded_summaries(&self) -> Vec<RecordedSummary> {
        let Some(scale) = self.scale(None) else { return Vec::new() };
        let log = self.recording.experiment.log();
        let mut spans: Vec<Span<'_>> = Vec::new();
        let mut summaries = Vec::new();
        for (at, logged) in log.events().iter().enumerate() {
            let Some((start, end, tokens)) = span(logged, &|text| scale.weigher().text(text).tokens) else {
                continue;
            };
            let isolation_scope = logged.event.isolation_scope.as_ref();
            let is_taken_in = |span: &&Span<'_>| {
                span.start >= start && span.end <= end && span.isolation_scope == isolation_scope
            };
            let seed = spans.iter().rev().find(is_taken_in);
            let covered = log.events().range(0..at).filter(|covered| {
                let time = covered.event.timestamp;
                !covered.event.is_compaction()
                    && (start..=end).contains(&time)
                    && seed.is_none_or(|seed| time > seed.end)
                    && covered.event.isolation_scope.as_ref() == isolation_scope
            });
            let own: u32 = covered.map(|covered| self.sources.of_event(covered, scale.weigher())).sum();
            summaries.push(RecordedSummary {
                source_tokens: own + seed.map_or(0, |seed| seed.tokens),
                summary_tokens: tokens,
                usage: logged.event.usage_metadata.as_deref().cloned(),
            });
            spans.push(Span { start, end, isolation_scope, tokens });
        }
        summaries
    }

    /// Sizes of summaries that are in the recording: `(tokens of what each is made from, tokens of it)`.
    pub fn recorded_sizes(&self) -> Vec<(u32, u32)> {
        let sizes = self
            .recorded_summaries()
            .into_iter()
            .map(|summary| (summary.source_tokens, summary.summary_tokens));
        sizes.filter(|(source, tokens)| *source > 0 && *tokens > 0).collect()
    }
}

/// From when to when a summary covers events, and how large it is.
fn span(logged: &LoggedEvent, tokens: &dyn Fn(&str) -> u32) -> Option<(f64, f64, u32)> {
    let compaction = logged.event.actions.compaction.as_ref()?;
    let texts = compaction.compacted_content.as_ref()?.parts().iter().filter_map(|part| part.text.as_deref());
    let tokens = texts.map(tokens).sum();
    Some((compaction.start_timestamp?, compaction.end_timestamp?, tokens))
}
