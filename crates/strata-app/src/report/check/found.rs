//! How often something may be found.

use strata_measure::findings::Finding;

use super::super::origin;
use super::checked::{Amount, Checked};
use super::entry::{Agent, Budgeted, Failure};
use super::measure::MeasuredSession;
use crate::open::finding_cost;

/// How often something may be found at most.
#[derive(Debug, Clone, Copy)]
pub(super) enum Most {
    /// Never: it is forbidden.
    None,
    Times(u64),
}

impl MeasuredSession<'_> {
    /// `code` is that of findings, or their kind.
    pub(super) fn findings(&self, code: &str, most: Most, agent: Agent<'_>, checked: &mut Checked) {
        let is_of_agent = |finding: &&Finding| {
            let mut numbers = finding.calls.iter().flat_map(|range| range.first..=range.last);
            agent.is_none_or(|agent| {
                numbers.any(|call| self.caches.call(call).is_some_and(|call| *call.agent == *agent))
            })
        };
        let found: Vec<&Finding> =
            self.found.iter().filter(|finding| is_called(finding, code)).filter(is_of_agent).collect();
        let times = Amount::Times(found.len() as u64);
        let (budget, is_kept) = match most {
            Most::None => {
                (Budgeted::new("forbid", agent, Amount::Code(code.to_owned()), times), found.is_empty())
            }
            Most::Times(most) => {
                let name = format!("max_findings.{code}");
                (Budgeted::new(&name, agent, Amount::Times(most), times), found.len() as u64 <= most)
            }
        };
        checked.budgets.push(budget.report(is_kept));
        for finding in found.into_iter().filter(|_| !is_kept) {
            let event = finding.events.first().map(|event| format!("E{}", event.number()));
            let call = finding.calls.first().map(|range| range.first);
            let stage = call.and_then(|call| self.caches.call(call)?.loss.as_ref()?.stage.clone());
            checked.failures.push(budget.failure(Failure {
                call,
                stage: stage.map(|stage| stage.to_string()),
                origin: finding.origins.first().map(origin::text).or(event),
                cost: finding_cost(finding, &self.tables.prices),
                message: format!("{} {}", finding.message, finding.advice_for(self.writer())),
            }));
        }
    }
}

fn is_called(finding: &Finding, code: &str) -> bool {
    finding.code == code || finding.kind.name() == code
}
