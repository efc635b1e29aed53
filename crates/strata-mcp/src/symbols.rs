//! Recorded text as an answer may have it.

use serde_json::Value;
use strata_app::report::AnswerText;
use strata_app::{cut, without_commands};

/// Characters of a recorded text in a row.
pub(crate) const IN_ROW: usize = 90;

/// A recorded text on one line: without secrets, and with symbols for what would command a terminal.
pub(crate) fn recorded(text: &str) -> String {
    recorded_of(text, IN_ROW)
}

/// The same, of at most so many characters. Secrets are masked before it is cut, so that no piece of one is left.
pub(crate) fn recorded_of(text: &str, most: usize) -> String {
    let masked = AnswerText::masked(text);
    let line = masked.split_whitespace().collect::<Vec<_>>().join(" ");
    without_commands(&cut(&line, most)).into_owned()
}

/// A text in quotation marks, which end where it ends.
pub(crate) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// The same for all texts of a value, in place.
pub(crate) fn clean(value: &mut Value) {
    match value {
        Value::String(text) => *text = without_commands(&AnswerText::masked(text)).into_owned(),
        Value::Array(items) => items.iter_mut().for_each(clean),
        Value::Object(fields) => fields.values_mut().for_each(clean),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
