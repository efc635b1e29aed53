//! Changes of events.

use serde::{Deserialize, Serialize};
use strata_model::Json;
use ts_rs::TS;

/// A change of one event. E1 is 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "edit", deny_unknown_fields)]
pub enum EventsEdit {
    /// Takes an event out of every history, with a summary or a rewind it carries. What it did to state stays.
    #[serde(rename = "drop_event")]
    Drop { event: u32 },
    /// Another content for an event: ADK's `{role, parts}`.
    #[serde(rename = "edit_event")]
    Replace {
        event: u32,
        #[ts(type = "unknown")]
        content: Json,
    },
    /// Keeps an event in histories: summaries do not replace it, and no processor of Strata's takes it out.
    #[serde(rename = "pin_event")]
    Pin { event: u32 },
}

impl EventsEdit {
    pub(super) const NAMES: &[&str] = &["drop_event", "edit_event", "pin_event"];

    /// As files have it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Drop { .. } => "drop_event",
            Self::Replace { .. } => "edit_event",
            Self::Pin { .. } => "pin_event",
        }
    }

    /// Whether nothing of an earlier edit is left by this one, which sets the same thing.
    pub(super) fn overrides(&self, earlier: &Self) -> bool {
        match self {
            Self::Replace { event, .. } => {
                matches!(earlier, Self::Replace { event: before, .. } if before == event)
            }
            Self::Drop { .. } | Self::Pin { .. } => false,
        }
    }
}
