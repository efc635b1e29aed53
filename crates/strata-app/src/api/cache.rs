//! Caches: where prefixes end, why, what that costs and what would help.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::common::{Bill, ChainStep, Kind, Remedy};
use super::experiment::Edit;
use super::part::DiffLine;

/// The order of breaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum BreakOrder {
    /// Those that can be avoided first, then by what they cost.
    ByCost,
    InOrder,
}

/// `cache/breaks`: calls of which less is found than the prompt before held.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Breaks {
    pub session: String,
    pub order: BreakOrder,
    pub offset: u32,
    pub limit: u32,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BreakPage {
    pub total: u32,
    pub rows: Vec<BreakRow>,
    pub summary: CacheSummary,
}

/// What can be done about a break.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum BreakNature {
    /// The session could have gone on the same way without it.
    Avoidable,
    /// It comes with what the session does: hand over, summarise, show one turn only.
    Structural,
    /// The prompt is fine; the provider's rules say no.
    Provider,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BreakRow {
    pub call: u32,
    pub agent: String,
    /// `state_in_instruction`, `hand_off`, …
    pub cause: String,
    /// "state in the instruction".
    pub title: String,
    /// "hits 41 → 2,318".
    pub detail: String,
    pub nature: BreakNature,
    /// Where the prefix ends, in tokens of the later prompt.
    pub at_token: u32,
    /// Tokens that are paid in full and could have been found: by the report where there is one, else as predicted.
    pub rebilled_tokens: u32,
    pub is_reported: bool,
    /// The same as it is predicted.
    pub predicted_tokens: u32,
    pub cost_usd: Option<f64>,
    pub previous_call: u32,
}

/// The calls that are compiled so far.
#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CacheSummary {
    pub calls: u32,
    /// Of all calls of the session: fewer are compiled while that goes on.
    pub of_calls: u32,
    /// What they come to.
    pub bill: Bill,
    /// Tokens of the prompts that the rules would have found in the cache, whatever was reported.
    pub predicted_tokens: u64,
    pub lost_tokens: u64,
    /// Of the one break that re-billed most.
    pub most_rebilled_tokens: u32,
    pub avoidable_breaks: u32,
    /// The dearest ones, a few of them.
    pub avoidable_calls: Vec<u32>,
    pub avoidable_tokens: u64,
    pub avoidable_cost_usd: Option<f64>,
    /// Causes that cannot be avoided, the most frequent first.
    pub other_causes: Vec<CauseCount>,
    /// What providers say, of the calls where they do.
    pub reported: Option<CacheReportSummary>,
    /// Names of the rules that were applied.
    pub rules: Vec<String>,
    /// Every model has a rule of its own.
    pub is_rule_known: bool,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CauseCount {
    pub title: String,
    pub breaks: u32,
}

#[derive(Debug, Default, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CacheReportSummary {
    pub calls: u32,
    pub prompt_tokens: u64,
    pub cached_tokens: u64,
    /// For the same calls, in the provider's own tokens.
    pub predicted_tokens: u64,
    /// Calls of which report and prediction differ by more than a block, and of these the unexplained ones.
    pub differing_calls: u32,
    pub unexplained_calls: u32,
}

/// `cache/ladder`: sizes and prefixes of calls `from..=to`, in bytes.
///
/// Little endian: `u32` version (1); `u32` n, the number of calls that are compiled; then arrays of n entries: `u32`
/// call; `u32` prompt tokens; `u32` cached tokens of these, reported where the provider reports, else predicted; `u32`
/// predicted cached tokens; `u32` tokens that were ever sent before, from the beginning on; `u32` token at which the
/// prefix ends (`0xFFFFFFFF`: it does not); `u16` agent, as an index into the header's agents; `u16` flags, as
/// `LadderFlag`.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Ladder {
    pub session: String,
    pub from: u32,
    pub to: u32,
}

/// Bits of a row's flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum LadderFlag {
    AvoidableBreak = 1,
    StructuralBreak = 2,
    ProviderBreak = 4,
    /// The provider reported cached tokens for this call.
    Reported = 8,
    /// Report and prediction differ by more than a block.
    Differs = 16,
}

impl LadderFlag {
    /// Every flag with its name in TypeScript.
    pub const ALL: [(&'static str, Self); 5] = [
        ("avoidableBreak", Self::AvoidableBreak),
        ("structuralBreak", Self::StructuralBreak),
        ("providerBreak", Self::ProviderBreak),
        ("reported", Self::Reported),
        ("differs", Self::Differs),
    ];
}

/// `cache/rows`: the parts of the prompts of some calls, in the order in which their providers read them, laid out like
/// `call/map`.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Rows {
    pub session: String,
    /// At most 500.
    pub calls: Vec<u32>,
    /// Parts smaller than this are gathered by kind.
    pub min_tokens: u32,
}

