//! Compaction tried out on a recorded session: what a configuration would have summarised, what every prompt and cache
//! would have been, and what a summary loses.
//!
//! 1. A [`CompactionConfig`](strata_engine::turn::compaction::CompactionConfig) says when to compact: as google-adk does, or
//!    in big steps. [`parse_grid`] reads many of them.
//! 2. [`Lab`] prepares a session once: its events without recorded summaries, every prompt, every cache rule.
//! 3. [`Lab::replay`] goes through the session with one configuration. Each summary that falls due is asked of a
//!    [`Writer`], enters the history, and every later call is compiled over it.
//! 4. [`sweep`] replays many configurations with summaries of a stated size, and says which to take.
//! 5. [`extractive`] writes summaries without a model; [`loss`](fn@loss) says what a summary no longer tells.
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
mod recorded;
mod replay;
mod size;
mod sized;
mod source_tokens;
mod sweep;
mod verdict;
mod window_context;

pub use bill::{Assumptions, Bill, SummaryCost};
pub use extractive::{EXTRACTIVE, Extractive, extractive};
pub use facts::{Fact, FactKind, FactReader};
pub use grid::{MAX_CONFIGS, parse_grid};
pub use loss::{Generation, LossItem, LossReport, loss, survival};
pub use plan::{
    BlockReason, Cleared, Moment, Replayed, ReplayedCall, Stop, SummaryDue, WindowPlan, Writer,
    WrittenSummary,
};
pub use prepared::Lab;
pub use probe::{Grade, Probe, grade, probe_prompt, probes, window_text};
pub(crate) use recorded::RecordedFirst;
pub use size::{SizeBasis, SummarySize};
pub use sized::SizedWriter;
pub use sweep::{Flag, Recommendation, Sweep, SweepRow, sweep};
pub use verdict::Verdict;
