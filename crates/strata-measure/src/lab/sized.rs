//! Summaries of which only the size matters, and the sizes of those that were recorded.

use strata_model::{Content, Part};

use super::plan::{Replayed, ReplayedCall, Stop, SummaryDue, Writer, WrittenSummary};
use super::prepared::Lab;
use super::size::SummarySize;

/// Writes texts of the right length that say nothing.
pub struct SizedWriter {
    size: SummarySize,
    /// Tokens of a hundred words, for the model that reads them.
    word_tokens: Option<u32>,
}

impl SizedWriter {
    pub fn new(size: SummarySize) -> Self {
        Self { size, word_tokens: None }
    }
}

impl Writer for SizedWriter {
    fn write(&mut self, due: &SummaryDue<'_>) -> Result<Option<WrittenSummary>, Stop> {
        let hundred = *self.word_tokens.get_or_insert_with(|| due.tokens(&" word".repeat(100)).max(1));
        // Each summary is another text from its beginning on, as real ones are.
        let mut text = format!("Summary {}.", due.number);
        let rest = self.size.tokens(due.source_tokens).saturating_sub(due.tokens(&text));
        text += &" word".repeat((rest as usize * 100) / hundred as usize);
        let content = Content::new("model", [Part::from_text(text)]);
        Ok(Some(WrittenSummary { content, usage: None, by: due.model.clone(), is_stand_in: true }))
    }
}

impl Lab<'_> {
    /// Tokens of events that summaries stand for, each event once.
    pub(super) fn summarised_tokens(&self, replayed: &Replayed) -> u64 {
        let windows = replayed.windows.iter().filter(|window| window.event.is_some());
        let mut events: Vec<_> = windows.flat_map(|window| window.events.iter().copied()).collect();
        events.sort_unstable();
        events.dedup();
        let Some(scale) = self.scale(None) else { return 0 };
        let logged = events.into_iter().filter_map(|event| self.experiment.log().get(event));
        logged.map(|logged| u64::from(self.sources.of_event(logged, scale.weigher()))).sum()
    }

    /// The session without any summary.
    pub fn unchanged(&self) -> Replayed {
        let config = strata_engine::turn::compaction::CompactionConfig::default();
        // Nothing falls due, so the writer is never asked.
        let mut nobody = SizedWriter::new(SummarySize::assumed());
        let nothing =
            Replayed { config: config.clone(), calls: Vec::new(), windows: Vec::new(), cleared: Vec::new() };
        self.replay(&config, &mut nobody).unwrap_or(nothing)
    }

    /// The session as it is stored, with the summaries that are in it.
    pub fn recorded(&self) -> Replayed {
        let calls = self.analysis.calls().iter().map(|call| ReplayedCall {
            number: call.number,
            request: call.request.clone(),
            tokens: call.total.tokens,
            matches: call.matches.clone(),
        });
        let config = strata_engine::turn::compaction::CompactionConfig::default();
        Replayed { config, calls: calls.collect(), windows: Vec::new(), cleared: Vec::new() }
    }

    /// Sizes of summaries that are in the session: `(tokens of what each stands for, tokens of it)`.
    pub fn recorded_sizes(&self) -> Vec<(u32, u32)> {
        let Some(scale) = self.scale(None) else { return Vec::new() };
        let log = self.experiment.log();
        let summaries = log.events().iter().filter_map(|logged| {
            let compaction = logged.event.actions.compaction.as_ref()?;
            let (start, end) = (compaction.start_timestamp?, compaction.end_timestamp?);
            let texts =
                compaction.compacted_content.as_ref()?.parts().iter().filter_map(|part| part.text.as_deref());
            let tokens = texts.map(|text| scale.weigher().text(text).tokens).sum();
            let covered = log.events().iter().filter(|covered| {
                !covered.event.is_compaction()
                    && (start..=end).contains(&covered.event.timestamp)
                    && covered.event.isolation_scope == logged.event.isolation_scope
            });
            let source = covered.map(|covered| self.sources.of_event(covered, scale.weigher())).sum();
            Some((source, tokens))
        });
        summaries.filter(|(source, tokens)| *source > 0 && *tokens > 0).collect()
    }
}
