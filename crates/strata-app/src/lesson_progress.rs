//! What a learner has met of the lessons. It is kept as a setting.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use strata_store::{Store, StoreError};

/// The setting under which it is kept.
const SETTING: &str = "lessons.met";

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct LessonsMet {
    /// Goals by lessons.
    goals: BTreeMap<String, BTreeSet<String>>,
    /// Lessons of which all goals were met in one attempt.
    solved: BTreeSet<String>,
}

impl LessonsMet {
    /// What was met so far. What cannot be read was not.
    pub(crate) fn of(store: &Store) -> Result<Self, StoreError> {
        let kept = store.setting(SETTING)?.unwrap_or_default();
        Ok(serde_json::from_str(&kept).unwrap_or_default())
    }

    /// Adds what an attempt met. What was met before stays, whatever a later attempt does.
    pub(crate) fn add(
        store: &mut Store,
        lesson: &str,
        goals: impl Iterator<Item = String>,
        is_solved: bool,
    ) -> Result<(), StoreError> {
        let before = Self::of(store)?;
        let mut kept = before.clone();
        kept.goals.entry(lesson.to_owned()).or_default().extend(goals);
        if is_solved {
            kept.solved.insert(lesson.to_owned());
        }
        if kept == before {
            return Ok(());
        }
        store.set_setting(SETTING, &serde_json::to_string(&kept).unwrap_or_default())
    }

    pub(crate) fn goals(&self, lesson: &str) -> Vec<String> {
        self.goals.get(lesson).into_iter().flatten().cloned().collect()
    }

    pub(crate) fn is_solved(&self, lesson: &str) -> bool {
        self.solved.contains(lesson)
    }
}
