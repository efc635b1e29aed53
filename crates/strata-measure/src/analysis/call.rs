//! A call that was compiled and weighed.

use std::collections::BTreeSet;

use strata_engine::Outcome;
use strata_model::{Diagnostic, Gap, LlmRequest, Str};

use super::blame::PrefixBreak;
use super::matches::PromptMatches;
use super::prefix::MatchedPrefix;
use super::weigh::ByKind;
use crate::tokens::TokenCount;

/// A compiled call.
#[derive(Clone)]
pub struct CallAnalysis {
    /// C1 is number 1.
    pub number: u32,
    pub model: Str,
    /// The model whose cache the prompt meets: the one that answered, where that is another than the configured one.
    pub sent_to: Str,
    /// What the model is sent, as far as it was compiled.
    pub request: LlmRequest,
    /// It failed before the provider read it, or no answer to it is recorded: no cache is known to hold it, and no later
    /// prompt is compared with it.
    pub is_unpaid: bool,
    /// It is held before it is sent: what is said of its cache and its cost is what would be.
    pub is_pending: bool,
    pub total: TokenCount,
    pub overhead: u32,
    /// Without the overhead.
    pub by_kind: ByKind,
    /// The call before it in its lineage: the same agent, model and branch.
    pub previous: Option<u32>,
    /// What it shares with the prompt of that call.
    pub matched: MatchedPrefix,
    pub prefix_break: Option<PrefixBreak>,
    /// What it shares with all prompts before it.
    pub matches: PromptMatches,
    /// Tokens after the break that could have matched the earlier prompt: no more than the shorter of the two has.
    pub rebilled: u32,
    /// Stages whose result was known, a bit each, the first stage in the lowest.
    pub reused_stages: u64,
    pub outcome: Outcome,
    /// Errors of stages that left the request as it was, such as scripts that failed.
    pub stage_errors: Vec<Diagnostic>,
    /// What stages would have put into the request and nobody knows.
    pub gaps: BTreeSet<Gap>,
}
