//! Many configurations side by side, with summaries of a stated size.

use rayon::prelude::*;
use strata_engine::turn::compaction::CompactionConfig;

use super::bill::{Assumptions, Bill};
use super::front::front;
use super::plan::{BlockReason, Replayed, Stop};
use super::prepared::Lab;
use super::size::SummarySize;
use super::sized::SizedWriter;

/// Rows in the order of the configurations, and what to make of them.
#[derive(Debug, Clone)]
pub struct Sweep {
    /// Without any summary.
    pub unchanged: SweepRow,
    /// As it was recorded, with the summaries that are in it. The same as `unchanged` where there are none.
    pub recorded: Bill,
    pub rows: Vec<SweepRow>,
    /// Places of the rows that no other beats in both cost and peak prompt, in order of their cost.
    pub front: Vec<usize>,
    pub recommended: Option<Recommendation>,
    pub size: SummarySize,
    pub assumptions: Assumptions,
}

/// One configuration.
#[derive(Debug, Clone)]
pub struct SweepRow {
    pub config: CompactionConfig,
    pub bill: Bill,
    /// Calls (by number) that are the first to see each summary; `None` for those after the last call.
    pub summaries: Vec<Option<u32>>,
    /// Tokens of events that summaries stand for, each once.
    pub summarised_tokens: u64,
    /// Prompt tokens of each call.
    pub prompt_tokens: Vec<u32>,
    pub flags: Vec<Flag>,
}

/// What is wrong with a configuration, on this session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flag {
    /// Nothing is ever summarised.
    NeverFires,
    /// Summaries are due before calls that follow each other.
    FiresOnConsecutiveCalls,
    /// Some prompt is longer than the longest without summaries, or all of them together are.
    GrowsThePrompt,
    /// Costs more than no compaction.
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

/// The setting to take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recommendation {
    /// Its place among the rows; `None`: no compaction.
    pub row: Option<usize>,
    /// Why, in a sentence.
    pub reason: String,
}

/// Replays every configuration. `watch` hears how many are done, and ends the sweep by returning false; rows and their
/// order do not depend on how many run at once.
pub fn sweep(
    lab: &Lab<'_>,
    configs: &[CompactionConfig],
    size: SummarySize,
    assumptions: Assumptions,
    watch: &(dyn Fn(usize) -> bool + Sync),
) -> Option<Sweep> {
    let row = |config: &CompactionConfig| row(lab, config, size, assumptions);
    let unchanged = row(&CompactionConfig::default());
    let recorded = lab.bill(&lab.recorded(), assumptions);
    let done = std::sync::atomic::AtomicUsize::new(0);
    let rows: Vec<Option<SweepRow>> = configs
        .par_iter()
        .map(|config| {
            let n_done = done.load(std::sync::atomic::Ordering::Relaxed);
            if !watch(n_done) {
                return None;
            }
            let mut row = row(config);
            row.flags = flags(&row, &unchanged);
            done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            Some(row)
        })
        .collect();
    let rows: Vec<SweepRow> = rows.into_iter().collect::<Option<_>>()?;
    watch(rows.len());
    let front = front_by_cost(&rows);
    let recommended = recommend(&rows, &front, &unchanged);
    Some(Sweep { unchanged, recorded, rows, front, recommended, size, assumptions })
}

fn row(lab: &Lab<'_>, config: &CompactionConfig, size: SummarySize, assumptions: Assumptions) -> SweepRow {
    let size = config.summary_tokens.map_or(size, SummarySize::stated);
    let mut writer = SizedWriter::new(size);
    // The writer never stops.
    let replayed = lab.replay(config, &mut writer).unwrap_or_else(|_: Stop| Replayed {
        config: config.clone(),
        calls: Vec::new(),
        windows: Vec::new(),
        cleared: Vec::new(),
    });
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
        prompt_tokens: lab.bills(&replayed).iter().map(|bill| bill.prompt_tokens).collect(),
        bill: lab.bill(&replayed, assumptions),
        summaries,
        summarised_tokens: lab.summarised_tokens(&replayed),
        config: config.clone(),
        flags,
    }
}

