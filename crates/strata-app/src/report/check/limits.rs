//! Which budgets are checked of which calls.

use strata_measure::analysis::CallCache;

use super::budget::{Budget, Limits};
use super::checked::Checked;
use super::entry::Agent;
use super::found::Most;
use super::measure::MeasuredSession;

impl MeasuredSession<'_> {
    /// Checks a whole budget: what it says of all calls, then what it says of each agent that made some. `name` is what
    /// reports call the session.
    pub(super) fn check(&self, budget: &Budget, name: &str) -> Checked {
        let mut checked = self.check_limits(&budget.limits, None, budget);
        for agent in self.agents() {
            if let Some(limits) = budget.of_agent(agent) {
                checked.append(self.check_limits(limits, Some(agent), budget));
            }
        }
        for entry in &mut checked.budgets {
            name.clone_into(&mut entry.session);
            entry.line = budget.line_of(entry.agent.as_deref(), &entry.budget);
        }
        for failure in &mut checked.failures {
            name.clone_into(&mut failure.session);
            failure.line = budget.line_of(failure.agent.as_deref(), &failure.budget);
        }
        checked
    }

    /// What a table of an agent says of a single call or result holds in place of what is said for all.
    fn check_limits(&self, limits: &Limits, agent: Agent<'_>, budget: &Budget) -> Checked {
        let mut checked = Checked::default();
        let has_own = |call: &CallCache, says: fn(&Limits) -> bool| {
            agent.is_none() && budget.of_agent(&call.agent).is_some_and(says)
        };
        if let Some(limit) = limits.max_prompt_tokens {
            let calls =
                self.calls(agent).filter(|call| !has_own(call, |own| own.max_prompt_tokens.is_some()));
            self.prompts(limit, agent, calls, &mut checked);
        }
        if let Some(limit) = limits.max_session_tokens {
            self.session_tokens(limit, agent, &mut checked);
        }
        if let Some(limit) = limits.max_cost {
            self.cost(limit, agent, &mut checked);
        }
        if let Some(limit) = limits.min_cache_ratio {
            self.cache_ratio(limit, agent, &mut checked);
        }
        if let Some(limit) = limits.max_breaks {
            self.breaks(limit, agent, &mut checked);
        }
        if let Some(limit) = limits.max_tool_result_tokens {
            let calls =
                self.calls(agent).filter(|call| !has_own(call, |own| own.max_tool_result_tokens.is_some()));
            self.tool_results(limit, agent, calls, &mut checked);
        }
        for code in &limits.forbid {
            self.findings(code, Most::None, agent, &mut checked);
        }
        for (code, most) in &limits.max_findings {
            self.findings(code, Most::Times(*most), agent, &mut checked);
        }
        checked
    }
}
