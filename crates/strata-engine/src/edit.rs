//! What an experiment changes: a closed list of edits, in one form wherever they go.
//!
//! A recorded session is never changed. Edits are laid over it by [`crate::Experiment::lay`]: each is applied to
//! what the ones before it left, and one that does not fit is reported while all others still count. Taking an edit
//! back is applying the list without it.
//!
//! ```
//! use strata_engine::{Edit, EventsEdit};
//!
//! let edit: Edit = serde_json::from_str(r#"{"edit":"drop_event","event":3}"#)?;
//! assert_eq!(edit, Edit::Events(EventsEdit::Drop { event: 3 }));
//! # Ok::<(), serde_json::Error>(())
//! ```

mod app;
mod compaction;
mod events;
mod flow;
mod json_object;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use strata_model::Json;
use ts_rs::TS;

pub use app::AppEdit;
pub use compaction::{ClearedResults, CompactionEdit, LaidSummary};
pub use events::EventsEdit;
pub use flow::FlowEdit;
pub use json_object::JsonObject;

/// One change to a session's compile, by what it changes.
///
/// As JSON or YAML: an object whose `edit` names the change, beside its fields; what it changes follows from the name.
/// These names are promised: commands, files of edits and stores use the same form.
#[derive(Debug, Clone, PartialEq, Serialize, TS)]
#[serde(untagged)]
pub enum Edit {
    Flow(FlowEdit),
    App(AppEdit),
    Events(EventsEdit),
    Compaction(CompactionEdit),
}

impl Edit {
    /// What the change is called in files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Flow(edit) => edit.name(),
            Self::App(edit) => edit.name(),
            Self::Events(edit) => edit.name(),
            Self::Compaction(edit) => edit.name(),
        }
    }

    /// Whether an earlier edit can go where this one is made right behind it: both set the same thing.
    pub fn overrides(&self, earlier: &Self) -> bool {
        match self {
            Self::Flow(edit) => matches!(earlier, Self::Flow(earlier) if edit.overrides(earlier)),
            Self::App(edit) => matches!(earlier, Self::App(earlier) if edit.overrides(earlier)),
            Self::Events(edit) => matches!(earlier, Self::Events(earlier) if edit.overrides(earlier)),
            Self::Compaction(edit) => matches!(earlier, Self::Compaction(earlier) if edit.overrides(earlier)),
        }
    }
}

/// By its name, so that an error speaks of the one kind of edit that was meant, or names all there are.
impl<'de> Deserialize<'de> for Edit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = Json::deserialize(deserializer)?;
        let Some(name) = json.get("edit").and_then(Json::as_str) else {
            return Err(D::Error::custom("an edit is an object whose `edit` is the name of the change"));
        };
        let is_in = |names: &[&str]| names.contains(&name);
        let edit = if is_in(FlowEdit::NAMES) {
            FlowEdit::deserialize(json).map(Self::Flow)
        } else if is_in(AppEdit::NAMES) {
            AppEdit::deserialize(json).map(Self::App)
        } else if is_in(EventsEdit::NAMES) {
            EventsEdit::deserialize(json).map(Self::Events)
        } else if is_in(CompactionEdit::NAMES) {
            CompactionEdit::deserialize(json).map(Self::Compaction)
        } else {
            let names = [FlowEdit::NAMES, AppEdit::NAMES, EventsEdit::NAMES, CompactionEdit::NAMES].concat();
            let names = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
            return Err(D::Error::custom(format!("there is no edit `{name}`; edits are {names}")));
        };
        edit.map_err(D::Error::custom)
    }
}

impl From<FlowEdit> for Edit {
    fn from(edit: FlowEdit) -> Self {
        Self::Flow(edit)
    }
}

impl From<AppEdit> for Edit {
    fn from(edit: AppEdit) -> Self {
        Self::App(edit)
    }
}

impl From<EventsEdit> for Edit {
    fn from(edit: EventsEdit) -> Self {
        Self::Events(edit)
    }
}

impl From<CompactionEdit> for Edit {
    fn from(edit: CompactionEdit) -> Self {
        Self::Compaction(edit)
    }
}
