//! What a session's stores hold, who writes and reads it, and what agents hand to one another.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::cache::BreakRow;
use super::common::{Basis, Bill, CallRange, Kind};
use super::part::PartDiff;

/// `stores/state`: every key of the state, with its value at a call.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct State {
    pub session: String,
    pub call: u32,
    /// Calls share columns where there are more of them.
    pub max_columns: u32,
    pub offset: u32,
    pub limit: u32,
}

/// Who shares a key, by its prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum KeyScope {
    Session,
    User,
    App,
    Temp,
}

/// What is known of a value at a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum ValueState {
    Known,
    /// Nothing had been stored by then.
    Absent,
    /// It was written later, and what it held before is not recorded.
    NotRecorded,
    /// It lived in a turn that was over.
    Gone,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StatePage {
    pub call: u32,
    /// Calls that are compiled, and all calls: reads and losses are of the former.
    pub calls: u32,
    pub of_calls: u32,
    /// Keys, and of these the ones that have a value at the call.
    pub total: u32,
    pub set: u32,
    /// Of their values at the call, as an instruction would show them, in the tokens of its model.
    pub tokens: u32,
    pub basis: Basis,
    /// Keys with a large value that no prompt holds.
    pub unread_large: u32,
    /// From how many tokens on a value is large.
    pub large_tokens: u32,
    pub columns: Vec<CallRange>,
    /// The key that tells most: whose change broke the cache of the call, else of another call; else the first.
    pub key_to_see: Option<String>,
    /// By scope, then by name.
    pub rows: Vec<KeyRow>,
    /// What the recording does not hold, in a sentence.
    pub gap: Option<String>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct KeyRow {
    pub key: String,
    pub scope: KeyScope,
    pub value_state: ValueState,
    /// In one line; in words where there is no value.
    pub value: String,
    pub tokens: Option<u32>,
    /// Events that wrote it.
    pub writes: u32,
    /// Calls whose prompt holds it.
    pub reads: u32,
    pub is_unread_large: bool,
    pub columns: KeyColumns,
}

/// A key over the calls, column by column.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct KeyColumns {
    /// Of the value at the last call of each column; absent where there was none.
    pub tokens: Vec<Option<u32>>,
    /// Indices of columns, in order.
    pub written: Vec<u32>,
    pub read: Vec<u32>,
    pub broke: Vec<u32>,
}

