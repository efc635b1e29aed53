//! Calls that a person approves before they run.

use crate::json::{Json, Object};

/// Whether a person has to approve a call before it runs.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Confirmation {
    #[default]
    Never,
    Always,
    /// The host decides by the call's arguments, and by this rule of its own.
    Depends {
        rule: Json,
    },
}

impl Confirmation {
    /// `require_confirmation` of a tool: a boolean, or anything else by which the host decides.
    pub(super) fn of(tool: &Json) -> Self {
        match tool.get("require_confirmation") {
            None | Some(Json::Null | Json::Bool(false)) => Self::Never,
            Some(Json::Bool(true)) => Self::Always,
            Some(rule) => Self::Depends { rule: rule.clone() },
        }
    }

    pub(super) fn write(&self, out: &mut Object) {
        match self {
            Self::Never => {}
            Self::Always => out.push("require_confirmation", true),
            Self::Depends { rule } => out.push("require_confirmation", rule.clone()),
        }
    }
}
