//! Events: the table and the inspector.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::common::{CallRange, ChainStep, FindingRow, Kind, TokenCount};
use super::part::PartDiff;

/// How the event table is sorted. Ties are in order of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum EventOrder {
    InOrder,
    ByLifetime,
    BySize,
}

/// `event/page`: rows of the event table.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Page {
    pub session: String,
    pub order: EventOrder,
    /// `kind:result tool:search_logs agent:x size:>2000 call:4..17 state:hits error:yes text:"Decimal"`, or plain
    /// words; empty for all.
    pub filter: String,
    /// What the rows come to is then what they come to in these calls.
    #[serde(default)]
    #[ts(optional)]
    pub within: Option<CallRange>,
    pub offset: u32,
    pub limit: u32,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EventPage {
    pub total: u32,
    /// Events of the session before filtering.
    pub of: u32,
    pub rows: Vec<EventRow>,
    /// Largest lifetime in the session, for the bars.
    pub max_lifetime_tokens: f64,
    /// What is wrong with the filter, and a suggestion.
    pub filter_error: Option<FilterError>,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FilterError {
    pub message: String,
    /// The filter with the suggestion applied.
    pub suggestion: Option<String>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EventRow {
    /// E1 is number 1.
    pub event: u32,
    /// The call that produced it; absent for what people and the runtime wrote.
    pub call: Option<u32>,
    pub agent: String,
    pub kind: Kind,
    /// "search_logs", shown in mono before `what`; empty when there is none.
    pub tool: String,
    /// "500 rows · billing ERROR since 2026-11-17".
    pub what: String,
    /// Tokens of its parts as stored.
    pub tokens: u32,
    /// Calls that carried it.
    pub sent_in: u32,
    /// Tokens it cost over all calls that carried it.
    pub lifetime_tokens: f64,
    /// Of those, billed in full.
    pub fresh_tokens: f64,
    /// "C4–C17".
    pub carried_by: String,
    pub is_error: bool,
    /// It holds no content of its own: a state change, a rewind, an artifact.
    pub is_silent: bool,
    pub time_ms: Option<f64>,
    /// What edits made of it. The row tells what it says with them; of a dropped event, what was dropped.
    pub edits: Vec<EventEdit>,
}

/// What an edit of the experiment made of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum EventEdit {
    /// It has another content.
    Edited,
    /// It is in no history.
    Dropped,
    /// No summary and no processor of Strata's takes it out.
    Pinned,
}

/// `event/get`: one event for the inspector.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Get {
    pub session: String,
    pub event: u32,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EventDetail {
    pub row: EventRow,
    /// "search_logs result".
    pub title: String,
    /// "log_analyst · call C3 · 14:03:06 · tool result".
    pub subtitle: String,
    pub id: String,
    pub invocation: String,
    pub branch: Option<String>,
    pub size: TokenCount,
    pub calls: u32,
    /// Lifetime tokens as a share of all prompt tokens of the session, 0 to 1.
    pub share: f64,
    pub cached_tokens: f64,
    pub cost_usd: Option<f64>,
    /// Tokens sent and matched in the calls that carried it: runs of calls in which they were the same, in order.
    pub by_call: Vec<CarriedBy>,
    /// "C4–C17, then summarised by E35".
    pub fate: String,
    pub chain: Vec<ChainStep>,
    /// With the content it has here.
    pub parts: Vec<EventPart>,
    /// What it was before an edit gave it another content; absent where none did.
    pub recorded: Option<RecordedContent>,
    /// The content it has here, ADK's `{role, parts}` as pretty JSON; absent where there is none, or more than 20,000
    /// characters.
    pub content: Option<String>,
    pub state_delta: Vec<StateChange>,
    pub artifacts: Vec<String>,
    pub transfer_to: Option<String>,
    /// Reported by the provider with this event.
    pub usage: Vec<LabelledNumber>,
    pub error: Option<String>,
    /// What was found about this event, the costliest first. Empty until every call is compiled.
    pub findings: Vec<FindingRow>,
    /// The event as it was recorded, pretty JSON, at most 20,000 characters.
    pub raw: String,
    pub is_raw_cut: bool,
}

/// The content of an event as it was recorded, beside the one an experiment gave it.
#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RecordedContent {
    /// As recorded.
    pub size: TokenCount,
    pub parts: Vec<EventPart>,
    /// From the recorded content to the edited one, line by line.
    pub difference: PartDiff,
}

#[derive(Debug, Clone, Copy, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CarriedBy {
    /// The first call of the run, and its last one.
    pub from: u32,
    pub to: u32,
    /// In each of them.
    pub tokens: u32,
    pub cached_tokens: u32,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EventPart {
    pub index: u32,
    pub kind: Kind,
    /// "text", "thought", "call", "result", "image/png, 24 KB".
    pub label: String,
    pub tokens: u32,
    /// First 400 characters.
    pub preview: String,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StateChange {
    pub key: String,
    pub before: Option<String>,
    pub after: String,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LabelledNumber {
    pub label: String,
    pub value: f64,
}

/// `event/stratum`: where an event's tokens lie in the prompts that carried it, for its outline in the map.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Stratum {
    pub session: String,
    pub event: u32,
    pub calls: CallRange,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StratumRuns {
    /// In order of calls.
    pub runs: Vec<StratumRun>,
}

/// Consecutive calls in whose prompts it lies at the same place.
#[derive(Debug, Clone, Copy, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StratumRun {
    /// The first call of the run, and its last one.
    pub from: u32,
    pub to: u32,
    /// Prompt tokens before it.
    pub from_token: u32,
    pub tokens: u32,
}
