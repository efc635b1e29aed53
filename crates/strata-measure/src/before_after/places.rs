//! Aligned calls of one side by their agents, for sums over ranges of calls.

use std::collections::BTreeMap;

use strata_model::Str;

use super::align::AlignedCalls;
use super::call_costs::PairCost;
use super::cause::Side;
use crate::analysis::SentRun;

/// The calls of each agent that the other side has, too.
#[derive(Default)]
pub(super) struct AgentCalls {
    by_agent: BTreeMap<Str, Calls>,
}

#[derive(Default)]
struct Calls {
    /// In their order.
    numbers: Vec<u32>,
    /// Dollars a token, summed up to each of them; the first is that of none.
    per_token: Vec<f64>,
}

/// Some of an agent's calls.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct CallSums {
    pub calls: u64,
    /// Dollars a token, over all of them.
    pub per_token: f64,
    pub first: Option<u32>,
}

impl AgentCalls {
    pub(super) fn of<'c>(side: Side, pairs: impl Iterator<Item = (&'c AlignedCalls, &'c PairCost)>) -> Self {
        let mut calls: Vec<(u32, &Str, f64)> =
            pairs.filter_map(|(calls, cost)| Some((calls.on(side)?, &calls.agent, cost.per_token))).collect();
        calls.sort_by_key(|(call, ..)| *call);
        let mut by_agent: BTreeMap<Str, Calls> = BTreeMap::new();
        for (number, agent, per_token) in calls {
            let of_agent = by_agent.entry(agent.clone()).or_default();
            if of_agent.per_token.is_empty() {
                of_agent.per_token.push(0.0);
            }
            let before = of_agent.per_token.last().copied().unwrap_or(0.0);
            of_agent.numbers.push(number);
            of_agent.per_token.push(before + per_token);
        }
        Self { by_agent }
    }

    /// The calls of some runs, agent by agent, each that has some.
    pub(super) fn within(&self, runs: &[SentRun]) -> Vec<(&Str, CallSums)> {
        let sums = self.by_agent.iter().map(|(agent, calls)| {
            let mut sums = CallSums::default();
            for run in runs {
                let from = calls.numbers.partition_point(|number| *number < run.first_call);
                let to = calls.numbers.partition_point(|number| *number <= run.last_call);
                if from < to {
                    sums.calls += (to - from) as u64;
                    sums.per_token += calls.per_token[to] - calls.per_token[from];
                    sums.first = sums.first.or(Some(calls.numbers[from]));
                }
            }
            (agent, sums)
        });
        sums.filter(|(_, sums)| sums.calls > 0).collect()
    }
}
