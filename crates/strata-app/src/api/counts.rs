//! How providers count, learned from all stored sessions.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// `counts/learned`: what was learned last.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Learned {}

/// `counts/learn`: learns from all stored sessions, as a job. What was learned before is kept until it is done.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Learn {}

/// `counts/forget`: forgets what was learned.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Forget {}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LearnedCounts {
    /// Models that are counted with another vocabulary than their own, those that are counted alike together. Empty
    /// where nothing was learned.
    pub models: Vec<LearnedModel>,
    /// False where it was learned or forgotten since Strata was started: it goes on counting as it began.
    pub is_in_use: bool,
}

/// How models of one kind are counted, where a session does not tell better by itself.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LearnedModel {
    /// One of them.
    pub model: String,
    pub from: LearnedFrom,
    /// Tokens that are reported for each that would be counted.
    pub ratios: Vec<LearnedRatio>,
}

/// Stored sessions that told how a model is counted; the one that is counted may be among them.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LearnedFrom {
    pub sessions: u32,
    /// Prompts that continue another one, both of them with a report.
    pub growths: u32,
    /// ± of a count as a share of it, each session predicted from others.
    pub error: f64,
}

#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LearnedRatio {
    pub kind: String,
    pub ratio: f64,
}
