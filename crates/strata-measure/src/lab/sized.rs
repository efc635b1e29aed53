//! Summaries of which only the size matters.

use strata_model::{Content, Part};

use super::plan::{Replayed, Stop, SummaryDue, Writer, WrittenSummary};
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
        Ok(Some(WrittenSummary {
            content,
            by: due.model.clone(),
            is_stand_in: true,
            ..WrittenSummary::default()
        }))
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
}
