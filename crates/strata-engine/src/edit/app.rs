//! Changes of the app's configuration.

use serde::{Deserialize, Serialize};
use strata_model::{Json, Object, Str};
use ts_rs::TS;

use super::json_object::JsonObject;

/// A change of the app or of an agent in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "edit", deny_unknown_fields)]
pub enum AppEdit {
    /// Another template for an agent's instruction; absent: none.
    #[serde(rename = "set_instruction")]
    Instruction {
        agent: Str,
        #[serde(default)]
        text: Option<Str>,
    },
    /// Another static instruction, which is never filled; absent: none.
    #[serde(rename = "set_static_instruction")]
    StaticInstruction {
        agent: Str,
        #[serde(default)]
        text: Option<Str>,
    },
    /// Another template for the root agent's instruction to all agents; absent: none.
    #[serde(rename = "set_global_instruction")]
    GlobalInstruction {
        #[serde(default)]
        text: Option<Str>,
    },
    /// Another declaration for a function of an agent, a `FunctionDeclaration` in camelCase; absent: the agent does
    /// not have the tool.
    #[serde(rename = "set_tool")]
    Tool {
        agent: Str,
        tool: Str,
        #[serde(default)]
        #[ts(as = "Option<JsonObject>")]
        declaration: Option<Object>,
    },
    /// Another schema that answers have to follow, as JSON Schema; absent: none.
    #[serde(rename = "set_output_schema")]
    OutputSchema {
        agent: Str,
        #[serde(default)]
        #[ts(type = "unknown")]
        schema: Option<Json>,
    },
    /// How much of the session an agent is shown: `default` or `none`.
    #[serde(rename = "set_include_contents")]
    IncludeContents { agent: Str, value: Str },
    /// Another `contextCacheConfig`, in ADK's field names; absent: none.
    #[serde(rename = "set_cache")]
    Cache {
        #[serde(default)]
        #[ts(as = "Option<JsonObject>")]
        config: Option<Object>,
    },
}

impl AppEdit {
    pub(super) const NAMES: &[&str] = &[
        "set_instruction",
        "set_static_instruction",
        "set_global_instruction",
        "set_tool",
        "set_output_schema",
        "set_include_contents",
        "set_cache",
    ];

    /// As files have it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Instruction { .. } => "set_instruction",
            Self::StaticInstruction { .. } => "set_static_instruction",
            Self::GlobalInstruction { .. } => "set_global_instruction",
            Self::Tool { .. } => "set_tool",
            Self::OutputSchema { .. } => "set_output_schema",
            Self::IncludeContents { .. } => "set_include_contents",
            Self::Cache { .. } => "set_cache",
        }
    }

    /// Whether nothing of an earlier edit is left by this one, which sets the same thing.
    pub(super) fn overrides(&self, earlier: &Self) -> bool {
        match self {
            Self::Instruction { agent, .. } => {
                matches!(earlier, Self::Instruction { agent: before, .. } if before == agent)
            }
            Self::StaticInstruction { agent, .. } => {
                matches!(earlier, Self::StaticInstruction { agent: before, .. } if before == agent)
            }
            Self::GlobalInstruction { .. } => matches!(earlier, Self::GlobalInstruction { .. }),
            Self::Tool { agent, tool, .. } => matches!(
                earlier,
                Self::Tool { agent: of, tool: before, .. } if of == agent && before == tool
            ),
            Self::OutputSchema { agent, .. } => {
                matches!(earlier, Self::OutputSchema { agent: before, .. } if before == agent)
            }
            Self::IncludeContents { agent, .. } => {
                matches!(earlier, Self::IncludeContents { agent: before, .. } if before == agent)
            }
            Self::Cache { .. } => matches!(earlier, Self::Cache { .. }),
        }
    }
}