fn flags(row: &SweepRow, unchanged: &SweepRow) -> Vec<Flag> {
    let mut flags = row.flags.clone();
    if row.bill.summaries.n_summaries == 0 && row.prompt_tokens == unchanged.prompt_tokens {
        flags.push(Flag::NeverFires);
    }
    let calls: Vec<u32> = row.summaries.iter().flatten().copied().collect();
    if calls.windows(2).any(|pair| pair[1] == pair[0] + 1) {
        flags.push(Flag::FiresOnConsecutiveCalls);
    }
    if row.bill.peak_tokens > unchanged.bill.peak_tokens
        || row.bill.calls.prompt_tokens > unchanged.bill.calls.prompt_tokens
    {
        flags.push(Flag::GrowsThePrompt);
    }
    if row.bill.cost().zip(unchanged.bill.cost()).is_some_and(|(now, before)| now > before) {
        flags.push(Flag::CostsMore);
    }
    flags.sort_unstable();
    flags
}

/// What a row costs: US dollars, or without prices the tokens that are paid in full and those of the summaries.
fn measure(row: &SweepRow) -> f64 {
    row.bill.cost().unwrap_or_else(|| {
        let summaries = &row.bill.summaries;
        (row.bill.billed_tokens() + summaries.input_tokens + 4 * summaries.output_tokens) as f64
    })
}

fn front_by_cost(rows: &[SweepRow]) -> Vec<usize> {
    let measures: Vec<_> =
        rows.iter().map(|row| Some((measure(row), f64::from(row.bill.peak_tokens)))).collect();
    let mut places = front(&measures);
    places.sort_by(|a, b| measure(&rows[*a]).total_cmp(&measure(&rows[*b])).then(a.cmp(b)));
    places
}

fn recommend(rows: &[SweepRow], front: &[usize], unchanged: &SweepRow) -> Option<Recommendation> {
    const BAD: [Flag; 4] =
        [Flag::NeverFires, Flag::FiresOnConsecutiveCalls, Flag::GrowsThePrompt, Flag::BlockedSummaries];
    if rows.is_empty() {
        return None;
    }
    let is_sound = |row: &&usize| rows[**row].flags.iter().all(|flag| !BAD.contains(flag));
    let before = measure(unchanged);
    let cheapest = front.iter().find(is_sound).copied().or_else(|| {
        let mut sound: Vec<usize> = (0..rows.len()).filter(|at| is_sound(&at)).collect();
        sound.sort_by(|a, b| measure(&rows[*a]).total_cmp(&measure(&rows[*b])));
        sound.first().copied()
    });
    let Some(at) = cheapest else {
        let reason = "Every configuration either never fires, fires on calls that follow each other, or makes \
             prompts longer; leave compaction off, or sweep larger steps.";
        return Some(Recommendation { row: None, reason: reason.to_owned() });
    };
    let row = &rows[at];
    let peak = format!(
        "the longest prompt is {} tokens instead of {}",
        grouped(row.bill.peak_tokens.into()),
        grouped(unchanged.bill.peak_tokens.into())
    );
    let n_summaries = row.bill.summaries.n_summaries;
    let summaries =
        if n_summaries == 1 { "one summary".to_owned() } else { format!("{n_summaries} summaries") };
    let change = (measure(row) / before - 1.0) * 100.0;
    let unit = if row.bill.cost().is_some() { "costs" } else { "bills" };
    let reason = if change <= -0.5 {
        format!("{} {unit} {:.0} % less than no compaction, with {summaries}; {peak}.", row.config, -change)
    } else if change < 0.5 {
        format!("{} {unit} as much as no compaction, with {summaries}; {peak}.", row.config)
    } else {
        format!(
            "No compaction is cheapest; {} is the cheapest that compacts ({change:.0} % more, with {summaries}), \
             and {peak}: take it only where prompts would not fit.",
            row.config
        )
    };
    Some(Recommendation { row: (change < 0.5).then_some(at), reason })
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}
