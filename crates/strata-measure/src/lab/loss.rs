//! What a summary no longer tells.

use std::collections::{BTreeMap, HashSet};

use strata_engine::{EventLog, LoggedEvent, SummaryRange, surviving};

use super::facts::{Fact, FactKind, FactReader};
use super::match_text::SummaryText;
use super::plan::{Replayed, WindowPlan};
use super::verdict::Verdict;

/// A fact of the window, and what became of it.
#[derive(Debug, Clone)]
pub struct LossItem {
    pub fact: Fact,
    pub verdict: Verdict,
    /// How often the session states it again after the window.
    pub used_later: u32,
    /// What losing it weighs.
    pub weight: f64,
}

/// What became of the facts of a window.
#[derive(Debug, Clone, Default)]
pub struct LossReport {
    pub kept: u32,
    pub paraphrased: u32,
    pub dropped: u32,
    /// The share of the weight that was dropped, from 0 to 1.
    pub lost_share: f64,
    /// Dropped ones first, the heaviest first among them; then by event.
    pub items: Vec<LossItem>,
}

/// Uses that count: what is used often is not ten times as important.
const MAX_USES: u32 = 3;

/// Compares the facts of a window with its summary. `later` is how often each is stated behind the window, as
/// [`FactReader::uses`] counts.
pub fn loss(reader: &FactReader, facts: &[Fact], summary: &str, later: &BTreeMap<String, u32>) -> LossReport {
    let summary = SummaryText::new(reader, summary);
    let mut report = LossReport::default();
    let (mut lost, mut all) = (0.0, 0.0);
    for fact in facts {
        let verdict = summary.verdict(fact);
        let used_later = later.get(&fact.key).copied().unwrap_or(0);
        let weight = fact.kind.weight() * (1.0 + f64::from(used_later.min(MAX_USES)));
        all += weight;
        match verdict {
            Verdict::Kept => report.kept += 1,
            Verdict::Paraphrased => report.paraphrased += 1,
            Verdict::Dropped => {
                report.dropped += 1;
                lost += weight;
            }
        }
        report.items.push(LossItem { fact: fact.clone(), verdict, used_later, weight });
    }
    report.lost_share = if all > 0.0 { lost / all } else { 0.0 };
    let is_dropped = |item: &LossItem| item.verdict == Verdict::Dropped;
    report.items.sort_by(|a, b| {
        let weight = |item: &LossItem| if is_dropped(item) { item.weight } else { 0.0 };
        is_dropped(b)
            .cmp(&is_dropped(a))
            .then(weight(b).total_cmp(&weight(a)))
            .then(a.fact.event.cmp(&b.fact.event))
    });
    report
}

/// How much of all that was summarised can still be read after each summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Generation {
    /// The window, by its place in the plan.
    pub window: usize,
    /// Facts of all windows so far.
    pub facts: u32,
    /// Of these, the ones that some summary still in the prompt tells.
    pub alive: u32,
}

/// Follows the facts of all windows through the summaries: a rolling summary is summarised again, and may forget.
pub fn survival(reader: &FactReader, replayed: &Replayed, log: &EventLog) -> Vec<Generation> {
    let all: Vec<&LoggedEvent> = log.events().iter().collect();
    let mut facts: Vec<Fact> = Vec::new();
    let mut known: HashSet<String> = HashSet::new();
    let mut texts: Vec<(usize, SummaryRange, SummaryText)> = Vec::new();
    let mut generations = Vec::new();
    for (at, window) in replayed.windows.iter().enumerate() {
        let Some(range) = range_of(at, window) else { continue };
        let events: Vec<&LoggedEvent> = window.events.iter().filter_map(|event| log.get(*event)).collect();
        let new = reader.read(&events, &all);
        facts.extend(new.into_iter().filter(|fact| known.insert(fact.key.clone())));
        texts.push((at, range, SummaryText::new(reader, &window.summary_text())));
        let alive: HashSet<usize> =
            surviving(texts.iter().map(|(_, range, _)| *range)).into_iter().map(|range| range.at).collect();
        let is_told = |fact: &&Fact| {
            let mut shown = texts.iter().filter(|(at, _, _)| alive.contains(at));
            shown.any(|(_, _, text)| text.verdict(fact) != Verdict::Dropped)
        };
        generations.push(Generation {
            window: at,
            facts: facts.len() as u32,
            alive: facts.iter().filter(is_told).count() as u32,
        });
    }
    generations
}

/// Windows whose summaries are still in the prompt at the end of a replay, by their places.
pub(super) fn surviving_windows(replayed: &Replayed) -> Vec<usize> {
    let ranges = replayed.windows.iter().enumerate().filter_map(|(at, window)| range_of(at, window));
    surviving(ranges).into_iter().map(|range| range.at).collect()
}

/// The time that the summary of a window covers, where it is laid over the session.
fn range_of(at: usize, window: &WindowPlan) -> Option<SummaryRange> {
    let (_, event) = window.event.as_ref()?;
    let compaction = event.actions.compaction.as_ref()?;
    Some(SummaryRange {
        at,
        start: compaction.start_timestamp.unwrap_or(f64::NAN),
        end: compaction.end_timestamp.unwrap_or(f64::NAN),
    })
}

impl LossReport {
    /// Facts of a kind, and how many of them were dropped.
    pub fn of_kind(&self, kind: FactKind) -> (u32, u32) {
        let items = self.items.iter().filter(|item| item.fact.kind == kind);
        let dropped = items.clone().filter(|item| item.verdict == Verdict::Dropped);
        (items.count() as u32, dropped.count() as u32)
    }
}
