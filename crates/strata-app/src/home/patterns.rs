//! Waste that comes back: findings that several sessions of a tool have.

use std::collections::{BTreeMap, BTreeSet};

use super::file::Found;
use super::joined::Joined;
use crate::api::home::HomePattern;
use crate::api::usage::UsageSums;

/// Those that are told.
const MOST: usize = 12;
/// What one session has does not come back.
const LEAST_SESSIONS: usize = 2;

#[derive(Default)]
struct Pattern<'f> {
    sessions: BTreeSet<usize>,
    tokens: u64,
    /// `None` once a price was not known.
    cost: Option<f64>,
    /// The costliest of them.
    worst: Option<&'f Found>,
}

/// A finding counts failed calls, too, and takes what it does not know for paid in full: it cannot have cost more than all
/// calls did. `None` where that is not known.
pub(crate) fn no_more_than_paid(cost: Option<f64>, paid: &UsageSums) -> Option<f64> {
    cost.zip(paid.cost).map(|(cost, paid)| cost.min(paid))
}

/// Of the sessions that are wanted, with what their calls came to. The costliest first.
pub(crate) fn patterns(joined: &Joined, wanted: &BTreeMap<usize, UsageSums>, weeks: f64) -> Vec<HomePattern> {
    let mut patterns: BTreeMap<(&str, &str), Pattern<'_>> = BTreeMap::new();
    let mut examined: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (at, found) in joined.examined() {
        let root = joined.root(at);
        let Some(paid) = wanted.get(&root) else { continue };
        let tool = &*joined.sessions[root].tool;
        examined.entry(tool).or_default().insert(root);
        // Findings of one kind may be about the same tokens: the costliest stands for them.
        let mut codes = BTreeSet::new();
        for one in found.found.iter().filter(|one| codes.insert(&*one.code)) {
            let new = || Pattern { cost: Some(0.0), ..Pattern::default() };
            let pattern = patterns.entry((&one.code, tool)).or_insert_with(new);
            pattern.sessions.insert(root);
            pattern.tokens += one.tokens.min(paid.input_tokens);
            pattern.cost = pattern.cost.zip(no_more_than_paid(one.cost, paid)).map(|(sum, cost)| sum + cost);
            if pattern.worst.is_none_or(|worst| one.tokens > worst.tokens) {
                pattern.worst = Some(one);
            }
        }
    }
    let told = patterns.into_iter().filter_map(|((code, tool), pattern)| {
        let worst =
            pattern.worst.filter(|_| pattern.sessions.len() >= LEAST_SESSIONS && pattern.tokens > 0)?;
        Some(HomePattern {
            code: code.to_owned(),
            title: worst.title.clone(),
            advice: worst.advice.clone(),
            tool: tool.to_owned(),
            sessions: pattern.sessions.len() as u32,
            of_sessions: examined.get(tool).map_or(0, BTreeSet::len) as u32,
            tokens: pattern.tokens,
            cost_per_week: pattern.cost.map(|cost| cost / weeks),
            tokens_per_week: pattern.tokens as f64 / weeks,
            remedy: worst.remedy.clone(),
        })
    });
    let mut told: Vec<_> = told.collect();
    told.sort_by(|a, b| {
        let worth = |pattern: &HomePattern| pattern.cost_per_week.unwrap_or(0.0);
        worth(b).total_cmp(&worth(a)).then(b.tokens.cmp(&a.tokens))
    });
    told.truncate(MOST);
    told
}
