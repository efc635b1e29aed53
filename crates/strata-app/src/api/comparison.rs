//! Two sessions of one task, before and after something was changed.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::common::{Basis, Bill, Kind};

/// `session/compare`: what two sessions come to, and what makes the difference.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CompareSessions {
    /// A session or an experiment: how it was.
    pub a: String,
    /// How it is.
    pub b: String,
    pub by: CauseRanking,
    /// Of the aligned calls.
    pub offset: u32,
    pub limit: u32,
}

/// What the causes are ranked by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum CauseRanking {
    /// Tokens of prompts.
    Tokens,
    /// US dollars.
    Cost,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SessionComparison {
    pub a: ComparedSide,
    pub b: ComparedSide,
    /// Where A is a recording with edits, and B another recording: what came of the edits.
    pub promise: Option<EditsPromise>,
    /// What to know before the two are compared, a sentence each: other bases, a price that is not known.
    pub notes: Vec<String>,
    /// They add up to B less A.
    pub causes: Vec<DifferenceCause>,
    /// Aligned calls, in the order of their turns.
    pub calls: Vec<AlignedCall>,
    /// Aligned calls in all.
    pub total: u32,
}

/// What edits promised, beside what came of them: sums over the calls of A that were made again in B.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EditsPromise {
    /// A without its edits.
    pub recorded: Bill,
    /// A with them.
    pub promised: Bill,
    /// B.
    pub really: Bill,
    /// All of it in a sentence.
    pub sentence: String,
}

/// One of the two.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ComparedSide {
    pub session: String,
    pub title: String,
    pub format: String,
    pub bill: Bill,
    /// Calls that lost something that could have been cached.
    pub breaks: u32,
}

/// One of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum SideName {
    A,
    B,
}

/// A cause of the difference. All amounts are B less A.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DifferenceCause {
    /// `tool_results`, `calls`, `cache`, …
    pub kind: String,
    /// The tool, agent, source or models that it is about; empty where the kind says it all.
    pub what: String,
    /// The turn, for calls.
    pub turn: Option<u32>,
    /// Both in words.
    pub title: String,
    /// Calls more or fewer.
    pub calls: i64,
    /// Tokens of prompts.
    pub tokens: i64,
    /// Of these, tokens that were read from a cache.
    pub cached_tokens: i64,
    /// Tokens of answers.
    pub output_tokens: i64,
    /// US dollars; absent where a call of either side has no known price.
    pub cost: Option<f64>,
    /// Of the tokens, the weaker of both sides.
    pub basis: Basis,
    /// Where most of it is seen.
    pub side: SideName,
    pub call: u32,
    /// Of a cache: calls of either side that lost something, the greatest first.
    pub breaks: Vec<CauseBreak>,
    /// How many there are in all.
    pub total_breaks: u32,
}

/// A call that lost something that could have been cached.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CauseBreak {
    pub side: SideName,
    pub call: u32,
    /// Why, in a sentence.
    pub cause: String,
    pub tokens: u32,
    /// US dollars.
    pub cost: Option<f64>,
}

/// A call of both sides, or of one.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AlignedCall {
    /// The user's turn, counted from 1.
    pub turn: u32,
    pub agent: String,
    /// Absent on a side that has no such call.
    pub a: Option<AlignedSide>,
    pub b: Option<AlignedSide>,
    /// Kinds of tokens of which one side has more, as far as they are counted.
    pub kinds: Vec<KindDifference>,
}

/// A call of one side.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AlignedSide {
    pub call: u32,
    pub model: String,
    pub tokens: u32,
    pub basis: Basis,
    pub cached_tokens: u32,
    pub output_tokens: Option<u32>,
    /// US dollars.
    pub cost: Option<f64>,
}

/// Tokens of a kind on both sides.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct KindDifference {
    pub kind: Kind,
    pub a: u32,
    pub b: u32,
}
