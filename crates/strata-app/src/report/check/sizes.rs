//! How large prompts may be.

use strata_measure::analysis::CallCache;

use super::checked::{Amount, Checked};
use super::entry::{Agent, Budgeted, Failure};
use super::measure::MeasuredSession;
use crate::show::words::{counted, whole};

impl MeasuredSession<'_> {
    pub(super) fn prompts<'c>(
        &self,
        limit: u64,
        agent: Agent<'_>,
        calls: impl Iterator<Item = &'c CallCache>,
        checked: &mut Checked,
    ) {
        let calls: Vec<_> = calls.collect();
        let Some(worst) = Self::largest_call(calls.iter().copied()) else { return };
        let actual = u64::from(worst.bill.prompt_tokens);
        let n_over = calls.iter().filter(|call| u64::from(call.bill.prompt_tokens) > limit).count();
        let budget = Budgeted::new("max_prompt_tokens", agent, Amount::Tokens(limit), Amount::Tokens(actual));
        budget.enter(actual <= limit, checked, || {
            let block = self.largest_block(worst.call);
            let most = block.as_ref().map_or(String::new(), |block| {
                let tokens = counted(block.tokens as usize, "token");
                format!("; the largest block of it is {}, {tokens}", block.name)
            });
            let message = format!(
                "C{} has a prompt of {} tokens{most}. {} over the limit of {}.",
                worst.call,
                whole(worst.bill.prompt_tokens),
                if n_over == 1 {
                    "It alone is".to_owned()
                } else {
                    format!("{} are", counted(n_over, "call"))
                },
                whole(limit as i64)
            );
            Failure {
                call: Some(worst.call),
                cost: worst.bill.cost_usd(),
                ..Failure::of_block(block, message)
            }
        });
    }

    pub(super) fn session_tokens(&self, limit: u64, agent: Agent<'_>, checked: &mut Checked) {
        let actual = self.bill(agent).prompt_tokens;
        let budget =
            Budgeted::new("max_session_tokens", agent, Amount::Tokens(limit), Amount::Tokens(actual));
        budget.enter(actual <= limit, checked, || {
            let worst = Self::largest_call(self.calls(agent)).map(|call| call.call);
            let message = format!(
                "{} sent {} prompt tokens, {} more than {}.",
                counted(self.n_calls(agent), "call"),
                whole(actual as i64),
                whole((actual - limit) as i64),
                whole(limit as i64)
            );
            let block = worst.and_then(|call| self.largest_block(call));
            Failure { call: worst, cost: self.dollars(agent).ok(), ..Failure::of_block(block, message) }
        });
    }
}
