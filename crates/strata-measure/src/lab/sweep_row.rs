//! What a sweep says of a configuration, and what that is compared with.

use strata_engine::turn::compaction::CompactionConfig;

use super::bill::{Assumptions, Bill};
use super::size::SummarySize;

/// What the rows of a sweep are compared with, and rest on.
#[derive(Debug, Clone)]
pub struct Baselines {
    /// As it was recorded, with the summaries that are in it and what these took: what there is to beat.
    pub recorded: Bill,
    /// Prompt tokens of each recorded call.
    pub recorded_tokens: Vec<u32>,
    /// Without any summary. The same as `recorded` where there are none.
    pub unchanged: SweepRow,
    pub size: SummarySize,
    pub assumptions: Assumptions,
}

/// One configuration.
#[derive(Debug, Clone)]
pub struct SweepRow {
    /// Its place among the configurations.
    pub place: usize,
    pub config: CompactionConfig,
    pub bill: Bill,
    /// Calls (by number) that are the first to see each summary; `None` for those after the last call.
    pub summaries: Vec<Option<u32>>,
    /// Tokens of events that summaries stand for, each once.
    pub summarised_tokens: u64,
    /// Prompt tokens of each call.
    pub prompt_tokens: Vec<u32>,
    /// Values that later answers used and that nothing but a summary could tell them. Summaries of a sweep say nothing,
    /// so it is the most that can be regretted.
    pub regret: u32,
    pub flags: Vec<Flag>,
}

/// What is wrong with a configuration, on this session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flag {
    /// Nothing is ever summarised.
    NeverFires,
    /// Summaries are due before calls that follow each other.
    FiresOnConsecutiveCalls,
    /// Some prompt is longer than the longest of the recording, or all of them together are.
    GrowsThePrompt,
    /// Costs more than the recording.
    CostsMore,
    /// A summary came out longer than what it stands for, and was not used.
    BlockedSummaries,
}

impl Flag {
    pub fn name(self) -> &'static str {
        match self {
            Self::NeverFires => "never_fires",
            Self::FiresOnConsecutiveCalls => "consecutive",
            Self::GrowsThePrompt => "grows",
            Self::CostsMore => "costs_more",
            Self::BlockedSummaries => "blocked",
        }
    }
}

/// What configurations cost, all in one unit.
pub(super) struct Measure {
    /// In US dollars; without a price for all of it, in tokens.
    pub is_money: bool,
}

impl Measure {
    pub(super) fn of(rows: &[SweepRow], baselines: &Baselines) -> Self {
        let bills = rows.iter().map(|row| &row.bill).chain([&baselines.recorded]);
        Self { is_money: bills.into_iter().all(|bill| bill.cost().is_some()) }
    }

    /// US dollars, or the tokens that are paid in full and those of the summaries.
    pub(super) fn cost(&self, bill: &Bill) -> f64 {
        let tokens = || {
            let summaries = bill.summaries();
            (bill.billed_tokens() + summaries.input_tokens + 4 * summaries.output_tokens) as f64
        };
        bill.cost().filter(|_| self.is_money).unwrap_or_else(tokens)
    }
}
