//! How far a session is from the limit of its model.

use serde::Serialize;
use strata_measure::analysis::CallCache;

use super::opened::OpenedSession;
use crate::api::common::Basis;
use crate::show::context_window;

/// Calls whose growth is told.
const LOOKED_AT: usize = 20;

/// What is left of a context window.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RoomReport {
    pub agent: String,
    pub model: String,
    /// The last call of the agent.
    pub call: u32,
    /// Its prompt, as its provider counts it.
    pub used_tokens: u32,
    pub basis: Basis,
    /// The longest prompt of the model, where that is known.
    pub limit_tokens: Option<u32>,
    /// Who says so.
    pub limit_source: Option<String>,
    /// The prompts of the agent's last calls, from the last one that got shorter on: the first and the last of them.
    pub grown_from: u32,
    pub grown_calls: u32,
    /// Tokens per call over these, where there are two at least.
    pub growth_per_call: Option<f64>,
    /// Calls until the limit, at this growth.
    pub calls_left: Option<u32>,
    /// Prompts of the agent that were shorter than the one before by more than half: after a summary or a new beginning.
    pub drops: Vec<Drop>,
}

/// A prompt that was much shorter than the one before.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Drop {
    pub call: u32,
    pub from_tokens: u32,
    pub to_tokens: u32,
}

/// The room that is left to the agent of the first call, whose last prompt it is about. `None` without calls.
pub fn room(opened: &OpenedSession) -> Option<RoomReport> {
    let OpenedSession { subject, tables, compiled, .. } = opened;
    let calls = &compiled.caches.calls;
    let agent = &calls.first()?.agent;
    let own: Vec<&CallCache> =
        calls.iter().filter(|call| call.agent == *agent && !call.bill.is_unpaid).collect();
    let last = own.last()?;
    let size = |call: &CallCache| call.bill.prompt_tokens;
    let pairs = || own.windows(2).filter_map(|pair| Some((*pair.first()?, *pair.last()?)));
    let drops = pairs().filter(|(before, after)| size(after) < size(before) / 2);
    let drops: Vec<Drop> = drops
        .map(|(before, after)| Drop { call: after.call, from_tokens: size(before), to_tokens: size(after) })
        .collect();
    let since = pairs().rev().find(|(before, after)| size(after) < size(before)).map(|(_, after)| after.call);
    let growing: Vec<&&CallCache> =
        own.iter().filter(|call| since.is_none_or(|since| call.call >= since)).collect();
    let growing = &growing[growing.len().saturating_sub(LOOKED_AT)..];
    let first = growing.first().map_or(size(last), |call| size(call));
    let steps = growing.len().saturating_sub(1);
    let growth = (steps > 0).then(|| f64::from(size(last) - first) / steps as f64);
    let format = &subject.summary.format;
    let window = context_window(agent, format, &subject.experiment, compiled.billed(), &tables.prices);
    let left = |limit: u32, growth: f64| {
        (growth >= 1.0).then(|| (f64::from(limit.saturating_sub(size(last))) / growth) as u32)
    };
    Some(RoomReport {
        agent: agent.to_string(),
        model: last.model.to_string(),
        call: last.call,
        used_tokens: size(last),
        basis: last.bill.basis.into(),
        limit_tokens: window.as_ref().map(|window| window.tokens),
        grown_from: first,
        grown_calls: growing.len() as u32,
        growth_per_call: growth.map(|growth| (growth * 10.0).round() / 10.0),
        calls_left: window.as_ref().zip(growth).and_then(|(window, growth)| left(window.tokens, growth)),
        limit_source: window.map(|window| window.source),
        drops,
    })
}
