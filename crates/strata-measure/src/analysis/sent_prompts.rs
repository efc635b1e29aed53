//! What a server should find again of a prompt, by what was sent to it before.

use std::sync::Arc;

use strata_engine::EventLog;
use strata_model::LlmRequest;
use strata_wire::CacheRule;

use super::cache::{Prediction, ProviderCaches, SentCall};
use super::matches::{PromptMatches, PromptTree};
use super::weigh::{Counting, Scale, Weights};
use crate::tokens::Tokenizer;

/// Prompts that are remembered; a server with as much room for more is rare.
const MOST: usize = 256;

/// The prompts that were sent to one model of one server, and what they leave in its cache. They may be of many sessions.
#[derive(Clone)]
pub struct SentPrompts {
    tokenizer: Tokenizer,
    weights: Arc<Weights>,
    log: EventLog,
    tree: PromptTree,
    requests: Vec<LlmRequest>,
    matches: Vec<PromptMatches>,
    caches: ProviderCaches,
}

impl SentPrompts {
    /// None so far.
    pub fn new(tokenizer: Tokenizer) -> Self {
        Self {
            tokenizer,
            weights: Arc::default(),
            log: EventLog::default(),
            tree: PromptTree::default(),
            requests: Vec::new(),
            matches: Vec::new(),
            caches: ProviderCaches::default(),
        }
    }

    pub fn n_sent(&self) -> usize {
        self.requests.len()
    }

    /// What would be found of a request that is sent at this time, in epoch seconds, by this rule. Sizes are by our count.
    pub fn predict(
        &self,
        request: &LlmRequest,
        (rule, at_s): (&CacheRule, f64),
        counting: &Counting,
    ) -> Prediction {
        let mut tree = self.tree.clone();
        let mut matches = self.matches.clone();
        matches.push(self.enter(&mut tree, request, rule, counting));
        self.caches.clone().meet(&matches, SentCall::new(rule, at_s))
    }

    /// A request was sent, and read by the server.
    pub fn push(&mut self, request: LlmRequest, (rule, at_s): (&CacheRule, f64), counting: &Counting) {
        if self.requests.len() >= MOST {
            *self = Self::new(self.tokenizer.clone());
        }
        let mut tree = std::mem::take(&mut self.tree);
        let matches = self.enter(&mut tree, &request, rule, counting);
        self.tree = tree;
        self.matches.push(matches);
        self.caches.meet(&self.matches, SentCall::new(rule, at_s));
        self.requests.push(request);
    }

    fn enter(
        &self,
        tree: &mut PromptTree,
        request: &LlmRequest,
        rule: &CacheRule,
        counting: &Counting,
    ) -> PromptMatches {
        let scale = Scale::new(&self.tokenizer, counting, &self.log, &self.weights);
        let prompt = scale.prompt(request);
        tree.enter(Some(0), (request, &prompt), |at| &self.requests[at], (&scale, rule))
    }
}
