//! Many configurations side by side, with summaries of a stated size.

use rayon::prelude::*;
use strata_engine::turn::compaction::CompactionConfig;

use super::bill::Assumptions;
use super::front::front;
use super::plan::{BlockReason, Replayed, Stop};
use super::prepared::Lab;
use super::recommend::{Recommendation, recommend, recommend_written};
use super::size::SummarySize;
use super::sized::SizedWriter;
use super::sweep_row::{Baselines, Flag, Measure, SweepRow};

/// Rows in the order of the configurations, and what to make of them.
#[derive(Debug, Clone)]
pub struct Sweep {
    pub baselines: Baselines,
    pub rows: Vec<SweepRow>,
    /// Configurations that were to be replayed: more than there are rows where it was stopped.
    pub n_configs: usize,
    /// Places of the rows that no other beats in cost, peak prompt and regret together, in order of their cost.
    pub front: Vec<usize>,
    /// `None` where there are no rows.
    pub recommended: Option<Recommendation>,
}

/// Hears of a sweep while it goes on, from whatever thread it is on, and stops it.
pub trait SweepWatch: Sync {
    /// Before any row.
    fn begins(&self, _: &Baselines) {}
    /// A row is there; they come in any order.
    fn replayed(&self, _: &SweepRow) {}
    fn is_stopped(&self) -> bool {
        false
    }
}

/// Nobody listens.
impl SweepWatch for () {}

/// Replays every configuration, until it is stopped: rows that are there by then stay. Rows and their order do not depend
/// on how many run at once.
pub fn sweep(
    lab: &Lab<'_>,
    configs: &[CompactionConfig],
    size: SummarySize,
    assumptions: Assumptions,
    watch: &dyn SweepWatch,
) -> Sweep {
    let baselines = baselines(lab, size, assumptions);
    watch.begins(&baselines);
    let replayed = |config: (usize, &CompactionConfig)| {
        if watch.is_stopped() {
            return None;
        }
        let mut row = row(lab, config, size, assumptions);
        row.flags = flags(&row, &baselines);
        watch.replayed(&row);
        Some(row)
    };
    let rows: Vec<Option<SweepRow>> = configs.par_iter().enumerate().map(replayed).collect();
    let rows: Vec<SweepRow> = rows.into_iter().flatten().collect();
    let measure = Measure::of(&rows, &baselines);
    let front = best(&rows, &measure);
    let recommended = recommend(&rows, &baselines, &measure, configs.len());
    Sweep { baselines, rows, n_configs: configs.len(), front, recommended }
}

/// Which of some replays whose summaries are written to take, by the rule of a sweep; `None` where there are none.
pub fn best_written(
    lab: &Lab<'_>,
    replays: &[&Replayed],
    assumptions: Assumptions,
) -> Option<Recommendation> {
    let baselines = baselines(lab, SummarySize::fitted(&[]), assumptions);
    let rows: Vec<SweepRow> = replays
        .iter()
        .enumerate()
        .map(|(place, replayed)| {
            let mut row = row_of(lab, place, replayed, assumptions);
            row.flags = flags(&row, &baselines);
            row
        })
        .collect();
    recommend_written(&rows, &baselines, &Measure::of(&rows, &baselines))
}

fn baselines(lab: &Lab<'_>, size: SummarySize, assumptions: Assumptions) -> Baselines {
    Baselines {
        recorded: lab.recorded_bill(assumptions),
        recorded_tokens: lab.recorded_tokens(),
        unchanged: row(lab, (0, &CompactionConfig::default()), size, assumptions),
        size,
        assumptions,
    }
}

fn row(
    lab: &Lab<'_>,
    (place, config): (usize, &CompactionConfig),
    size: SummarySize,
    assumptions: Assumptions,
) -> SweepRow {
    let size = config.summary_tokens.map_or(size, SummarySize::stated);
    let mut writer = SizedWriter::new(size);
    // The writer never stops.
    let replayed = lab.replay(config, &mut writer).unwrap_or_else(|_: Stop| Replayed {
        config: config.clone(),
        calls: Vec::new(),
        windows: Vec::new(),
        cleared: Vec::new(),
    });
    row_of(lab, place, &replayed, assumptions)
}

fn row_of(lab: &Lab<'_>, place: usize, replayed: &Replayed, assumptions: Assumptions) -> SweepRow {
    let summaries: Vec<Option<u32>> = replayed
        .windows
        .iter()
        .filter(|window| window.event.is_some())
        .map(|window| window.moment.first_call())
        .collect();
    let is_blocked = |reason: &Option<BlockReason>| *reason == Some(BlockReason::LongerThanSource);
    let mut flags = Vec::new();
    if replayed.windows.iter().any(|window| is_blocked(&window.blocked)) {
        flags.push(Flag::BlockedSummaries);
    }
    SweepRow {
        place,
        prompt_tokens: lab.bills(replayed).iter().map(|bill| bill.prompt_tokens).collect(),
        bill: lab.bill(replayed, assumptions),
        summaries,
        summarised_tokens: lab.summarised_tokens(replayed),
        regret: lab.regret(replayed).len() as u32,
        config: replayed.config.clone(),
        flags,
    }
}

fn flags(row: &SweepRow, baselines: &Baselines) -> Vec<Flag> {
    let Baselines { unchanged, recorded, .. } = baselines;
    let mut flags = row.flags.clone();
    if row.bill.summaries().summaries == 0 && row.prompt_tokens == unchanged.prompt_tokens {
        flags.push(Flag::NeverFires);
    }
    let calls: Vec<u32> = row.summaries.iter().flatten().copied().collect();
    if calls.windows(2).any(|pair| pair[1] == pair[0] + 1) {
        flags.push(Flag::FiresOnConsecutiveCalls);
    }
    if row.bill.peak_tokens > recorded.peak_tokens
        || row.bill.calls.prompt_tokens > recorded.calls.prompt_tokens
    {
        flags.push(Flag::GrowsThePrompt);
    }
    if row.bill.cost().zip(recorded.cost()).is_some_and(|(now, before)| now > before) {
        flags.push(Flag::CostsMore);
    }
    flags.sort_unstable();
    flags
}

fn best(rows: &[SweepRow], measure: &Measure) -> Vec<usize> {
    let of =
        |row: &SweepRow| [measure.cost(&row.bill), f64::from(row.bill.peak_tokens), f64::from(row.regret)];
    let mut places = front(&rows.iter().map(of).collect::<Vec<_>>());
    let cost = |at: usize| measure.cost(&rows[at].bill);
    places.sort_by(|a, b| cost(*a).total_cmp(&cost(*b)).then(a.cmp(b)));
    places
}
