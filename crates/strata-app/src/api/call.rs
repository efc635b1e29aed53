//! Calls: the strip, the map, and how one call was compiled.

use serde::{Deserialize, Serialize};
use strata_model::Object;
use ts_rs::TS;

use super::common::{Bill, DiagnosticRow, FindingRow, Kind, KindTokens, RequestBasis, TokenCount};
use super::experiment::JsonObject;
use super::script::ScriptReport;

/// `call/columns`: the calls `from..=to` as at most `maxColumns` columns, in bytes.
///
/// Little endian, in this order: `u32` version (2); `u32` n, the number of columns; then arrays of n entries:
/// `u32` first call of the column; `u32` call of the column with the largest prompt (equal when every column is one
/// call); `u32` its prompt as its provider counts it: reported, or predicted; `u32` of these, read from a cache, reported
/// or predicted (`0xFFFFFFFF`: not known); `u32` of these, hidden context, which stands first; 7 × `u32` its tokens by kind, in the order of the kinds; `u16` its agent, as an index into the header's agents;
/// `u16` flags of all calls in the column, as `ColumnFlag`.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Columns {
    pub session: String,
    pub from: u32,
    pub to: u32,
    pub max_columns: u32,
}

/// Bits of a column's flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum ColumnFlag {
    /// The prefix broke and need not have.
    AvoidableBreak = 1,
    /// The prefix broke because of a hand-off, a compaction or a change of scope.
    StructuralBreak = 2,
    /// A compaction happened since the previous call.
    Compaction = 4,
    /// The call failed, or a tool it called did.
    Error = 8,
    /// A hand-off: the agent differs from the previous call's.
    Handoff = 16,
    /// The provider reported cached tokens for this call; otherwise they are predicted.
    ReportedCache = 32,
    /// The call could not be compiled.
    NotCompiled = 64,
    /// The prompt was fine, and the provider did not find all of it.
    ProviderBreak = 128,
}

impl ColumnFlag {
    /// Every flag with its name in TypeScript.
    pub const ALL: [(&'static str, Self); 8] = [
        ("avoidableBreak", Self::AvoidableBreak),
        ("structuralBreak", Self::StructuralBreak),
        ("compaction", Self::Compaction),
        ("error", Self::Error),
        ("handoff", Self::Handoff),
        ("reportedCache", Self::ReportedCache),
        ("notCompiled", Self::NotCompiled),
        ("providerBreak", Self::ProviderBreak),
    ];
}

/// `call/map`: the parts of the prompts of calls `from..=to`, in bytes.
///
/// At most `maxColumns` columns; parts smaller than `minTokens` are gathered by kind into merged segments near their
/// place.
/// Little endian: `u32` version (1); `u32` c, the number of columns; `u32` s, the number of segments; then arrays:
/// c × `u32` call; c+1 × `u32` index of the column's first segment; s × `u32` tokens; s × `u32` event number, or 0
/// for what is not from one event; s × `u8` kind; s × `u8` flags: 1 another agent's words, 2 merged, 4 thought, 8 hidden
/// context, which is of no kind: it stands first in its column.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Map {
    pub session: String,
    pub from: u32,
    pub to: u32,
    pub max_columns: u32,
    pub min_tokens: u32,
}

/// `call/bill`: what the calls of a range come to, both ends included, with the summaries that are written before them; of
/// the calls that are compiled by now.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RangeBill {
    pub session: String,
    pub from: u32,
    pub to: u32,
}

