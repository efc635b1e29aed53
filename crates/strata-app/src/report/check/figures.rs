//! What of a session is kept in a baseline, and compared with one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use strata_measure::analysis::{BillTotals, CallCache, Loss};
use strata_measure::before_after::{AgentComposition, CarriedPart, CauseKind, ComparedSession, Composition};
use strata_model::Fingerprint;
use strata_wire::{Item, Path, prompt_segments};

use super::measure::MeasuredSession;
use crate::api::common::Basis;
use crate::show::{SegmentScale, breaks};

/// Digits from which on an id without other letters than those of hexadecimal numbers is one that a program made up.
const MIN_MADE_UP: usize = 16;
/// Decimals of US dollars that are kept: sums of prices differ behind them by the order in which they are made.
const KEPT_DOLLARS: f64 = 1e9;

/// A session in a baseline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct SessionFigures {
    pub title: String,
    /// Of the session; absent where a program made it up, since it is another one in each run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub app: String,
    /// By model, with what it is counted.
    pub counting: BTreeMap<String, String>,
    /// US dollars of calls and summaries; absent where a model has no price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    pub agents: BTreeMap<String, AgentFigures>,
    /// Calls that lost what a cache could have given, by agent and reason.
    #[serde(default)]
    pub breaks: BTreeMap<String, u32>,
    /// By code.
    #[serde(default)]
    pub findings: BTreeMap<String, u32>,
}

/// All calls of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AgentFigures {
    pub figures: Figures,
    /// The system instruction of its first call.
    #[serde(default)]
    pub system: TextFigure,
    /// Declarations in its first call.
    #[serde(default)]
    pub tools: BTreeMap<String, TextFigure>,
    /// What its prompts carry, by kind of cause and what it is about: "tool_results find_orders".
    pub parts: BTreeMap<String, PartFigure>,
}

/// Sums over the calls of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Figures {
    pub calls: u32,
    pub prompt_tokens: u64,
    /// Of the largest prompt.
    pub peak_prompt_tokens: u64,
    pub cached_tokens: u64,
    /// Paid in full.
    pub fresh_tokens: u64,
    /// US dollars; absent where a model has no price.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Of the prompts.
    pub basis: Basis,
    /// Of what was read from a cache.
    pub cache: CacheBasis,
}

/// What is known of what was read from a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum CacheBasis {
    /// Reported for all calls.
    Reported,
    /// Predicted for some.
    Predicted,
    /// Reports say nothing of it.
    Unsaid,
}

/// A text that stands before the conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TextFigure {
    pub tokens: u64,
    pub hash: String,
}

/// A part of prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PartFigure {
    /// Over all calls.
    pub tokens: i64,
    /// In the call that carries most of it.
    pub largest: i64,
}

impl SessionFigures {
    pub(super) fn of(measured: &MeasuredSession<'_>, composition: &Composition) -> Self {
        let MeasuredSession { subject, analysis, caches, found, .. } = measured;
        let mut breaks = BTreeMap::new();
        for (call, loss) in measured.losses() {
            *breaks.entry(break_name(call, loss)).or_default() += 1;
        }
        let mut findings = BTreeMap::new();
        for finding in found {
            *findings.entry(finding.code.to_owned()).or_default() += 1;
        }
        let counting = analysis.tokenizers().map(|tokenizer| {
            let corrected = if tokenizer.fit().is_some() { ", corrected by reports" } else { "" };
            (tokenizer.model().to_owned(), format!("{}{corrected}", tokenizer.vocabulary().name()))
        });
        let agents = composition
            .agents
            .iter()
            .map(|(name, parts)| (name.to_string(), AgentFigures::of(measured, name, parts)))
            .collect();
        Self {
            title: subject.title.clone(),
            id: Some(subject.id.clone()).filter(|id| *id != subject.title && !is_made_up(id)),
            app: subject.app.app.name.to_string(),
            counting: counting.collect(),
            cost: caches.bill().cost_usd().map(rounded),
            agents,
            breaks,
            findings,
        }
    }

    /// What its prompts are made of, as far as it is kept.
    pub(super) fn composition(&self) -> Composition {
        let agents = self.agents.iter().map(|(name, agent)| (name.as_str().into(), agent.composition()));
        Composition { agents: agents.collect() }
    }

    pub(super) fn n_calls(&self) -> u32 {
        self.agents.values().map(|agent| agent.figures.calls).sum()
    }
}

/// What the prompts of a session are made of.
pub(super) fn composition_of(measured: &MeasuredSession<'_>) -> Composition {
    Composition::of(ComparedSession { experiment: &measured.subject.experiment, billed: measured.billed() })
}

