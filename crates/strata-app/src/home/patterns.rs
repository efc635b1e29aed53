//! Waste that comes back: findings that several sessions of a tool have.

use std::collections::{BTreeMap, BTreeSet};

use super::file::Found;
use super::joined::Joined;
use crate::api::home::HomePattern;

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

/// Of the sessions that are wanted, by the session each works for. The costliest first.
pub(crate) fn patterns(joined: &Joined, is_wanted: &dyn Fn(usize) -> bool, weeks: f64) -> Vec<HomePattern> {
    let mut patterns: BTreeMap<(&str, &str), Pattern<'_>> = BTreeMap::new();
    let mut examined: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for (at, found) in joined.examined() {
        let root = joined.root(at);
        if !is_wanted(root) {
            continue;
        }
        let tool = &*joined.sessions[root].tool;
        examined.entry(tool).or_default().insert(root);
        // Findings of one kind may be about the same tokens: the costliest stands for them.
        let mut codes = BTreeSet::new();
        for one in found.found.iter().filter(|one| codes.insert(&*one.code)) {
            let new = || Pattern { cost: Some(0.0), ..Pattern::default() };
            let pattern = patterns.entry((&one.code, tool)).or_insert_with(new);
            pattern.sessions.insert(root);
            pattern.tokens += one.tokens;
            pattern.cost = pattern.cost.zip(one.cost).map(|(sum, cost)| sum + cost);
            if pattern.worst.is_none_or(|worst| one.tokens > worst.tokens) {
                pattern.worst = Some(one);
            }
        }
    }
    let told = patterns.into_iter().filter_map(|((code, tool), pattern)| {
        let worst = pattern.worst.filter(|_| pattern.sessions.len() >= LEAST_SESSIONS)?;
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
