//! What looks like a key in what is stored.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// `secret/state`: whether what looks like a key is masked in what is stored, and what was found last.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct State {}

/// `secret/look`: looks through all that is stored for what looks like a key, as a job. Nothing is changed.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Look {}

/// `secret/mask`: masks what looks like a key in all that is stored, for good, and in what is stored from then on, as a
/// job. The files that were read stay as they are.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Mask {}

/// `secret/keep`: what is stored from now on is stored as it was said.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Keep {}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SecretState {
    /// What is stored from now on is masked.
    pub masks: bool,
    /// What was found when it was looked for last, since Strata was started; null where it was not. What was masked then
    /// is not there any more.
    pub found: Option<KeptSecrets>,
}

/// What looks like a key in the store.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct KeptSecrets {
    /// Different values in all.
    pub values: u32,
    /// The most frequent first.
    pub kinds: Vec<SecretKind>,
    /// Sessions that have some, the one with the most first.
    pub sessions: Vec<SessionSecrets>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionSecrets {
    pub session: String,
    pub title: String,
    /// Different values.
    pub values: u32,
    pub kinds: Vec<SecretKind>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SecretKind {
    /// `API key`, `password`.
    pub name: String,
    /// Different values.
    pub values: u32,
}
