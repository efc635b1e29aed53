//! Why google-adk rejects a configuration.

use std::fmt;

use super::problem::Problem;

/// Why ADK rejects a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigError {
    /// Fields that are not as they should be: pydantic's `ValidationError`.
    Invalid(Vec<Problem>),
    /// An argument out of range: a plain `ValueError` in ADK's words.
    Value { message: String },
    /// A value that ADK itself stumbles over while it reads it: a plain `AttributeError`.
    Attribute { message: String },
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value { message } | Self::Attribute { message } => f.write_str(message),
            Self::Invalid(problems) => {
                let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
                f.write_str(&lines.join("; "))
            }
        }
    }
}

impl std::error::Error for ConfigError {}

/// `Ok` where nothing is wrong.
pub(super) fn found(problems: Vec<Problem>) -> Result<(), ConfigError> {
    if problems.is_empty() { Ok(()) } else { Err(ConfigError::Invalid(problems)) }
}
