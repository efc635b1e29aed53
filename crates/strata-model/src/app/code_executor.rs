//! What runs the code that a model writes.

use crate::decode::{Decoder, FromJson};
use crate::json::{Json, Object};
use crate::{Diagnostic, Str};

/// What runs the code a model writes.
#[derive(Debug, Clone, PartialEq, Hash)]
pub enum CodeExecutor {
    /// The provider's own.
    BuiltIn,
    /// A sandbox of the host's.
    Host {
        optimize_data_file: bool,
        error_retry_attempts: i64,
        /// Fences around code in text; the first pair is the one models are told to use.
        code_block_delimiters: Vec<(Str, Str)>,
        execution_result_delimiters: (Str, Str),
    },
}

impl FromJson for CodeExecutor {
    const EXPECTED: &'static str = "{type: built_in} or {type: host, …}";

    fn from_json(value: Json, decoder: &mut Decoder) -> Result<Self, Json> {
        let pair = |value: &Json| match value.as_array() {
            Some([Json::String(open), Json::String(close)]) => Some((open.clone(), close.clone())),
            _ => None,
        };
        match value.get("type").and_then(Json::as_str) {
            Some("built_in") => Ok(Self::BuiltIn),
            Some("host") => {
                let delimiters = value.get("code_block_delimiters").and_then(Json::as_array);
                let delimiters: Vec<_> = delimiters.unwrap_or_default().iter().filter_map(pair).collect();
                Ok(Self::Host {
                    optimize_data_file: value.get("optimize_data_file").and_then(Json::as_bool) == Some(true),
                    error_retry_attempts: value
                        .get("error_retry_attempts")
                        .and_then(Json::as_i64)
                        .unwrap_or(2),
                    code_block_delimiters: if delimiters.is_empty() {
                        vec![
                            ("```tool_code\n".into(), "\n```".into()),
                            ("```python\n".into(), "\n```".into()),
                        ]
                    } else {
                        delimiters
                    },
                    execution_result_delimiters: value
                        .get("execution_result_delimiters")
                        .and_then(pair)
                        .unwrap_or_else(|| ("```tool_output\n".into(), "\n```".into())),
                })
            }
            _ => {
                decoder.report(Diagnostic::warning(
                    "unknown-code-executor",
                    decoder.at(),
                    "this kind of code executor is not known; the agent is compiled without one",
                ));
                Err(value)
            }
        }
    }

    fn to_json(&self) -> Json {
        let mut out = Object::new();
        match self {
            Self::BuiltIn => out.push("type", "built_in"),
            Self::Host {
                optimize_data_file,
                error_retry_attempts,
                code_block_delimiters,
                execution_result_delimiters,
            } => {
                let pair =
                    |(open, close): &(Str, Str)| Json::Array(vec![open.clone().into(), close.clone().into()]);
                out.push("type", "host");
                out.push("optimize_data_file", *optimize_data_file);
                out.push("error_retry_attempts", *error_retry_attempts);
                out.push("code_block_delimiters", code_block_delimiters.iter().map(pair).collect::<Vec<_>>());
                out.push("execution_result_delimiters", pair(execution_result_delimiters));
            }
        }
        Json::Object(out)
    }
}
