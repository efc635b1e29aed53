//! A session sent again with other requests.

use strata_engine::Experiment;
use strata_engine::processors::Rewritten;
use strata_model::{LlmRequest, RequestContent};
use strata_wire::{CacheRules, Mark};

use super::timeline::Timeline;
use super::{BillTotals, CacheAnalysis, CallBill};
use crate::analysis::call::CallAnalysis;
use crate::analysis::matches::{PromptMatches, PromptTree, SentElsewhere};
use crate::analysis::session::SessionAnalysis;
use crate::analysis::weigh::Counting;
use crate::prices::Prices;

/// What the prompts of a session cost.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Bill {
    /// Tokens that are not found in the cache.
    pub fresh_tokens: i64,
    /// US dollars. `None` where a model has no price.
    pub cost_usd: Option<f64>,
    /// Prompts that are not sent as they were.
    pub n_changed: usize,
}

/// Everything a replay looks at.
#[derive(Clone, Copy)]
pub(super) struct Replay<'a> {
    pub experiment: &'a Experiment,
    pub analysis: &'a SessionAnalysis,
    pub caches: &'a CacheAnalysis,
    pub counting: &'a Counting,
    pub rules: &'a CacheRules,
    pub prices: &'a Prices,
}

impl Replay<'_> {
    /// The session as it was.
    pub(super) fn unchanged(&self) -> Bill {
        let prompts: Vec<PromptMatches> =
            self.analysis.calls().iter().map(|call| call.matches.clone()).collect();
        self.bill(&prompts, 0)
    }

    /// The session with other requests, which may look at the ones before them.
    pub(super) fn run(
        &self,
        mut rewrite: impl FnMut(&CallAnalysis, &[LlmRequest]) -> Option<Rewritten>,
    ) -> Bill {
        let calls = self.analysis.calls();
        let mut tree = PromptTree::default();
        let mut models: Vec<&str> = Vec::new();
        let mut requests: Vec<LlmRequest> = Vec::with_capacity(calls.len());
        let mut prompts = Vec::with_capacity(calls.len());
        let mut n_changed = 0;
        for call in calls {
            let model = models.iter().position(|model| **model == *call.sent_to).unwrap_or_else(|| {
                models.push(&call.sent_to);
                models.len() - 1
            });
            let rewritten = rewrite(call, &requests);
            n_changed += usize::from(rewritten.is_some());
            let Rewritten { request, tail } =
                rewritten.unwrap_or_else(|| Rewritten::new(call.request.clone()));
            let Some(scale) = self.analysis.scale(self.experiment, self.counting, &call.model) else {
                tree.pass();
                prompts.push(PromptMatches::default());
                requests.push(request);
                continue;
            };
            let rule = self.rules.of_model(&call.model);
            let prompt = scale.prompt(&request);
            let read_by = (!call.is_unpaid).then_some(model);
            let mut matches = tree.enter(read_by, (&request, &prompt), |at| &requests[at], (&scale, rule));
            // Another session's prompts are changed as these are: they still begin alike.
            if let Some(call) = self.experiment.call(call.number) {
                matches.elsewhere = SentElsewhere::of(self.experiment, call.answer, &prompt);
            }
            if let Some(tail) = tail {
                let origin = tail.spans()[0].origin.clone();
                matches.tail_tokens = scale.content_tokens(&RequestContent::user_text(&tail, origin));
            }
            prompts.push(matches);
            requests.push(request);
        }
        self.bill(&prompts, n_changed)
    }

    /// The session as it was, with prefixes of an agent kept for another time.
    pub(super) fn kept_for(&self, agent: &str, lifetime_s: f64) -> Bill {
        let timeline = Timeline::of(self.experiment, self.analysis.calls(), self.rules);
        self.asked_by(agent, &timeline.kept_for(agent, lifetime_s))
    }

    /// The session as it was, with prompts of an agent marked to be kept up to this place, perhaps for another time.
    pub(super) fn marked(&self, agent: &str, last: Mark, lifetime_s: Option<u32>) -> Bill {
        let timeline = Timeline::of(self.experiment, self.analysis.calls(), self.rules);
        self.asked_by(agent, &timeline.marked(agent, last, lifetime_s))
    }

    fn asked_by(&self, agent: &str, timeline: &Timeline) -> Bill {
        Self::sum(&self.caches.bills_kept(self.analysis, timeline, self.prices, Some(agent)), 0)
    }

    fn sum(bills: &[CallBill], n_changed: usize) -> Bill {
        let sum = BillTotals::of(bills.iter());
        let fresh_tokens = sum.prompt_tokens as i64 - sum.cached_tokens as i64;
        Bill { fresh_tokens, cost_usd: sum.cost_usd(), n_changed }
    }

    fn bill(&self, prompts: &[PromptMatches], n_changed: usize) -> Bill {
        let calls = self.analysis.calls();
        let timeline = Timeline::of(self.experiment, calls, self.rules);
        let bills = self.caches.with_prompts(self.analysis, prompts, &timeline, self.prices).bills;
        Self::sum(&bills, n_changed)
    }
}
