//! Sums over calls that go on when calls are added: whoever looks at a growing session asks for them at each growth.

use strata_model::Str;

use super::bill::{BillTotals, CallBill};
use crate::tokens::Basis;

/// A call, as far as it is summed up.
#[derive(Clone, Copy)]
pub(super) struct SummedCall<'c> {
    /// C1 is number 1.
    pub(super) number: u32,
    pub(super) agent: &'c Str,
    /// That was asked.
    pub(super) model: &'c Str,
    pub(super) bill: &'c CallBill,
}

/// Of the first calls of a session.
#[derive(Debug, Clone)]
pub(super) struct RunningSums {
    bill: BillTotals,
    /// The first of several.
    pub(super) largest: Option<LargestPrompt>,
    /// In the order of their first calls.
    pub(super) agents: Vec<AgentSums>,
    pub(super) models: Vec<Str>,
    pub(super) n_unreported: u32,
}

/// The call with the largest prompt.
#[derive(Debug, Clone, Copy)]
pub(super) struct LargestPrompt {
    pub(super) call: u32,
    tokens: u32,
}

/// What the calls of an agent come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSums {
    pub name: Str,
    /// The number of its last call.
    pub last_call: u32,
    /// Tokens of its largest prompt.
    pub peak_tokens: u32,
}

impl Default for RunningSums {
    fn default() -> Self {
        Self {
            bill: BillTotals::none(),
            largest: None,
            agents: Vec::new(),
            models: Vec::new(),
            n_unreported: 0,
        }
    }
}

impl RunningSums {
    pub(super) fn of<'c>(calls: impl Iterator<Item = SummedCall<'c>>) -> Self {
        let mut sums = Self::default();
        sums.go_on(calls);
        sums
    }

    pub(super) fn go_on<'c>(&mut self, calls: impl Iterator<Item = SummedCall<'c>>) {
        for SummedCall { number, agent, model, bill } in calls {
            if !bill.is_pending {
                self.bill.add(bill);
            }
            self.n_unreported += u32::from(bill.basis != Basis::Reported);
            let tokens = bill.prompt_tokens;
            if self.largest.is_none_or(|largest| largest.tokens < tokens) {
                self.largest = Some(LargestPrompt { call: number, tokens });
            }
            match self.agents.iter_mut().find(|known| known.name == *agent) {
                Some(known) => {
                    known.last_call = number;
                    known.peak_tokens = known.peak_tokens.max(tokens);
                }
                None => {
                    let name = agent.clone();
                    self.agents.push(AgentSums { name, last_call: number, peak_tokens: tokens });
                }
            }
            if !self.models.contains(model) {
                self.models.push(model.clone());
            }
        }
    }

    /// Of the calls, but for those that are held. Summaries are not in it.
    pub(super) fn bill(&self) -> BillTotals {
        self.bill.finished()
    }
}
