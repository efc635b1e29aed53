//! Script processors.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// `script/check`: reads a script, and runs it on a call if one is named. Nothing is stored.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    pub source: String,
    /// The session or experiment, and the call; absent: the script is only read.
    pub on: Option<ScriptTarget>,
}

/// The request a script is tried on.
#[derive(Debug, Clone, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ScriptTarget {
    pub session: String,
    pub call: u32,
    /// The processor it would stand before; absent: where scripts belong.
    pub before: Option<String>,
}

/// What came of a script.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ScriptReport {
    /// The stage; empty for a script that only was read.
    pub stage: String,
    pub failure: Option<ScriptFailure>,
    pub console: Vec<ConsoleLine>,
    /// Tokens of the request before and after; absent for a script that only was read.
    pub tokens: Option<ScriptTokens>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ScriptTokens {
    pub before: u32,
    pub after: u32,
}

/// Why a script gave no request. The request then goes on as it was.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ScriptFailure {
    /// `syntax`, `thrown`, `time`, `memory`, `stack` or `result`.
    pub code: String,
    pub message: String,
    /// Counts from 1.
    pub line: Option<u32>,
    pub column: Option<u32>,
    /// A call a line, the innermost first.
    pub stack: String,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ConsoleLine {
    /// `log`, `info`, `warn`, `error` or `debug`.
    pub level: String,
    pub text: String,
}
