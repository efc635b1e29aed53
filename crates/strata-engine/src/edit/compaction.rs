//! Changes of what is summarised.

use serde::{Deserialize, Serialize};
use strata_model::{Json, Object, Str};
use ts_rs::TS;

use super::json_object::JsonObject;

/// A change of what is summarised. Only the last one counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "edit", deny_unknown_fields)]
pub enum CompactionEdit {
    /// Another `eventsCompactionConfig`, in ADK's field names; absent: none. What it would have summarised is
    /// summarised: by the recorded summaries where the windows are the recorded ones, else by extracts.
    #[serde(rename = "set_compaction")]
    Set {
        #[serde(default)]
        #[ts(as = "Option<JsonObject>")]
        config: Option<Object>,
    },
    /// These summaries in place of the recorded ones, as a run of compaction wrote them.
    #[serde(rename = "lay_summaries")]
    Lay {
        /// What they were written for, as `interval=3,overlap=1`.
        config: Str,
        /// The prompt the summariser was given in place of google-adk's.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        prompt: Option<Str>,
        summaries: Vec<LaidSummary>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        #[ts(as = "Option<Vec<ClearedResults>>", optional)]
        cleared: Vec<ClearedResults>,
    },
}

/// A summary, and what it stands for. E1 is 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct LaidSummary {
    /// It stands behind this recorded event.
    pub after: u32,
    /// The first and the last event in whose time lie all that it covers.
    pub first: u32,
    pub last: u32,
    /// ADK's `{role, parts}`.
    #[ts(type = "unknown")]
    pub content: Json,
    /// Who wrote it.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    #[ts(as = "Option<Str>", optional)]
    pub by: Str,
    /// Nobody was paid for it: it was written on a computer of one's own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(as = "Option<bool>", optional)]
    pub free: bool,
    /// What writing it took, where that was reported: ADK's usage metadata.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<JsonObject>", optional)]
    pub usage: Option<Object>,
    /// Covers events of this isolation scope; absent: those of none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub isolation_scope: Option<Str>,
}

/// Events whose long tool results give way to a note, from a call on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct ClearedResults {
    /// C1 is 1.
    pub before_call: u32,
    /// E1 is 1.
    pub events: Vec<u32>,
}

impl CompactionEdit {
    pub(super) const NAMES: &[&str] = &["set_compaction", "lay_summaries"];

    /// As files have it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Set { .. } => "set_compaction",
            Self::Lay { .. } => "lay_summaries",
        }
    }

    /// Whether nothing of an earlier edit is left by this one, which sets the same thing.
    pub(super) fn overrides(&self, earlier: &Self) -> bool {
        match self {
            Self::Set { .. } => matches!(earlier, Self::Set { .. }),
            Self::Lay { .. } => false,
        }
    }
}
