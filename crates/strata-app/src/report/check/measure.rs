//! A session with everything that budgets and baselines are about.

use strata_measure::analysis::{
    BillTotals, BilledCalls, CacheAnalysis, CallAnalysis, CallCache, Loss, SessionAnalysis,
};
use strata_measure::findings::{Finding, findings};
use strata_measure::remedies::Writer;

use super::super::compiled::Compiled;
use super::super::source::Subject;
use super::blame::{self, Block};
use super::entry::Agent;
use crate::tables::Tables;

/// A session, what its calls come to, and what was found in it.
pub(super) struct MeasuredSession<'s> {
    pub subject: &'s Subject,
    pub analysis: &'s SessionAnalysis,
    pub tables: &'s Tables,
    pub caches: &'s CacheAnalysis,
    pub found: Vec<Finding>,
}

impl<'s> MeasuredSession<'s> {
    pub(super) fn of(subject: &'s Subject, compiled: &'s Compiled, tables: &'s Tables) -> Self {
        let Compiled { analysis, caches, .. } = compiled;
        let found = findings(&subject.experiment, compiled.billed(), &tables.counting);
        Self { subject, analysis, tables, caches, found }
    }

    pub(super) fn billed(&self) -> BilledCalls<'s> {
        BilledCalls { analysis: self.analysis, caches: self.caches }
    }

    pub(super) fn writer(&self) -> Writer {
        Writer::of(&self.subject.format_name, &self.subject.experiment)
    }

    pub(super) fn n_calls(&self, agent: Agent<'_>) -> usize {
        self.calls(agent).count()
    }

    /// Whether the session's app has an agent of that name.
    pub(super) fn is_of_app(&self, agent: &str) -> bool {
        self.subject.experiment.index().find(agent).is_some()
    }

    /// Those that made calls.
    pub(super) fn agents(&self) -> Vec<&str> {
        let mut agents: Vec<&str> = Vec::new();
        for call in &self.caches.calls {
            if !agents.contains(&&*call.agent) {
                agents.push(&call.agent);
            }
        }
        agents
    }

    pub(super) fn calls(&self, agent: Agent<'_>) -> impl Iterator<Item = &CallCache> {
        self.caches.calls.iter().filter(move |call| agent.is_none_or(|agent| *call.agent == *agent))
    }

    /// Calls that lost something, the dearest first. A prefix that broke where nothing was cached lost nothing.
    pub(super) fn losses(&self) -> impl Iterator<Item = (&CallCache, &Loss)> {
        self.caches.losses().into_iter().filter(|(_, loss)| loss.tokens > 0)
    }

    pub(super) fn compiled(&self, call: u32) -> Option<&CallAnalysis> {
        self.analysis.call(call)
    }

    pub(super) fn largest_block(&self, call: u32) -> Option<Block> {
        blame::largest(self.subject, self.analysis, self.tables, self.compiled(call)?)
    }

    /// The call with the largest prompt.
    pub(super) fn largest_call<'c>(calls: impl Iterator<Item = &'c CallCache>) -> Option<&'c CallCache> {
        calls.max_by_key(|call| (call.bill.prompt_tokens, std::cmp::Reverse(call.call)))
    }

    /// Summaries are nobody's: they are in the bill of the whole session.
    pub(super) fn bill(&self, agent: Agent<'_>) -> BillTotals {
        match agent {
            None => self.caches.bill(),
            Some(_) => BillTotals::of(self.calls(agent).map(|call| &call.bill)),
        }
    }
}