/// `stores/key`: one key of the state: its versions, who wrote it, who reads it, what that cost.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Key {
    pub session: String,
    pub key: String,
    pub call: u32,
    /// Of the versions.
    pub offset: u32,
    pub limit: u32,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct KeyDetail {
    pub key: String,
    pub scope: KeyScope,
    pub call: u32,
    pub value_state: ValueState,
    /// At the call, at most some thousand characters of it.
    pub value: String,
    /// "integer", "list of 1,204".
    pub what: String,
    pub tokens: Option<u32>,
    pub basis: Basis,
    /// In one line, at the last call.
    pub value_at_end: String,
    pub writers: Vec<KeyWriter>,
    pub readers: Vec<KeyReader>,
    /// Calls whose prompt holds it, and the last of them.
    pub reads: u32,
    pub last_read: Option<u32>,
    /// As the Cache view has them.
    pub breaks: Vec<BreakRow>,
    pub rebilled_tokens: u64,
    /// Absent where one of them has no price.
    pub cost_usd: Option<f64>,
    /// Number of the version that held at the call.
    pub current: Option<u32>,
    pub total: u32,
    pub versions: Vec<VersionRow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct KeyWriter {
    pub agent: String,
    /// The tool whose result came with the writes; empty where there is none.
    pub tool: String,
    pub writes: u32,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct KeyReader {
    pub agent: String,
    pub calls: u32,
    /// The first few.
    pub ranges: Vec<CallRange>,
    /// The part that holds it, in the call under the cursor or the last one that does.
    pub address: String,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct VersionRow {
    /// From 1; 0 is what it held before the first event that wrote it.
    pub number: u32,
    /// From 1; absent for what was there when the session began.
    pub event: Option<u32>,
    /// The call that was answered last by then; 0 before the first one.
    pub call: u32,
    /// Who wrote the event.
    pub agent: String,
    pub tool: String,
    pub before: String,
    pub after: String,
    pub tokens: Option<u32>,
    /// Losses of caches that it came to.
    pub breaks: Vec<BreakRow>,
}

/// `stores/agents`: the agents of a session, and every place where one goes on after another.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Agents {
    pub session: String,
    pub order: HandOffOrder,
    pub offset: u32,
    pub limit: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum HandOffOrder {
    InOrder,
    ByCost,
    ByPair,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AgentPage {
    pub agents: Vec<AgentRow>,
    /// Hand-offs, and of these the ones whose first call found nothing in a cache.
    pub total: u32,
    pub uncached: u32,
    pub rows: Vec<HandOffRow>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct AgentRow {
    pub name: String,
    /// Agents above it.
    pub depth: u32,
    /// Of its last call; empty where it made none.
    pub model: String,
    /// Tools that were declared in its last call.
    pub tools: u32,
    pub bill: Bill,
}

/// How one agent came after another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum HandOffVia {
    Transfer,
    Started,
    Returned,
    Flow,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HandOffRow {
    /// H1 is number 1.
    pub number: u32,
    pub from_call: u32,
    pub to_call: u32,
    pub from: String,
    pub to: String,
    pub via: HandOffVia,
    /// The event that transferred or called, from 1.
    pub event: Option<u32>,
    /// Our counts of the last prompt of the one and the first prompt of the other.
    pub from_tokens: u32,
    pub to_tokens: u32,
    /// The weaker of both.
    pub basis: Basis,
    /// What the first prompt comes to, as the Cache view has it.
    pub prompt_tokens: u32,
    pub cached_tokens: u32,
    pub is_cache_reported: bool,
    /// Its report says nothing of a cache.
    pub is_cache_unsaid: bool,
    /// Of the prompt, without the answer.
    pub cost_usd: Option<f64>,
    /// Nobody is known to have paid for the call.
    pub is_unpaid: bool,
    /// Why no more was found in a cache.
    pub note: String,
}

/// `stores/handOff`: what became of each part of the last prompt of one agent in the first prompt of the other.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HandOff {
    pub session: String,
    pub number: u32,
    pub offset: u32,
    pub limit: u32,
}

/// What became of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Fate {
    Kept,
    /// The same source, in other words or another role.
    Reframed,
    Dropped,
    Added,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FateSum {
    pub parts: u32,
    pub tokens_before: u32,
    pub tokens_after: u32,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HandOffDetail {
    pub row: HandOffRow,
    pub kept: FateSum,
    pub reframed: FateSum,
    pub dropped: FateSum,
    pub added: FateSum,
    /// What the form of a prompt takes: with the sums above, it adds up to both prompts.
    pub framing: FateSum,
    pub total: u32,
    /// In the order of the later prompt; what is dropped stands where it was.
    pub parts: Vec<HandOffPart>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HandOffPart {
    /// From 1.
    pub number: u32,
    pub fate: Fate,
    pub kind: Option<Kind>,
    /// In the later prompt, else in the earlier one.
    pub address: String,
    /// "E7 log_analyst".
    pub source: String,
    pub text: String,
    pub tokens_before: u32,
    pub tokens_after: u32,
    /// It tells another agent's words.
    pub is_quoted_before: bool,
    pub is_quoted_after: bool,
    /// What decided that.
    pub rule: String,
}

/// `stores/handOffText`: one part in both prompts, line by line.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct HandOffText {
    pub session: String,
    pub number: u32,
    /// From 1.
    pub part: u32,
}

/// The answer to it.
pub type HandOffDiff = PartDiff;
