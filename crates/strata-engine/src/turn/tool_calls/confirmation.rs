//! What a person said to a call that asked for approval.

use strata_model::{FunctionResponse, Json, Str, json, python};

use crate::config_check::tool_confirmation_problems;
use crate::error::{CompileError, ErrorKind};

/// An answer to `adk_request_confirmation`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolConfirmation {
    pub hint: Str,
    pub is_confirmed: bool,
    /// Data the tool asked for.
    pub payload: Json,
}

/// What a person can change about an answer that cannot be read.
const ADVICE: &str =
    "answer with {confirmed: true or false, payload}, or the same as JSON text under response";

impl ToolConfirmation {
    /// Reads `{hint?, confirmed?, payload?}`, or `{response: <the same as JSON text>}`. `None`: the response is absent.
    pub fn read(response: &FunctionResponse) -> Option<Result<Self, CompileError>> {
        let response = response.response.as_deref()?;
        let wrapped = response.get("response").filter(|_| response.len() == 1);
        Some(match wrapped {
            None => Self::from_json(&response.clone().into()),
            Some(Json::String(text)) => json::parse(text.as_bytes())
                .map_err(|error| CompileError::new(ErrorKind::JsonDecodeError, error.to_string(), ADVICE))
                .and_then(|value| Self::from_json(&value)),
            Some(other) => {
                let message = format!(
                    "the JSON object must be str, bytes or bytearray, not {}",
                    python::type_name(other)
                );
                Err(CompileError::new(ErrorKind::TypeError, message, ADVICE))
            }
        })
    }

    fn from_json(value: &Json) -> Result<Self, CompileError> {
        let problems = tool_confirmation_problems(value);
        if !problems.is_empty() {
            return Err(CompileError::invalid(problems, ADVICE));
        }
        Ok(Self {
            hint: value.get("hint").and_then(Json::as_str).unwrap_or_default().into(),
            is_confirmed: value.get("confirmed").and_then(python::pydantic_bool).unwrap_or(false),
            payload: value.get("payload").cloned().unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[track_caller]
    fn check(response: &str, expected: Result<bool, ErrorKind>) {
        let Json::Object(object) = json::parse(response.as_bytes()).unwrap() else { panic!("an object") };
        let response = FunctionResponse { response: Some(Arc::new(object)), ..FunctionResponse::default() };
        let read = ToolConfirmation::read(&response).unwrap();
        assert_eq!(read.map(|read| read.is_confirmed).map_err(|error| error.kind), expected);
    }

    #[test]
    fn both_forms_are_read() {
        check(r#"{"confirmed":true}"#, Ok(true));
        check(r#"{"response":"{\"confirmed\": true, \"payload\": {\"a\": 1}}"}"#, Ok(true));
        check("{}", Ok(false));
        check(r#"{"confirmed":"yes","hint":""}"#, Ok(true));
    }

    #[test]
    fn what_cannot_be_read_says_how_adk_would_fail() {
        check(r#"{"confirmed":"maybe"}"#, Err(ErrorKind::ValidationError));
        check(r#"{"approved":true}"#, Err(ErrorKind::ValidationError));
        check(r#"{"response":"{"}"#, Err(ErrorKind::JsonDecodeError));
        check(r#"{"response":{"confirmed":true}}"#, Err(ErrorKind::TypeError));
    }
}
