//! A run beside its baseline: what grew, by cause, and what is new.

use std::collections::BTreeMap;

use serde::Serialize;
use strata_measure::before_after::{CauseKind, GrownPart};
use strata_measure::findings::Finding;

use super::checked::Amount;
use super::figures::{AgentFigures, CacheBasis, Figures, SessionFigures};
use super::now::{NewBreak, SessionNow};
use crate::api::common::Basis;
use crate::show::cause_title;
use crate::show::words::{listed, whole};

/// US dollars that are no growth: costs are kept with as many decimals.
const ROUNDING: f64 = 1.5e-9;

/// A session of the run beside that of the baseline.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionGrowth {
    pub session: String,
    pub title: String,
    /// In the baseline file.
    pub line: Option<u32>,
    /// Why figures cannot be compared, a sentence each; empty where they can.
    pub incomparable: Vec<String>,
    /// Texts before the conversation that are not those of the baseline, a sentence each. They fail nothing.
    pub notes: Vec<String>,
    /// Agents of either side.
    pub agents: Vec<AgentGrowth>,
    /// US dollars of calls and summaries.
    pub cost: FigureGrowth,
    pub breaks: Vec<NewBreak>,
    pub findings: Vec<NewFinding>,
}

/// What an agent's calls come to, before and after.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentGrowth {
    pub agent: String,
    pub figures: Vec<FigureGrowth>,
    /// Of the prompts, the weaker of both sides.
    pub basis: Basis,
    /// What makes the difference between the prompts; they add up to it. The greatest first.
    pub causes: Vec<GrownCause>,
}

/// One figure, before and after.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FigureGrowth {
    /// `calls`, `promptTokens`, `peakPromptTokens`, `freshTokens` or `cost`.
    pub figure: &'static str,
    /// A whole number, or US dollars; null where a model has no price.
    pub before: Amount,
    pub after: Amount,
    /// By more than what is allowed.
    pub has_grown: bool,
}

/// What makes a difference between the prompts of an agent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GrownCause {
    /// As those of `strata diff`.
    pub kind: &'static str,
    /// The tool, source or agent it is about; empty where the kind says it all.
    pub what: String,
    /// Both in words.
    pub title: String,
    /// Calls more or fewer, for calls.
    pub calls: i64,
    /// Tokens over all calls, later less earlier.
    pub tokens: i64,
    /// Tokens in the call that carries most of it, before and after.
    pub largest_before: i64,
    pub largest_after: i64,
    /// That call of the run.
    pub call: Option<u32>,
}

/// What was found more often than in the baseline.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NewFinding {
    pub code: String,
    pub title: String,
    /// How often, before and after.
    pub before: u32,
    pub after: u32,
    /// Of the first of them.
    pub call: Option<u32>,
    pub message: String,
}

impl SessionGrowth {
    /// `allowed` is the share by which a figure may grow.
    pub(super) fn of(before: &SessionFigures, now: &SessionNow, allowed: f64, line: Option<u32>) -> Self {
        let after = &now.figures;
        let incomparable = incomparable(before, after);
        // A number that was counted otherwise says nothing of growth.
        let allowed = Some(allowed).filter(|_| incomparable.is_empty());
        let grown = before.composition().grown(&now.composition);
        let of_run = after.agents.keys();
        let gone = before.agents.keys().filter(|name| !after.agents.contains_key(*name));
        let agents = of_run.chain(gone).map(|name| {
            let parts = grown.iter().filter(|part| *part.agent == **name);
            AgentGrowth::of(name, [before.agents.get(name), after.agents.get(name)], parts, allowed)
        });
        Self {
            session: now.name.clone(),
            title: after.title.clone(),
            line,
            notes: notes(before, after),
            agents: agents.collect(),
            cost: FigureGrowth::of("cost", [before, after].map(session_cost), allowed),
            breaks: new_breaks(before, now),
            findings: new_findings(before, now),
            incomparable,
        }
    }
}

impl AgentGrowth {
    fn of<'p>(
        name: &str,
        [before, after]: [Option<&AgentFigures>; 2],
        parts: impl Iterator<Item = &'p GrownPart>,
        allowed: Option<f64>,
    ) -> Self {
        let [was, now] = [before, after].map(|side| side.map(|side| side.figures));
        let none = |side: Option<Figures>, of: fn(&Figures) -> Amount, none: Amount| {
            side.map_or(none, |side| of(&side))
        };
        let tokens = |name: &'static str, of: fn(&Figures) -> Amount| {
            FigureGrowth::of(name, [was, now].map(|side| none(side, of, Amount::Tokens(0))), allowed)
        };
        let calls = |side| none(side, |side| Amount::Times(side.calls.into()), Amount::Times(0));
        let cost = |side| none(side, |side| dollars(side.cost), Amount::Dollars(0.0));
        Self {
            agent: name.to_owned(),
            figures: vec![
                // More calls are seen in the tokens.
                FigureGrowth::of("calls", [was, now].map(calls), None),
                tokens("promptTokens", |side| Amount::Tokens(side.prompt_tokens)),
                tokens("peakPromptTokens", |side| Amount::Tokens(side.peak_prompt_tokens)),
                tokens("freshTokens", |side| Amount::Tokens(side.fresh_tokens)),
                FigureGrowth::of("cost", [was, now].map(cost), allowed),
            ],
            basis: [was, now].into_iter().flatten().map(|side| side.basis).max().unwrap_or(Basis::Exact),
            causes: parts.map(GrownCause::of).collect(),
        }
    }
}