/// `cache/why`: what the cache does for one call, and why not more.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Why {
    pub session: String,
    pub call: u32,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CallCacheDetail {
    pub call: u32,
    pub agent: String,
    pub model: String,
    /// What the call comes to.
    pub bill: Bill,
    /// Tokens of the prompt that the rule would have found in the cache, whatever was reported.
    pub predicted_tokens: u32,
    /// They were stored by another session of the same source.
    pub is_from_elsewhere: bool,
    /// The call before it in its lineage: the same agent, model and branch.
    pub previous: Option<PreviousCall>,
    pub prefix_break: Option<BreakDetail>,
    /// From the beginning of the prompt to its end.
    pub zones: Vec<ZoneRow>,
    pub reported: Option<ReportedCache>,
    pub rule: CacheRuleInfo,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PreviousCall {
    pub call: u32,
    pub prompt_tokens: u32,
    pub cached_tokens: u32,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BreakDetail {
    pub row: BreakRow,
    /// In a sentence.
    pub sentence: String,
    /// The processor whose result differs first.
    pub stage: Option<String>,
    /// The part in which the first difference stands.
    pub address: Option<String>,
    /// What to change in the tool that wrote the session, where it has a setting for it.
    pub remedy: Option<Remedy>,
    /// What led to it, from what happened to the end of the prefix.
    pub chain: Vec<ChainStep>,
    pub could_have_tokens: u32,
}

/// What the cache makes of a stretch of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum CacheZone {
    Stable,
    BelowMinimum,
    Unmarked,
    Expired,
    Evicted,
    Variable,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ZoneRow {
    pub zone: CacheZone,
    pub from: u32,
    pub to: u32,
    /// "found in the cache".
    pub meaning: String,
}

/// What the provider said, beside the prediction in its own tokens.
#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ReportedCache {
    pub prompt_tokens: u32,
    pub cached_tokens: u32,
    pub written_tokens: Option<u32>,
    pub predicted_tokens: u32,
    /// Why they differ by more than a block; absent where they do not.
    pub difference: Option<String>,
    pub is_explained: bool,
}

/// The rule by which a prediction was made.
#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CacheRuleInfo {
    pub name: String,
    /// It is one for this model, not an assumption.
    pub is_known: bool,
    /// Nothing is promised: the prediction is the most that can be found.
    pub is_best_effort: bool,
    pub minimum_tokens: u32,
    pub block_tokens: u32,
    pub lifetime_s: Option<f64>,
    pub source: String,
    pub seen_on: String,
    pub note: Option<String>,
}

/// `cache/difference`: one difference between a call's prompt and the one it could have continued.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    pub session: String,
    pub call: u32,
    /// Counts from 1, from the beginning of the prompt on: the first one ends the prefix.
    pub number: u32,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PromptDifference {
    pub call: u32,
    /// The call it is compared with; absent for the first call of an agent.
    pub previous_call: Option<u32>,
    /// How many differences there are.
    pub total: u32,
    /// Of the later prompt: what both begin with, what both have behind the first difference, and the rest.
    pub same_tokens: u32,
    pub again_tokens: u32,
    pub new_tokens: u32,
    /// Absent when the later prompt is the earlier one.
    pub shown: Option<DifferenceDetail>,
}

/// What one difference is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum DifferenceKind {
    /// The same part with another text.
    Rewritten,
    /// Other parts in the place of some.
    Replaced,
    LeftOut,
    Inserted,
    /// What the later prompt has behind the end of the earlier one. It breaks nothing.
    Continued,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DifferenceDetail {
    /// As it was asked for, or the last one.
    pub number: u32,
    pub kind: DifferenceKind,
    /// Where it begins, in tokens of the later prompt.
    pub at_token: u32,
    /// "system_instruction[1]".
    pub place: String,
    /// "state.hits", "E7 log_analyst".
    pub source: String,
    /// The part, in the later prompt where it has one.
    pub address: String,
    pub before: Vec<TokenChip>,
    pub after: Vec<TokenChip>,
    /// How many chips both sides begin with.
    pub common_chips: u32,
    pub lines: Vec<DiffLine>,
    pub hidden_lines: u32,
    pub is_whitespace_only: bool,
}

/// A token's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct TokenChip {
    pub text: String,
    pub kind: Kind,
}

/// `cache/fixes`: changes that would keep more of the prompts in the cache, each replayed over all calls.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Fixes {
    pub session: String,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct FixList {
    /// Every call is compiled; before, nothing is replayed.
    pub is_complete: bool,
    /// Calls that were replayed.
    pub calls: u32,
    /// The most useful first.
    pub rows: Vec<FixRow>,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(rename = "CacheFix")]
pub struct FixRow {
    /// `move_behind_history`, `drop_value`, …
    pub kind: String,
    pub agent: String,
    pub title: String,
    /// Codes of the causes it is a remedy for.
    pub causes: Vec<String>,
    /// Tokens less that are paid in full, over all calls.
    pub saves_tokens: i64,
    pub saves_cost_usd: Option<f64>,
    /// Prompts that would be sent differently.
    pub changed_prompts: u32,
    /// Edits that do it, for `experiment/edit`; empty where no edit does.
    pub edits: Vec<Edit>,
}
