//! A call that is held.

use std::sync::Arc;

use strata_model::{LlmRequest, json};

use crate::api::common::Basis;

/// A call that is held, as it is about to be sent.
#[derive(Debug, Clone)]
pub struct HeldReport {
    pub agent: String,
    /// The node of the run that makes the call; empty outside of nodes.
    pub node_path: String,
    /// Why it is held, a sentence each.
    pub reasons: Vec<String>,
    /// Tokens by our count, and what that rests on.
    pub prompt_tokens: u32,
    pub basis: Basis,
    /// US dollars of the prompt, if nothing of it is found in a cache. `None` for a model without a price.
    pub prompt_cost: Option<f64>,
    /// How it continues its agent's call before. `None` for the first one.
    pub before: Option<Continuation>,
    /// What would be sent, edits included.
    pub(crate) request: Arc<LlmRequest>,
    /// Somebody has edited it.
    pub is_edited: bool,
    /// What was wrong with the last edit, which was not made.
    pub refusal: Option<String>,
}

impl HeldReport {
    /// The request in ADK's JSON.
    pub fn request_json(&self) -> String {
        json::to_pretty(&self.request.to_json())
    }
}

/// How a prompt continues the one before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Continuation {
    /// Tokens of the prompt before, and of these the ones that this one begins with.
    pub tokens: u32,
    pub shared_tokens: u32,
    /// Where the first difference stands: `tools`, `instruction` or `conversation`. `None`: it only adds to it.
    pub differs_in: Option<&'static str>,
}