impl FigureGrowth {
    fn of(figure: &'static str, [before, after]: [Amount; 2], allowed: Option<f64>) -> Self {
        let has_grown = |allowed: f64| match (before.number(), after.number()) {
            (Some(before), Some(after)) => after > before * (1.0 + allowed) + ROUNDING,
            // What had a price has lost it.
            (Some(_), None) => true,
            (None, _) => false,
        };
        Self { has_grown: allowed.is_some_and(has_grown), figure, before, after }
    }
}

/// Without a call there is no cost, and none is missing.
fn session_cost(session: &SessionFigures) -> Amount {
    dollars(session.cost.or_else(|| (session.n_calls() == 0).then_some(0.0)))
}

fn dollars(cost: Option<f64>) -> Amount {
    cost.map_or(Amount::Unknown, Amount::Dollars)
}

impl GrownCause {
    fn of(part: &GrownPart) -> Self {
        let GrownPart { kind, what, calls, tokens, largest, call, .. } = part;
        Self {
            kind: kind.code(),
            what: what.to_string(),
            title: cause_title(*kind, what, *calls, None),
            calls: *calls,
            tokens: *tokens,
            largest_before: largest[0],
            largest_after: largest[1],
            call: Some(*call).filter(|call| *call > 0 && *kind != CauseKind::Calls),
        }
    }
}

/// Why the figures of two runs say nothing of each other.
fn incomparable(before: &SessionFigures, after: &SessionFigures) -> Vec<String> {
    let mut why = Vec::new();
    let vocabularies = |session: &SessionFigures| {
        let mut names: Vec<String> = session.counting.values().cloned().collect();
        names.sort();
        names.dedup();
        names
    };
    let (was, now) = (vocabularies(before), vocabularies(after));
    if was != now && before.n_calls() > 0 && after.n_calls() > 0 {
        why.push(format!(
            "The baseline is counted with {}, and this run with {}.",
            listed(&was),
            listed(&now)
        ));
    }
    for (name, now) in &after.agents {
        let Some(was) = before.agents.get(name) else { continue };
        let (was, now) = (was.figures, now.figures);
        if was.basis != now.basis {
            why.push(format!(
                "Prompts of {name} are {} in the baseline, and {} in this run.",
                was.basis.name(),
                now.basis.name()
            ));
        }
        if was.cache != now.cache {
            let [was, now] = [was.cache, now.cache].map(|cache| match cache {
                CacheBasis::Reported => "reported",
                CacheBasis::Predicted => "predicted",
                CacheBasis::Unsaid => "not reported",
            });
            why.push(format!("What caches gave {name} is {was} in the baseline, and {now} in this run."));
        }
    }
    why
}

/// What is said of texts before the conversation that are others now.
fn notes(before: &SessionFigures, after: &SessionFigures) -> Vec<String> {
    let mut notes = Vec::new();
    let models = |session: &SessionFigures| session.counting.keys().cloned().collect::<Vec<_>>();
    let (was, now) = (models(before), models(after));
    if was != now && !was.is_empty() && !now.is_empty() {
        notes.push(format!("The baseline asks {}, and this run {}.", listed(&was), listed(&now)));
    }
    for (name, now) in &after.agents {
        let Some(was) = before.agents.get(name) else { continue };
        let tokens = |was: u64, now: u64| {
            let (was, now) = (whole(was as i64), whole(now as i64));
            if was == now { format!("{now} tokens") } else { format!("{was} → {now} tokens") }
        };
        if was.system.hash != now.system.hash {
            let tokens = tokens(was.system.tokens, now.system.tokens);
            notes.push(format!("The instruction of {name} is not that of the baseline: {tokens}."));
        }
        for (tool, declared) in &now.tools {
            match was.tools.get(tool) {
                None => {
                    let tokens = whole(declared.tokens as i64);
                    notes.push(format!("{name} declares {tool} now: {tokens} tokens."));
                }
                Some(was) if was.hash != declared.hash => {
                    let tokens = tokens(was.tokens, declared.tokens);
                    notes.push(format!("{name} declares {tool} otherwise than in the baseline: {tokens}."));
                }
                Some(_) => {}
            }
        }
        let gone: Vec<&String> = was.tools.keys().filter(|tool| !now.tools.contains_key(*tool)).collect();
        if !gone.is_empty() {
            notes.push(format!("{name} no longer declares {}.", listed(&gone)));
        }
    }
    notes
}

fn new_breaks(before: &SessionFigures, now: &SessionNow) -> Vec<NewBreak> {
    let mut told: BTreeMap<&str, NewBreak> = BTreeMap::new();
    for (name, loss) in &now.losses {
        let times = |side: &SessionFigures| side.breaks.get(name).copied().unwrap_or(0);
        let (was, is) = (times(before), times(&now.figures));
        // The dearest of each name is the first.
        if is > was {
            told.entry(name).or_insert_with(|| NewBreak { before: was, after: is, ..loss.clone() });
        }
    }
    told.into_values().collect()
}

fn new_findings(before: &SessionFigures, now: &SessionNow) -> Vec<NewFinding> {
    let mut by_code: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
    for finding in &now.found {
        by_code.entry(finding.code).or_default().push(finding);
    }
    let new = by_code.into_iter().filter_map(|(code, found)| {
        let (was, is) = (before.findings.get(code).copied().unwrap_or(0), found.len() as u32);
        let first = found.first().filter(|_| is > was)?;
        Some(NewFinding {
            code: code.to_owned(),
            title: first.title.to_owned(),
            before: was,
            after: is,
            call: first.calls.first().map(|range| range.first),
            message: format!("{} {}", first.message, first.advice_for(now.writer)),
        })
    });
    new.collect()
}
