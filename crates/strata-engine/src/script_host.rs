//! What runs scripts. The engine is pure and knows no interpreter; whoever has one hands it in.

use std::fmt;

use strata_model::Json;

/// Runs `export function process(request, context)` of a script.
///
/// The same source, request and context have to give the same result: results are kept and used again. A script gets
/// no clock, chance, files or network, and is stopped when it takes too much time or memory.
pub trait ScriptHost: Send + Sync {
    /// Runs a script on a request, both as JSON.
    fn run(&self, source: &str, request: &Json, context: &Json) -> ScriptRun;

    /// Reads a script without running its function.
    fn check(&self, source: &str) -> ScriptRun;
}

/// What came of running a script.
#[derive(Debug, Clone, PartialEq)]
pub struct ScriptRun {
    /// What it returned. For a check: null.
    pub result: Result<Json, ScriptFailure>,
    /// What it wrote to the console, in order.
    pub console: Vec<ScriptLine>,
}

/// A line on the console.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptLine {
    /// `log`, `warn`, `error`, …
    pub level: String,
    pub text: String,
}

/// Why a script gave no request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScriptFailure {
    /// A stable name: `syntax`, `thrown`, `time`, `memory`, `stack`, `result`.
    pub code: &'static str,
    pub message: String,
    /// Where in the script, counted from 1.
    pub line: Option<u32>,
    pub column: Option<u32>,
    /// A call a line, the innermost first; empty where there is none.
    pub stack: String,
}

impl fmt::Display for ScriptFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match (self.line, self.column) {
            (Some(line), Some(column)) => write!(f, " (line {line}, column {column})"),
            (Some(line), None) => write!(f, " (line {line})"),
            _ => Ok(()),
        }
    }
}
