//! An answer before it is cut into pages.

use serde::Serialize;
use serde_json::{Map, Value};

/// A head, and rows behind it. Text and JSON say the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answer {
    /// Lines of the head.
    pub said: Vec<String>,
    /// The same as fields.
    pub facts: Map<String, Value>,
    /// What the rows are called.
    pub rows_name: &'static str,
    pub rows: Vec<Row>,
    /// Rows of a page at most; 0 for as many as fit.
    pub rows_of_page: usize,
}

/// A line and an object that say the same.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub line: String,
    pub json: Value,
}

/// Why a question has no answer: what is wrong, and what to do.
#[derive(Debug, Clone)]
pub(crate) struct Refusal(pub String);

impl Answer {
    /// Adds a line of the head.
    pub(crate) fn say(&mut self, line: impl Into<String>) {
        self.said.push(line.into());
    }

    /// Adds a field of the head.
    pub(crate) fn fact(&mut self, name: &str, value: impl Serialize) {
        // Our own values: all of them are JSON.
        let value = serde_json::to_value(value).unwrap_or_default();
        if !value.is_null() {
            self.facts.insert(name.to_owned(), value);
        }
    }

    pub(crate) fn row(&mut self, line: impl Into<String>, json: Value) {
        let json = match json {
            // What is not known is left out: it would cost whoever reads it tokens.
            Value::Object(fields) => {
                Value::Object(fields.into_iter().filter(|(_, value)| !value.is_null()).collect())
            }
            other => other,
        };
        self.rows.push(Row { line: line.into(), json });
    }
}

impl From<strata_app::AppError> for Refusal {
    fn from(error: strata_app::AppError) -> Self {
        Self(match error.detail {
            Some(detail) => format!("{}\n  {detail}", error.message),
            None => error.message,
        })
    }
}

impl From<String> for Refusal {
    fn from(message: String) -> Self {
        Self(message)
    }
}