/// `call/get`: one call.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Get {
    pub session: String,
    pub call: u32,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CallDetail {
    pub call: u32,
    pub agent: String,
    pub model: String,
    pub invocation: String,
    pub branch: Option<String>,
    /// Turn: invocations counted from 1.
    pub turn: u32,
    /// Event number of the answer, if it was stored.
    pub answer_event: Option<u32>,
    /// Events 1 to this number were in the session when the call was made.
    pub events_before: u32,
    pub prompt: TokenCount,
    /// Whether the prompt is what was really sent or what was compiled.
    pub request_basis: RequestBasis,
    /// Where the provider reported nothing for this call: what it is likely to have counted, from what it reported for
    /// requests that were sent to this model from here. None while too little is known.
    pub calibrated: Option<TokenCount>,
    /// What the call comes to.
    pub bill: Bill,
    pub reported_output_tokens: Option<u32>,
    pub by_kind: Vec<KindTokens>,
    pub started_ms: Option<f64>,
    /// Why the prefix broke at this call, in one sentence, with the token at which it ends.
    pub prefix_break: Option<PrefixBreak>,
    /// What failed, if the call could not be compiled: message, and what to do.
    pub error: Option<DiagnosticRow>,
    /// What the session does not hold and the prompt may therefore lack.
    pub unknowns: Vec<String>,
    /// What was found about this call, the costliest first. Empty until every call is compiled.
    pub findings: Vec<FindingRow>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PrefixBreak {
    pub is_avoidable: bool,
    /// Tokens that still match.
    pub at_token: u32,
    /// Tokens sent before and billed again.
    pub rebilled_tokens: u32,
    pub cost_usd: Option<f64>,
    /// "state.hits changed 41 → 2,318 inside the instruction".
    pub cause: String,
    /// Address of the part where the prefix ends.
    pub address: String,
    pub previous_call: u32,
}

/// `call/stages`: the processors that compiled one call, in order.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Stages {
    pub session: String,
    pub call: u32,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StageList {
    pub call: u32,
    pub agent: String,
    pub rows: Vec<StageRow>,
    pub total: TokenCount,
    /// Tokens that no stage wrote: message framing and the like, a part of `total`.
    pub overhead_tokens: u32,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StageRow {
    /// Counts from 1.
    pub number: u32,
    pub processor: String,
    /// One line on what it did or why it did nothing: "template with {hits}, {last_query}", "no planner".
    pub note: String,
    /// It changed the request.
    pub is_changed: bool,
    /// Its result was taken from an earlier compile.
    pub is_reused: bool,
    /// False for one that is switched off.
    pub is_enabled: bool,
    /// What an experiment put here, with its parameters; absent for the agent's own.
    pub inserted: Option<InsertedStage>,
    pub tokens_before: u32,
    pub tokens_after: u32,
    /// What it added, by kind, for the bar.
    pub added: Vec<KindTokens>,
    pub removed_tokens: u32,
    pub diagnostics: Vec<DiagnosticRow>,
    /// A constraint on the order of processors that this stage violates.
    pub order_warning: Option<String>,
    /// Rests on an inferred configuration.
    pub is_inferred: bool,
    /// No processor's work, but what was really sent. The stage before it is what was compiled.
    pub is_recorded: bool,
    /// What a script wrote, and why it failed if it did.
    pub script: Option<ScriptReport>,
}

/// A processor that an experiment put into a flow.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct InsertedStage {
    /// A kind of the catalogue.
    pub kind: String,
    /// As given: what is left out has its default.
    #[ts(as = "JsonObject")]
    pub params: Object,
}

/// What a stage's parts are compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum CompareWith {
    /// The request as the stage received it.
    StageBefore,
    /// The same stage of the previous call of the same agent.
    PreviousCall,
}

/// `call/stageParts`: what a stage did, part by part.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StageParts {
    pub session: String,
    pub call: u32,
    /// Counts from 1.
    pub stage: u32,
    pub compare_with: CompareWith,
    /// Fold runs of parts that did not change.
    pub fold_unchanged: bool,
    pub offset: u32,
    pub limit: u32,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PartPage {
    pub processor: String,
    pub stage: u32,
    pub stages: u32,
    /// "50 events in, 16 parts out. 7 kept, 8 rewritten as another agent's words, 34 hidden by 1 summary."
    pub headline: String,
    pub added_tokens: u32,
    pub left_out_tokens: u32,
    /// Tokens that rewriting parts cost (or, when negative, saved).
    pub rewriting_tokens: i32,
    pub compared_with: String,
    pub total: u32,
    pub rows: Vec<PartRow>,
}

/// What happened to a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum PartChange {
    Added,
    LeftOut,
    Rewritten,
    Moved,
    Unchanged,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PartRow {
    pub change: PartChange,
    /// `4.0`, `sys.1`, `tool.sql_query`; empty for a folded row.
    pub path: String,
    pub address: String,
    /// Absent for a row that stands for several parts of different kinds.
    pub kind: Option<Kind>,
    /// How many parts or events the row stands for; 1 for an ordinary row.
    pub count: u32,
    /// Another agent's words.
    pub is_reframed: bool,
    /// "E39 coordinator", "E1–E34", "instruction of log_analyst".
    pub from: String,
    pub tokens_before: u32,
    pub tokens_after: u32,
    /// First line of the text, or the rule that left the part out.
    pub text: String,
    /// The start of `text` that is code, such as a tool's name, in bytes of UTF-16.
    pub code_length: u32,
    pub is_inferred: bool,
}

/// `call/text`: the whole prompt after a stage as the model gets it, in segments. Paged by tokens of segments.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StageText {
    pub session: String,
    pub call: u32,
    pub stage: u32,
    /// Segments `offset..offset+limit`.
    pub offset: u32,
    pub limit: u32,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TextPage {
    pub total: u32,
    pub segments: Vec<TextSegment>,
}

/// One part of the prompt as text.
#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TextSegment {
    pub path: String,
    pub address: String,
    pub kind: Kind,
    pub role: String,
    pub from: String,
    pub tokens: u32,
    pub is_reframed: bool,
    /// At most 20,000 characters; the rest is fetched with `part/text`.
    pub text: String,
    pub is_cut: bool,
}

/// `call/json`: the request after a stage as JSON, in pages of characters.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StageJson {
    pub session: String,
    pub call: u32,
    pub stage: u32,
    pub offset: u32,
    pub limit: u32,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct JsonPage {
    /// Length in UTF-16 units; `offset` and `limit` count the same.
    pub total_length: u32,
    pub text: String,
}
