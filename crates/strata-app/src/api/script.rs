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

/// `script/list`: the scripts that are saved.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct List {}

/// `script/get`: the text of a saved script.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Get {
    pub name: String,
}

/// `script/save`: writes a script into the folder. The answer lists what is saved then.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Save {
    /// A file's name, with or without `.js`; folders are refused.
    pub name: String,
    pub source: String,
    /// Whether a script of that name may be overwritten; otherwise that is `badInput`.
    pub replaces: bool,
}

/// `script/remove`: takes a script's file away. The answer lists what is saved then.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Remove {
    pub name: String,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ScriptList {
    /// Where they lie; empty where this Strata keeps nothing.
    pub folder: String,
    /// By name.
    pub scripts: Vec<SavedScript>,
}

#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SavedScript {
    /// Without `.js`.
    pub name: String,
    pub path: String,
    pub bytes: f64,
    /// Epoch milliseconds.
    pub changed_ms: f64,
    /// The comment in its first line; empty if there is none.
    pub summary: String,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ScriptSource {
    pub name: String,
    pub source: String,
}
