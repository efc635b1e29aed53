//! Changes of flows: which processors run, in which order, with which parameters.

use serde::{Deserialize, Serialize};
use strata_model::{Object, Str};
use ts_rs::TS;

use super::json_object::JsonObject;

/// A change of flows. Processors are named as stages are. `agent` says in whose flow; absent: in every flow that has
/// the processor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "edit", deny_unknown_fields)]
pub enum FlowEdit {
    /// Runs a processor again.
    #[serde(rename = "enable_processor")]
    Enable {
        processor: Str,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        agent: Option<Str>,
    },
    /// Leaves a processor out. It keeps its place.
    #[serde(rename = "disable_processor")]
    Disable {
        processor: Str,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        agent: Option<Str>,
    },
    #[serde(rename = "move_processor")]
    Move {
        processor: Str,
        /// The processor it then stands before; absent: behind all others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        before: Option<Str>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        agent: Option<Str>,
    },
    #[serde(rename = "insert_processor")]
    Insert {
        /// Its kind, as the catalogue calls it.
        #[serde(rename = "use")]
        kind: Str,
        /// What it is called in the flow; absent: its kind, with a number where that is taken.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        name: Option<Str>,
        /// The processor it stands before; absent: where processors of its kind belong.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        before: Option<Str>,
        /// What is left out has its default.
        #[serde(default, skip_serializing_if = "Object::is_empty")]
        #[ts(as = "Option<JsonObject>", optional)]
        params: Object,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        agent: Option<Str>,
    },
    /// Gives an inserted processor other parameters. What is left out has its default.
    #[serde(rename = "configure_processor")]
    Configure {
        processor: Str,
        #[ts(as = "JsonObject")]
        params: Object,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        agent: Option<Str>,
    },
    /// Takes an inserted processor out again.
    #[serde(rename = "remove_processor")]
    Remove {
        processor: Str,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        agent: Option<Str>,
    },
    /// Which fields instructions are shown of the entries of a state key; an empty list: all again.
    #[serde(rename = "set_state_map")]
    StateMap {
        key: Str,
        #[serde(default)]
        fields: Vec<Str>,
    },
}

impl FlowEdit {
    pub(super) const NAMES: &[&str] = &[
        "enable_processor",
        "disable_processor",
        "move_processor",
        "insert_processor",
        "configure_processor",
        "remove_processor",
        "set_state_map",
    ];

    /// As files have it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Enable { .. } => "enable_processor",
            Self::Disable { .. } => "disable_processor",
            Self::Move { .. } => "move_processor",
            Self::Insert { .. } => "insert_processor",
            Self::Configure { .. } => "configure_processor",
            Self::Remove { .. } => "remove_processor",
            Self::StateMap { .. } => "set_state_map",
        }
    }

    /// A processor of a kind where such processors belong, in every flow.
    pub fn insert(kind: impl Into<Str>, params: Object) -> Self {
        Self::Insert { kind: kind.into(), name: None, before: None, params, agent: None }
    }

    /// In whose flow; `None`: in every one.
    pub fn agent(&self) -> Option<&Str> {
        match self {
            Self::Enable { agent, .. }
            | Self::Disable { agent, .. }
            | Self::Move { agent, .. }
            | Self::Insert { agent, .. }
            | Self::Configure { agent, .. }
            | Self::Remove { agent, .. } => agent.as_ref(),
            Self::StateMap { .. } => None,
        }
    }

    /// Whether nothing of an earlier edit is left by this one, which sets the same thing.
    pub(super) fn overrides(&self, earlier: &Self) -> bool {
        match self {
            Self::Configure { processor, agent, .. } => matches!(
                earlier,
                Self::Configure { processor: before, agent: of, .. } if before == processor && of == agent
            ),
            Self::Move { processor, agent, .. } => matches!(
                earlier,
                Self::Move { processor: before, agent: of, .. } if before == processor && of == agent
            ),
            Self::StateMap { key, .. } => {
                matches!(earlier, Self::StateMap { key: before, .. } if before == key)
            }
            Self::Enable { .. } | Self::Disable { .. } | Self::Insert { .. } | Self::Remove { .. } => false,
        }
    }
}
