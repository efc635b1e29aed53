//! The calls of a session as a provider meets them.

use strata_engine::Experiment;
use strata_model::{SharedList, Str};
use strata_wire::{CacheRule, CacheRules, settings};

use super::reported::ReportedCounts;
use super::simulate::SentCall;
use crate::analysis::call::CallAnalysis;

/// When each call was made, by whom, and by which rule.
pub(crate) struct Timeline<'r> {
    pub rules: Vec<&'r CacheRule>,
    pub times: Vec<f64>,
    /// What the provider says of how long it keeps what a call wrote.
    pub lifetimes: Vec<Option<f64>>,
    pub agents: Vec<Str>,
    pub branches: Vec<Option<Str>>,
    pub lineages: Vec<u32>,
    /// Settings that empty the cache and are others than in the call before of the lineage.
    pub resets: Vec<Vec<String>>,
    pub unpaid: Vec<bool>,
}

impl<'r> Timeline<'r> {
    pub(crate) fn of(
        experiment: &Experiment,
        calls: &SharedList<CallAnalysis>,
        rules: &'r CacheRules,
    ) -> Self {
        let mut timeline = Self {
            rules: Vec::new(),
            times: Vec::new(),
            lifetimes: Vec::new(),
            agents: Vec::new(),
            branches: Vec::new(),
            lineages: Vec::new(),
            resets: Vec::new(),
            unpaid: Vec::new(),
        };
        for call in calls {
            let made = experiment.call(call.number);
            let answer = made.and_then(|made| experiment.session().events.get(made.answer.as_usize()));
            let rule = timeline.known(calls, call).unwrap_or_else(|| rules.of_model(&call.sent_to));
            let previous = call.previous.map(|previous| previous as usize - 1);
            timeline.times.push(answer.map_or(0.0, |event| event.timestamp));
            let said = ReportedCounts::of_call(experiment, call).and_then(|report| report.lifetime_s);
            let before = previous.and_then(|at| timeline.lifetimes[at]);
            timeline.lifetimes.push(said.map(f64::from).or(before));
            timeline.agents.push(made.map(|made| made.invocation.agent.clone()).unwrap_or_default());
            timeline.branches.push(made.and_then(|made| made.invocation.branch.clone()));
            timeline.lineages.push(previous.map_or(call.number, |at| timeline.lineages[at]));
            timeline
                .resets
                .push(previous.map_or_else(Vec::new, |at| changed_settings(&calls[at], call, rule)));
            timeline.unpaid.push(call.is_unpaid);
            timeline.rules.push(rule);
        }
        timeline
    }

    /// The rule of an earlier call to the same model.
    fn known(&self, calls: &SharedList<CallAnalysis>, call: &CallAnalysis) -> Option<&'r CacheRule> {
        let before = calls.range(0..self.rules.len()).rposition(|known| known.sent_to == call.sent_to)?;
        Some(self.rules[before])
    }

    /// What the call wrote is kept for longer than the provider does unasked.
    pub(crate) fn is_kept_long(&self, at: usize) -> bool {
        let lifetime_s = self.lifetimes[at].zip(self.rules[at].lifetime_s);
        lifetime_s.is_some_and(|(asked, usual)| asked > usual)
    }

    /// Calls of an agent ask for a prefix to be kept for so long.
    pub(super) fn kept_for(mut self, agent: &str, lifetime_s: f64) -> Self {
        for (at, lifetime) in self.lifetimes.iter_mut().enumerate() {
            if *self.agents[at] == *agent {
                *lifetime = Some(lifetime_s);
            }
        }
        self
    }

    pub(crate) fn sent(&self, at: usize) -> SentCall<'r> {
        SentCall {
            rule: self.rules[at],
            at_s: self.times[at],
            lifetime_s: self.lifetimes[at],
            is_reset: !self.resets[at].is_empty(),
            is_unpaid: self.unpaid[at],
        }
    }
}

fn changed_settings(before: &CallAnalysis, now: &CallAnalysis, rule: &CacheRule) -> Vec<String> {
    let value = |call: &CallAnalysis, name: &str| {
        let path = format!("config.{name}");
        let found = settings(&call.request).find(|segment| segment.path.to_string() == path);
        found.map(|segment| segment.text().into_owned())
    };
    rule.resets.iter().filter(|name| value(before, name) != value(now, name)).cloned().collect()
}
