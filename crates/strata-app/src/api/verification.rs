//! A second opinion on counts of tokens.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// `call/verify`: counts every text of a call's prompt with another implementation of its tokenizer. It may take a second
/// per MB.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Verify {
    pub session: String,
    pub call: u32,
}

/// What the other implementation says. Each text is asked about once; media and framing are no texts.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Verification {
    /// What both count with.
    pub vocabulary: String,
    /// `null` where nothing else counts by this vocabulary; then nothing was asked.
    pub referee: Option<String>,
    pub texts: u32,
    /// Our count of these by the vocabulary, before it is translated to the model's tokens where that differs.
    pub tokens: f64,
    /// Our count of those that are counted the same.
    pub agreed_tokens: f64,
    pub differing: Vec<DisputedText>,
    pub declined: Vec<DeclinedText>,
    /// All this in a sentence or two.
    pub message: String,
}

/// A text that is counted in two ways.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DisputedText {
    /// `C3, system instruction`.
    pub place: String,
    pub tokens: u32,
    pub referee: u32,
}

/// A text that the other implementation could not count.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DeclinedText {
    pub place: String,
    pub reason: String,
}
