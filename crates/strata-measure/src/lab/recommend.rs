//! Which setting of a sweep to take, if any.

use super::bill::Bill;
use super::sweep_row::{Baselines, Flag, Measure, SweepRow};
use crate::phrases::number;

/// The setting to take.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recommendation {
    /// Its place among the rows; `None`: what was recorded is as good as any of them.
    pub row: Option<usize>,
    /// Why, in a sentence or two.
    pub reason: String,
}

/// A smaller change of what is paid is none.
const LEAST_CHANGE: f64 = 0.005;
/// By so much shorter the longest prompt has to be where nothing is saved.
const LEAST_SHORTER: f64 = 0.05;
/// A setting that costs at most so much more, as a share of what the recording costs, is near another.
const NEAR: f64 = 0.1;

/// What no setting may have that is to be taken. What costs more, or grows prompts, does not beat the recording anyway.
const BAD: [Flag; 3] = [Flag::NeverFires, Flag::FiresOnConsecutiveCalls, Flag::BlockedSummaries];

const NOTHING_LOST: &str = "Its summaries lost no value that a later answer used.";

/// The cheapest setting that beats the recording; among those near it, the one that leaves least to its summaries of what
/// later answers used.
pub(super) fn recommend(
    rows: &[SweepRow],
    baselines: &Baselines,
    measure: &Measure,
    n_configs: usize,
) -> Option<Recommendation> {
    recommend_saying(rows, baselines, (measure, used_later), n_configs)
}

/// As [`recommend`], among settings whose summaries are written: none that lost what a later answer used.
pub(super) fn recommend_written(
    rows: &[SweepRow],
    baselines: &Baselines,
    measure: &Measure,
) -> Option<Recommendation> {
    let safe: Vec<usize> = (0..rows.len()).filter(|at| rows[*at].regret == 0).collect();
    let n_lossy = rows.len() - safe.len();
    if safe.is_empty() {
        let reason = match n_lossy {
            0 => return None,
            1 => {
                "The summaries lost a value that a later answer used, so this is not to be taken.".to_owned()
            }
            n => format!("All {n} lost values that later answers used, so none of them is to be taken."),
        };
        return Some(Recommendation { row: None, reason });
    }
    let kept: Vec<SweepRow> = safe.iter().map(|at| rows[*at].clone()).collect();
    let found = recommend_saying(&kept, baselines, (measure, |_| NOTHING_LOST.to_owned()), kept.len())?;
    let lossy = match n_lossy {
        0 => String::new(),
        1 => " One other lost values that later answers used.".to_owned(),
        n => format!(" {n} others lost values that later answers used."),
    };
    Some(Recommendation { row: found.row.map(|at| safe[at]), reason: found.reason + &lossy })
}

fn recommend_saying(
    rows: &[SweepRow],
    baselines: &Baselines,
    (measure, used_later): (&Measure, fn(&SweepRow) -> String),
    n_configs: usize,
) -> Option<Recommendation> {
    if rows.is_empty() {
        return None;
    }
    let recorded = &baselines.recorded;
    let before = measure.cost(recorded);
    let cost = |at: &usize| measure.cost(&rows[*at].bill);
    let by_cost = |a: &usize, b: &usize| cost(a).total_cmp(&cost(b)).then(a.cmp(b));
    let is_sound = |at: &usize| rows[*at].flags.iter().all(|flag| !BAD.contains(flag));
    let mut sound: Vec<usize> = (0..rows.len()).filter(is_sound).collect();
    sound.sort_by(by_cost);
    let better: Vec<usize> =
        sound.iter().copied().filter(|at| beats(&rows[*at].bill, recorded, measure)).collect();
    let so_far = match rows.len() {
        n if n < n_configs => format!("Of the {n} of {n_configs} settings that were replayed: "),
        _ => String::new(),
    };
    let Some(cheapest) = better.first() else {
        let nothing = "Nothing here beats what you have".to_owned();
        let reason = match sound.first() {
            Some(nearest) => {
                let row = &rows[*nearest];
                let change = change(cost(nearest), before, "what was recorded");
                let config = &row.config;
                format!(
                    "{nothing}: {config}, the cheapest that writes summaries, {} {change}, and {}.",
                    unit(measure),
                    peak(row, recorded)
                )
            }
            None => format!(
                "{nothing}: every setting either never fires, fires on calls that follow each other, or writes \
                 summaries that are longer than what they stand for."
            ),
        };
        return Some(Recommendation { row: None, reason: so_far + &reason });
    };
    let is_near = |at: &&usize| cost(at) <= cost(cheapest) + NEAR * before;
    let safest = better
        .iter()
        .filter(is_near)
        .min_by(|a, b| rows[**a].regret.cmp(&rows[**b].regret).then(by_cost(a, b)));
    let at = *safest.unwrap_or(cheapest);
    let row = &rows[at];
    let summaries = counted(row.bill.summaries().summaries, "summary", "summaries");
    let mut reason = format!(
        "{so_far}{} {} {}, with {summaries}; {}. {}",
        row.config,
        unit(measure),
        change(cost(&at), before, "the recording"),
        peak(row, recorded),
        used_later(row)
    );
    if at != *cheapest {
        let other = &rows[*cheapest];
        reason += &format!(
            " {} would cost {:.0} % less than this and leave {} to its summaries.",
            other.config,
            (1.0 - cost(cheapest) / cost(&at)) * 100.0,
            counted(other.regret, "value", "values")
        );
    }
    Some(Recommendation { row: Some(at), reason })
}

/// Whether something is cheaper than the recording and its prompts no longer, or costs no more and its longest prompt is
/// shorter by something.
fn beats(bill: &Bill, recorded: &Bill, measure: &Measure) -> bool {
    let (now, before) = (measure.cost(bill), measure.cost(recorded));
    let is_cheaper = now < before * (1.0 - LEAST_CHANGE) && bill.peak_tokens <= recorded.peak_tokens;
    let shorter = f64::from(recorded.peak_tokens) * (1.0 - LEAST_SHORTER);
    is_cheaper || now <= before && f64::from(bill.peak_tokens) <= shorter
}

fn unit(measure: &Measure) -> &'static str {
    if measure.is_money { "costs" } else { "bills" }
}

fn change(now: f64, before: f64, than: &str) -> String {
    let change = if before > 0.0 { now / before - 1.0 } else { 0.0 };
    if change.abs() < LEAST_CHANGE {
        return format!("as much as {than}");
    }
    let word = if change < 0.0 { "less" } else { "more" };
    format!("{:.0} % {word} than {than}", (change.abs() * 100.0).max(1.0))
}

fn peak(row: &SweepRow, recorded: &Bill) -> String {
    let (now, before) = (row.bill.peak_tokens, recorded.peak_tokens);
    if now == before {
        return format!("the longest prompt stays at {} tokens", number(now.into()));
    }
    format!("the longest prompt is {} tokens instead of {}", number(now.into()), number(before.into()))
}

fn used_later(row: &SweepRow) -> String {
    match row.regret {
        0 => "No value that it summarises is said again later.".to_owned(),
        1 => "One value that it summarises is used later, so its summary has to keep it.".to_owned(),
        n => format!(
            "{} values that it summarises are used later, so its summaries have to keep them.",
            number(n.into())
        ),
    }
}

fn counted(n: u32, one: &str, many: &str) -> String {
    if n == 1 { format!("one {one}") } else { format!("{} {many}", number(n.into())) }
}
