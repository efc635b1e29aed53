//! Parts of a compiled request: text, tokens, source, difference.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::call::CompareWith;
use super::common::{ChainStep, Kind, KindTokens, TokenCount};

/// `part/get`: one part of a call's request for the inspector.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Get {
    pub session: String,
    /// `C17/4.0`, `C17/sys.1`, `C17/tool.sql_query`.
    pub address: String,
    /// The stage it is looked at after; absent for the last.
    pub stage: Option<u32>,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PartDetail {
    pub address: String,
    /// "Rewritten part", "Instruction", "Tool definition".
    pub title: String,
    /// "contents[4]".
    pub badge: String,
    /// "prompt of C25, tokens 4,865–5,168".
    pub subtitle: String,
    pub kind: Kind,
    pub is_reframed: bool,
    pub tokens: TokenCount,
    /// Tokens of what it was made from, where that is an event.
    pub stored_tokens: Option<u32>,
    pub sent_in: u32,
    pub calls: u32,
    /// Tokens of it that matched an earlier prompt in this call.
    pub cached_tokens: Option<u32>,
    pub chain: Vec<ChainStep>,
    /// Its text by source, in order.
    pub spans: Vec<PartSpan>,
    /// Kinds of the whole prompt of this call.
    pub prompt_by_kind: Vec<KindTokens>,
    pub prompt_tokens: u32,
    pub is_inferred: bool,
}

/// A run of a part's text with one source.
#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PartSpan {
    /// In UTF-16 units of the part's text.
    pub from: u32,
    pub to: u32,
    /// "the runtime's framing", "E39", "state.hits", "instruction of log_analyst".
    pub source: String,
    pub address: Option<String>,
}

/// `part/text`: a page of a part's text, cut into tokens.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Text {
    pub session: String,
    /// A part of a call, or `E7/0` for part 0 of an event as it is stored.
    pub address: String,
    pub stage: Option<u32>,
    /// In UTF-16 units.
    pub offset: u32,
    pub limit: u32,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PartText {
    pub total_length: u32,
    pub offset: u32,
    pub text: String,
    /// Ends of tokens inside `text`, in UTF-16 units. Empty when the vocabulary cannot tell.
    pub token_ends: Vec<u32>,
}

/// `part/diff`: a part before and after, line by line.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Diff {
    pub session: String,
    pub address: String,
    pub stage: u32,
    pub compare_with: CompareWith,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PartDiff {
    /// "contents[4].parts[0]".
    pub title: String,
    /// "role model → user, quoted as the coordinator's words".
    pub subtitle: String,
    /// "E39 in the session, 284 tokens".
    pub before_label: String,
    pub after_label: String,
    pub lines: Vec<DiffLine>,
    /// The deadline struck: the difference is right but not the smallest.
    pub is_approximate: bool,
    /// Only white space differs. It breaks caches all the same.
    pub is_whitespace_only: bool,
    /// Lines left out at the end because the text is too long to show.
    pub hidden_lines: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum DiffSign {
    Same,
    Added,
    Removed,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DiffLine {
    pub sign: DiffSign,
    pub before_line: Option<u32>,
    pub after_line: Option<u32>,
    /// Runs of the line; emphasised ones are the words that changed.
    pub runs: Vec<DiffRun>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DiffRun {
    pub text: String,
    pub is_emphasised: bool,
}
