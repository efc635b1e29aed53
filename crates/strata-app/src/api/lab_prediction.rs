//! What a run of the Lab would take, and what came of that.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::common::{Basis, TokenCount};

/// `lab/estimate`: what a run would take. Nothing is sent.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EstimateRun {
    pub session: String,
    pub config: String,
    pub prompt: Option<String>,
    /// The name of an endpoint of `model/list`.
    pub writer: String,
    pub model: Option<String>,
}

/// What a run would take.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LabEstimate {
    pub endpoint: String,
    pub model: String,
    /// Where it would be sent.
    pub address: String,
    pub summaries: u32,
    /// Summaries that were paid for before, and are not asked for again.
    pub from_before: u32,
    pub input_tokens: f64,
    pub input_basis: Basis,
    /// Who counted them: "counted by the server"; empty where nothing would be sent.
    pub input_said: String,
    /// What of them the server should find again: of what was sent to it from here, and of one another.
    pub cached: TokenCount,
    /// Seconds until the first token, by how fast this server was; null as long as it was not asked.
    pub first_token_s: Option<f64>,
    /// As large as summaries are taken to be.
    pub output_tokens: f64,
    /// Where that size is from: "stated", "fitted to 4 summaries", "assumed".
    pub output_basis: String,
    /// US dollars; null where the model has no price.
    pub cost_usd: Option<f64>,
    /// With usual rates, one summary after the other.
    pub seconds: f64,
    /// Prompts that are longer than the model takes, and that are not sent.
    pub too_long: u32,
    /// The longest prompt with its answer that the model takes, in tokens, where that is known.
    pub context_tokens: Option<u32>,
    /// Nobody is paid: the server runs on this computer.
    pub is_free: bool,
}

/// What was predicted of prompts before each of them was sent, beside what was reported of them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LabPrompts {
    pub predicted_tokens: f64,
    pub reported_tokens: f64,
    /// Tokens that should be found in the server's cache.
    pub predicted_cached_tokens: f64,
    /// Those it says it found; null where it says nothing of a cache.
    pub reported_cached_tokens: Option<f64>,
    /// All of it was predicted in the server's own tokens.
    pub is_exact: bool,
}
