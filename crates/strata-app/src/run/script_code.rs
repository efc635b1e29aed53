//! Code of an app that is functions of its script: how it names them, and what they do wrong.

use strata_model::{Json, Object};
use strata_runtime::Failure;

use super::tools::ToolScript;

/// The function of the script that some code is.
pub(super) fn function_of<'c>(code: &'c Object, name: &'c str) -> &'c str {
    code.get("function").and_then(Json::as_str).unwrap_or(name)
}

/// What a function of the script did wrong, with its place.
pub(super) fn script_failure(script: &ToolScript, problem: impl std::fmt::Display) -> Failure {
    Failure::new("ScriptError", format!("{}: {problem}", script.file()))
}

/// The function of a callback: named by its code, or the last word of `module.function`.
pub(super) fn callback_function<'c>(name: &'c str, code: Option<&'c Object>) -> &'c str {
    let last = name.rsplit('.').next().unwrap_or(name);
    code.map_or(last, |code| function_of(code, last))
}
