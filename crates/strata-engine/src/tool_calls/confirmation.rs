//! What a person said to a call that asked for approval.

use strata_model::{FunctionResponse, Json, Object, Str, json};

use crate::config_check::python_bool;
use crate::error::ErrorKind;

/// An answer to `adk_request_confirmation`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolConfirmation {
    pub hint: Str,
    pub is_confirmed: bool,
    /// Data the tool asked for.
    pub payload: Json,
}

/// An answer that cannot be read; ADK ends the run with the Python exception.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfirmationError {
    pub kind: ErrorKind,
    pub message: String,
}

impl ToolConfirmation {
    /// Reads `{hint?, confirmed?, payload?}`, or `{response: <the same as JSON text>}`. `None`: the response is absent.
    pub fn read(response: &FunctionResponse) -> Option<Result<Self, ConfirmationError>> {
        let response = response.response.as_deref()?;
        let wrapped = response.get("response").filter(|_| response.len() == 1);
        Some(match wrapped {
            None => Self::from_object(response),
            Some(Json::String(text)) => Self::from_text(text),
            Some(other) => Err(ConfirmationError {
                kind: ErrorKind::TypeError,
                message: format!("the JSON object must be str, bytes or bytearray, not {}", type_name(other)),
            }),
        })
    }

    fn from_text(text: &str) -> Result<Self, ConfirmationError> {
        match json::parse(text.as_bytes()) {
            Ok(Json::Object(object)) => Self::from_object(&object),
            Ok(other) => Err(invalid(format!("a confirmation should be an object but is {}", other.kind()))),
            Err(error) => {
                Err(ConfirmationError { kind: ErrorKind::JsonDecodeError, message: error.to_string() })
            }
        }
    }

    fn from_object(object: &Object) -> Result<Self, ConfirmationError> {
        let mut confirmation = Self::default();
        for (key, value) in object.iter() {
            match (&**key, value) {
                ("hint", Json::String(hint)) => confirmation.hint = hint.clone(),
                ("confirmed", value) => {
                    confirmation.is_confirmed = python_bool(value).ok_or_else(|| {
                        invalid(format!("confirmed should be a boolean but is {}", value.kind()))
                    })?;
                }
                ("payload", value) => confirmation.payload = value.clone(),
                ("hint", value) => {
                    return Err(invalid(format!("hint should be a string but is {}", value.kind())));
                }
                (other, _) => return Err(invalid(format!("a confirmation has no field {other}"))),
            }
        }
        Ok(confirmation)
    }
}

fn invalid(message: String) -> ConfirmationError {
    ConfirmationError { kind: ErrorKind::ValidationError, message }
}

fn type_name(value: &Json) -> &'static str {
    match value {
        Json::Null => "NoneType",
        Json::Bool(_) => "bool",
        Json::Int(_) | Json::BigInt(_) => "int",
        Json::Float(_) => "float",
        Json::String(_) => "str",
        Json::Array(_) => "list",
        Json::Object(_) => "dict",
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
