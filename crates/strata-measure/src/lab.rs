//! Compaction tried out on a recorded session: what a configuration would have summarised, what every prompt and cache
//! would have been, and what a summary loses.
//!
//! 1. A [`CompactionConfig`](strata_engine::turn::compaction::CompactionConfig) says when to compact: as google-adk does, or
//!    in big steps. [`parse_grid`] reads many of them.
//! 2. [`Lab`] prepares a session once: its events without recorded summaries, every prompt, every cache rule.
//! 3. [`Lab::replay`] goes through the session with one configuration. Each summary that falls due is asked of a
//!    [`Writer`], enters the history, and every later call is compiled over it.
//! 4. [`sweep`] replays many configurations with summaries of a stated size, and says which to take, if any beats the
//!    recording.
//! 5. [`extractive`] writes summaries without a model; [`loss`](fn@loss) and [`coverage`](fn@coverage) say what a summary
//!    no longer tells of facts, rows and values.
//! 6. [`Lab::regret`] finds what was summarised away and was used later, and [`recorded_regrets`] the same of summaries
//!    that were recorded.
//!
//! Nothing here changes the session: the result of a replay is a list of windows with their summaries.

mod as_edit;
mod bill;
mod extractive;
mod facts;
mod front;
mod grid;
mod loss;
mod match_text;
mod plan;
mod prepared;
mod probe;
mod recommend;
mod recorded;
mod recorded_losses;
mod recorded_regret;
mod recorded_summaries;
mod regained;
mod regret;
mod replay;
mod result_values;
mod said;
mod short_numbers;
mod size;
mod sized;
mod source_tokens;
mod summary_spans;
mod sweep;
mod sweep_row;
mod telling;
mod text_tables;
mod uses;
mod verdict;
mod window_context;
mod window_loss;
mod words;

pub use crate::not_models::EXTRACTIVE;
pub use bill::{Assumptions, Bill};
pub use extractive::{Extractive, extractive};
pub use facts::{Fact, FactKind, FactReader};
pub use grid::{MAX_CONFIGS, parse_grid};
pub use loss::{Generation, LossItem, LossReport, loss, survival};
pub use plan::{
    BlockReason, Cleared, Moment, Payment, Replayed, ReplayedCall, Stop, SummaryDue, WindowPlan, Writer,
    WrittenSummary,
};
pub use prepared::{Lab, Recording};
pub use probe::{Grade, Probe, ShownEvents, grade, probe_prompt, probes, window_text};
pub use recommend::Recommendation;
pub(crate) use recorded::RecordedFirst;
pub use recorded_losses::{RecordedLoss, recorded_losses};
pub use recorded_regret::{RecordedRegret, recorded_regrets, was_shown_to_summarizer};
pub use regained::Regained;
pub use regret::Regret;
pub use result_values::{Coverage, coverage};
pub use size::{SizeBasis, SummarySize};
pub use sized::SizedWriter;
pub use sweep::{Sweep, SweepWatch, best_written, sweep};
pub use sweep_row::{Baselines, Flag, SweepRow};
pub use verdict::Verdict;
pub use window_loss::{Told, WindowLoss, told_at_end, window_losses, window_reach};
