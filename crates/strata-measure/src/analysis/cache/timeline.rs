//! The calls of a session as a provider meets them.

use std::cell::LazyCell;
use std::sync::Arc;

use strata_engine::Experiment;
use strata_model::{Event, LlmRequest, SharedList, Str};
use strata_wire::{CacheRule, CacheRules, Machine, Mark};

use super::reported::ReportedCounts;
use super::simulate::{Asked, SentCall};
use crate::analysis::call::CallAnalysis;
use crate::analysis::setting_change::SettingChange;

/// When each call was made, by whom, and by which rule.
#[derive(Debug, Clone, Default)]
pub(crate) struct Timeline {
    pub rules: Vec<Arc<CacheRule>>,
    pub times: Vec<f64>,
    /// What each call asks to be kept.
    pub asked: Vec<Asked>,
    /// Some request of the session has marks: those without them ask for nothing.
    pub has_marks: bool,
    /// Calls that mark a part of their prompt at most.
    pub partly: Vec<bool>,
    /// How long what a call wrote is kept, as its provider says or as it was asked.
    pub lifetimes: Vec<Option<f64>>,
    /// The agent for which all marks are taken to have another lifetime.
    forced: Option<(Str, f64)>,
    pub previous: Vec<Option<u32>>,
    pub agents: Vec<Str>,
    pub branches: Vec<Option<Str>>,
    pub lineages: Vec<u32>,
    /// Settings that empty the cache and are others than in the call before of the lineage.
    pub resets: Vec<Vec<SettingChange>>,
    /// Calls of a lineage with the same values for such settings have the same number.
    pub settings: Vec<u32>,
    pub unpaid: Vec<bool>,
}

impl Timeline {
    pub(crate) fn of(experiment: &Experiment, calls: &SharedList<CallAnalysis>, rules: &CacheRules) -> Self {
        let mut timeline = Self::default();
        timeline.go_on(experiment, calls, rules);
        timeline
    }

    /// Adds the calls behind those that are in it.
    pub(super) fn go_on(
        &mut self,
        experiment: &Experiment,
        calls: &SharedList<CallAnalysis>,
        rules: &CacheRules,
    ) {
        let marks =
            |request: &LlmRequest| request.cache_marks.as_ref().is_some_and(|asked| !asked.marks.is_empty());
        self.has_marks = experiment.recorded_requests().any(marks);
        // Looked for where a request leaves it open, which few do.
        let is_cache_told = LazyCell::new(|| {
            let told = |event: &Arc<Event>| {
                ReportedCounts::of_answer(event.usage_metadata.as_deref(), event.custom_metadata.as_ref())
            };
            let mut reports = experiment.session().events.iter().filter_map(told);
            reports.any(|report| report.has_cache())
        });
        for call in calls.range(self.rules.len()..calls.len()) {
            let made = experiment.call(call.number);
            let answer = made.and_then(|made| experiment.session().events.get(made.answer.as_usize()));
            let rule = self.known(calls, call).unwrap_or_else(|| rules.of_model(&call.sent_to)).clone();
            let previous = call.previous.map(|previous| previous as usize - 1);
            self.times.push(answer.map_or(0.0, |event| event.timestamp));
            let report = ReportedCounts::of_call(experiment, call);
            let marked = call.matches.marked.as_ref();
            // Somebody on the way may have asked for more than the client did.
            let is_own = marked.is_some_and(|marked| {
                // Where nobody is seen to ask and nothing was seen to be found, nobody is taken to have asked.
                let is_known = marked.is_sure || self.has_marks || !*is_cache_told;
                !marked.own.is_empty() || (is_known && !report.is_some_and(|report| report.has_cache()))
            });
            let said = report.and_then(|report| report.lifetime_s).map(f64::from);
            let before = previous.and_then(|at| self.lifetimes[at]);
            let by_marks = marked.filter(|_| is_own).and_then(|marked| {
                marked
                    .own
                    .iter()
                    .any(|prefix| prefix.lifetime_s.is_some())
                    .then(|| marked.own.last()?.lifetime_s)
            });
            self.lifetimes.push(match by_marks {
                Some(lifetime_s) => lifetime_s.map(f64::from).or(rule.lifetime_s),
                None => said.or(before),
            });
            self.asked.push(if is_own { Asked::Own } else { Asked::Unknown });
            self.partly.push(is_own && marked.is_some_and(|marked| !marked.is_at_end()));
            self.previous.push(call.previous);
            self.agents.push(made.map(|made| made.invocation.agent.clone()).unwrap_or_default());
            self.branches.push(made.and_then(|made| made.invocation.branch.clone()));
            self.lineages.push(previous.map_or(call.number, |at| self.lineages[at]));
            self.resets.push(previous.map_or_else(Vec::new, |at| changed_settings(&calls[at], call, &rule)));
            self.settings.push(self.settings_of(calls, call, &rule));
            self.unpaid.push(call.is_unpaid);
            self.rules.push(rule);
        }
    }