/// An agent and why its call lost something, without what is another value in each run.
pub(super) fn break_name(call: &CallCache, loss: &Loss) -> String {
    format!("{}: {}", call.agent, breaks::title(&loss.cause, &call.agent))
}

/// Whether a program made an id up, as a UUID: such ids are others in each run.
fn is_made_up(id: &str) -> bool {
    id.len() >= MIN_MADE_UP && id.chars().all(|letter| letter.is_ascii_hexdigit() || letter == '-')
}

fn rounded(dollars: f64) -> f64 {
    (dollars * KEPT_DOLLARS).round() / KEPT_DOLLARS
}

impl AgentFigures {
    fn of(measured: &MeasuredSession<'_>, agent: &str, parts: &AgentComposition) -> Self {
        let (system, tools) = texts(measured, agent).unwrap_or_default();
        let part = |((kind, what), part): (&(CauseKind, _), &CarriedPart)| {
            let name = format!("{} {what}", kind.code());
            (name.trim_end().to_owned(), PartFigure { tokens: part.tokens, largest: part.largest })
        };
        Self {
            figures: Figures::of(measured, agent),
            system,
            tools,
            parts: parts.parts.iter().map(part).collect(),
        }
    }

    fn composition(&self) -> AgentComposition {
        let part = |(name, part): (&String, &PartFigure)| {
            let (kind, what) = name.split_once(' ').unwrap_or((name, ""));
            let kind = CauseKind::from_code(kind)?;
            let carried = CarriedPart { tokens: part.tokens, largest: part.largest, call: 0 };
            Some(((kind, what.into()), carried))
        };
        AgentComposition { calls: self.figures.calls, parts: self.parts.iter().filter_map(part).collect() }
    }
}

impl Figures {
    fn of(measured: &MeasuredSession<'_>, agent: &str) -> Self {
        let calls = || measured.calls(Some(agent)).filter(|call| !call.bill.is_pending);
        let bill = BillTotals::of(calls().map(|call| &call.bill));
        let paid = bill.calls - bill.unpaid_calls;
        let cache = match (bill.cache_reported_calls, bill.cache_unsaid_calls) {
            (reported, _) if reported == paid => CacheBasis::Reported,
            (_, unsaid) if unsaid == paid => CacheBasis::Unsaid,
            _ => CacheBasis::Predicted,
        };
        Self {
            calls: bill.calls,
            prompt_tokens: bill.prompt_tokens,
            peak_prompt_tokens: calls().map(|call| call.bill.prompt_tokens).max().unwrap_or(0).into(),
            cached_tokens: bill.cached_tokens,
            fresh_tokens: bill.fresh_tokens(),
            cost: bill.cost_usd().map(rounded),
            basis: bill.basis.into(),
            cache,
        }
    }
}

/// The system instruction and the declarations of an agent's first call.
fn texts(measured: &MeasuredSession<'_>, agent: &str) -> Option<(TextFigure, BTreeMap<String, TextFigure>)> {
    let call = measured.compiled(measured.calls(Some(agent)).next()?.call)?;
    let scale = measured.subject.scale(measured.analysis, measured.tables, call).ok()?;
    let weigh = SegmentScale::new(scale, &call.request);
    let (mut system, mut tools) = ((0, String::new()), BTreeMap::new());
    for segment in prompt_segments(&call.request) {
        let tokens = u64::from(weigh.count(&segment).tokens);
        match (&segment.item, &segment.path) {
            // As one text: into how many blocks it falls depends on what is known of it.
            (Item::System(_), _) => {
                system.0 += tokens;
                system.1 += &segment.text();
            }
            (Item::Declaration(_) | Item::BuiltInTool { .. }, Path::Tool { .. }) => {
                let name = segment.path.to_string().trim_start_matches("tool.").to_owned();
                tools.insert(name, text_figure(tokens, Fingerprint::of(segment.text().as_bytes())));
            }
            _ => {}
        }
    }
    let hash = Fingerprint::default().then(Fingerprint::of(system.1.as_bytes()));
    Some((text_figure(system.0, hash), tools))
}

/// Half of the hash tells texts apart as well, and is read more easily.
fn text_figure(tokens: u64, hash: Fingerprint) -> TextFigure {
    TextFigure { tokens, hash: format!("{:016x}", (hash.0 >> 64) as u64) }
}

#[cfg(test)]
mod tests {
    use super::is_made_up;

    #[test]
    fn ids_of_programs_are_told_from_those_of_people() {
        assert!(is_made_up("0b6d1d8e-5a3f-4a0e-9c53-2f1f7a3a9d11"));
        assert!(is_made_up("1795170000123456"));
        for kept in ["parcel", "s1", "2026-11-27", "deadbeef", "refund-with-a-voucher"] {
            assert!(!is_made_up(kept), "{kept}");
        }
    }
}
