//! What calls may cost, how much of them a cache has to give, and how often it may break.

use strata_measure::analysis::{CallCache, Loss};

use super::super::origin;
use super::checked::{Amount, Checked};
use super::entry::{Agent, Budgeted, Failure};
use super::measure::MeasuredSession;
use crate::show::words::{counted, whole};

/// A call of a model whose price is not known.
pub(super) struct Unpriced {
    /// None: summaries.
    call: Option<u32>,
    model: String,
}

impl MeasuredSession<'_> {
    /// Nobody can say that a cost keeps to a limit while a part of it is unknown.
    pub(super) fn cost(&self, limit: f64, agent: Agent<'_>, checked: &mut Checked) {
        let actual = self.dollars(agent);
        let amount = actual.as_ref().map_or(Amount::Unknown, |dollars| Amount::Dollars(*dollars));
        let budget = Budgeted::new("max_cost", agent, Amount::Dollars(limit), amount);
        let is_kept = actual.as_ref().is_ok_and(|actual| *actual <= limit);
        budget.enter(is_kept, checked, || {
            let dollars = match &actual {
                Ok(dollars) => *dollars,
                Err(Unpriced { call, model }) => {
                    let what = call.map_or("writing its summaries".to_owned(), |call| format!("C{call}"));
                    let message = format!(
                        "No price of {model} is known, so it is not known what {what} costs. Give the agents whose \
                         models have a price budgets of their own."
                    );
                    return Failure { call: *call, ..Failure::of_block(None, message) };
                }
            };
            let cost = |call: &CallCache| call.bill.cost_usd().unwrap_or(0.0);
            let dearest = self.calls(agent).max_by(|a, b| cost(a).total_cmp(&cost(b)));
            let summaries = match self.bill(agent).summaries.summaries {
                0 => String::new(),
                n => format!(" and {}", counted(n as usize, "summary")),
            };
            let limit_said = if limit < 0.0001 { limit.to_string() } else { format!("{limit:.4}") };
            let message = format!(
                "{}{summaries} cost ${dollars:.4}, ${:.4} more than ${limit_said}.",
                counted(self.n_calls(agent), "call"),
                dollars - limit
            );
            let block = dearest.and_then(|call| self.largest_block(call.call));
            let call = dearest.map(|call| call.call);
            Failure { call, cost: Some(dollars), ..Failure::of_block(block, message) }
        });
    }

    /// US dollars of all calls, and of the summaries of a whole session; or what has no price.
    pub(super) fn dollars(&self, agent: Agent<'_>) -> Result<f64, Unpriced> {
        let bill = self.bill(agent);
        if let Some(call) = self.calls(agent).find(|call| call.bill.cost.is_none()) {
            let model = if call.model.is_empty() { "a model that nothing names" } else { &*call.model };
            return Err(Unpriced { call: Some(call.call), model: model.to_owned() });
        }
        if bill.summaries.cost.is_none() {
            return Err(Unpriced { call: None, model: "the model that wrote summaries".to_owned() });
        }
        Ok(bill.cost_usd().unwrap_or(0.0))
    }

    pub(super) fn cache_ratio(&self, limit: f64, agent: Agent<'_>, checked: &mut Checked) {
        let bill = self.bill(agent);
        let (actual, prompts) = (bill.cache_ratio(), bill.paid_tokens());
        let budget = Budgeted::new("min_cache_ratio", agent, Amount::Share(limit), Amount::Share(actual));
        budget.enter(actual >= limit, checked, || {
            let worst = self.losses().find(|(call, _)| agent.is_none_or(|agent| *call.agent == *agent));
            let why = worst.map_or(String::new(), |(call, loss)| {
                let why = loss.cause.sentence(&self.subject.experiment);
                format!(" C{} lost most, {} tokens: {why}.", call.call, whole(loss.tokens))
            });
            let message = format!(
                "{:.1} % of {} prompt tokens were found in a cache, less than {:.1} %.{why}",
                actual * 100.0,
                whole(prompts as i64),
                limit * 100.0
            );
            Failure {
                call: worst.map(|(call, _)| call.call),
                stage: worst.and_then(|(_, loss)| loss.stage.as_ref()).map(ToString::to_string),
                origin: worst.and_then(|(_, loss)| loss.origin.as_ref()).map(origin::text),
                cost: worst.and_then(|(_, loss)| loss.cost_usd),
                message,
            }
        });
    }

    pub(super) fn breaks(&self, limit: u64, agent: Agent<'_>, checked: &mut Checked) {
        let is_of_agent = |(call, _): &(&CallCache, &Loss)| agent.is_none_or(|agent| *call.agent == *agent);
        let of_agent: Vec<_> = self.losses().filter(is_of_agent).collect();
        let actual = of_agent.len() as u64;
        let budget = Budgeted::new("max_breaks", agent, Amount::Times(limit), Amount::Times(actual));
        budget.enter(actual <= limit, checked, || {
            let worst = of_agent.first();
            let why = worst.map_or(String::new(), |(call, loss)| {
                let why = loss.cause.sentence(&self.subject.experiment);
                format!(" C{} lost most, {} tokens: {why}.", call.call, whole(loss.tokens))
            });
            let message = format!(
                "{} lost something that a cache could have given, {} at most.{why}",
                counted(of_agent.len(), "call"),
                whole(limit as i64)
            );
            Failure {
                call: worst.map(|(call, _)| call.call),
                stage: worst.and_then(|(_, loss)| loss.stage.as_ref()).map(ToString::to_string),
                origin: worst.and_then(|(_, loss)| loss.origin.as_ref()).map(origin::text),
                cost: of_agent.iter().map(|(_, loss)| loss.cost_usd).sum(),
                message,
            }
        });
    }
}