    /// Keeps the first calls.
    pub(super) fn truncate(&mut self, n_calls: usize) {
        let Self { rules, times, asked, partly, lifetimes, forced: _, previous, agents, branches, .. } = self;
        rules.truncate(n_calls);
        times.truncate(n_calls);
        asked.truncate(n_calls);
        partly.truncate(n_calls);
        previous.truncate(n_calls);
        lifetimes.truncate(n_calls);
        agents.truncate(n_calls);
        branches.truncate(n_calls);
        self.lineages.truncate(n_calls);
        self.resets.truncate(n_calls);
        self.settings.truncate(n_calls);
        self.unpaid.truncate(n_calls);
    }

    /// The number of the call's settings: that of an earlier call of the lineage with the same, or its own.
    fn settings_of(&self, calls: &SharedList<CallAnalysis>, call: &CallAnalysis, rule: &CacheRule) -> u32 {
        let mut differing = Vec::new();
        let mut earlier = call.previous;
        while let Some(number) = earlier {
            let at = number as usize - 1;
            let settings = self.settings[at];
            if !differing.contains(&settings) {
                if changed_settings(&calls[at], call, rule).is_empty() {
                    return settings;
                }
                differing.push(settings);
            }
            earlier = calls[at].previous;
        }
        call.number
    }

    /// The rule of an earlier call to the same model.
    fn known(&self, calls: &SharedList<CallAnalysis>, call: &CallAnalysis) -> Option<&Arc<CacheRule>> {
        let before = calls.range(0..self.rules.len()).rposition(|known| known.sent_to == call.sent_to)?;
        Some(&self.rules[before])
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
        self.forced = Some((agent.into(), lifetime_s));
        self
    }

    /// Calls of an agent ask for their prompts to be kept up to one of the usual marks, perhaps for another time than usual.
    pub(super) fn marked(mut self, agent: &str, last: Mark, lifetime_s: Option<u32>) -> Self {
        for (at, asked) in self.asked.iter_mut().enumerate() {
            if *self.agents[at] == *agent {
                *asked = Asked::UpTo(last);
            }
        }
        match lifetime_s {
            Some(lifetime_s) => self.kept_for(agent, f64::from(lifetime_s)),
            None => self,
        }
    }

    /// The longest time for which calls of an agent can ask to be kept, where that is longer than what they get unasked.
    pub(super) fn longest_lifetime_s(&self, agent: &str) -> Option<u32> {
        let rules = self.rules.iter().zip(&self.agents).filter(|(_, of)| ***of == *agent);
        let longer = rules.filter_map(|(rule, _)| {
            rule.longest_lifetime_s.filter(|longest| Some(*longest) > rule.lifetime_s)
        });
        longer.map(|seconds| seconds as u32).max()
    }

    /// Whether the provider of a call keeps what is marked and nothing else.
    pub(super) fn needs_marks(&self, at: usize) -> bool {
        matches!(self.rules[at].machine, Machine::Breakpoints { .. })
    }

    /// Whether a call is known to leave the end of the conversation unmarked, which later ones send again.
    pub(super) fn is_unmarked(&self, at: usize) -> bool {
        self.needs_marks(at) && self.partly[at]
    }

    pub(crate) fn sent(&self, at: usize) -> SentCall<'_> {
        SentCall {
            rule: &self.rules[at],
            at_s: self.times[at],
            asked: self.asked[at],
            forced_lifetime_s: self
                .forced
                .as_ref()
                .filter(|(of, _)| *of == self.agents[at])
                .map(|(_, time)| *time),
            previous: self.previous[at],
            reported: None,
            size: None,
            lifetime_s: self.lifetimes[at],
            settings: self.settings[at],
            is_unpaid: self.unpaid[at],
        }
    }
}

fn changed_settings(before: &CallAnalysis, now: &CallAnalysis, rule: &CacheRule) -> Vec<SettingChange> {
    let change = |name: &String| SettingChange::between(name, &before.request, &now.request);
    rule.resets.iter().filter_map(change).collect()
}
