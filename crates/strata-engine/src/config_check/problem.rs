//! What is wrong with a configuration.

use std::fmt;

/// What is wrong at one place.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Problem {
    /// The way there, from the outside in; list positions are numbers from 0. Empty: the value as a whole.
    pub at: Vec<String>,
    /// pydantic's name of the mistake, such as `extra_forbidden`.
    pub kind: &'static str,
    /// What to change, for people.
    pub message: String,
}

impl Problem {
    pub(super) fn new(at: &[&str], kind: &'static str, message: impl Into<String>) -> Self {
        Self { at: at.iter().map(|step| (*step).to_owned()).collect(), kind, message: message.into() }
    }

    pub(super) fn here(kind: &'static str, message: impl Into<String>) -> Self {
        Self::new(&[], kind, message)
    }

    pub(super) fn below(mut self, step: &str) -> Self {
        self.at.insert(0, step.to_owned());
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.at.is_empty() {
            return f.write_str(&self.message);
        }
        write!(f, "{}: {}", self.at.join("."), self.message)
    }
}

/// The value as a whole does not hold together.
pub(super) fn whole(message: impl Into<String>) -> Vec<Problem> {
    vec![Problem::here("value_error", message)]
}
