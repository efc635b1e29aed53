//! Apps that somebody has agreed to run here, with the programs they start and the servers they reach.

use std::collections::VecDeque;

use strata_store::{Store, StoreError};

/// The setting under which they are kept.
const SETTING: &str = "run.agreed";
/// Marks that are kept; of more, the oldest are asked for again.
const MOST: usize = 500;

/// Whether somebody has agreed to what has this mark. What cannot be read says nothing: then it is asked again.
pub(crate) fn is_agreed(store: &Store, mark: &str) -> Result<bool, StoreError> {
    Ok(marks(store)?.iter().any(|known| known == mark))
}

/// Keeps that somebody has.
pub(crate) fn agree(store: &mut Store, mark: &str) -> Result<(), StoreError> {
    let mut marks = marks(store)?;
    marks.retain(|known| known != mark);
    marks.push_back(mark.to_owned());
    while marks.len() > MOST {
        marks.pop_front();
    }
    store.set_setting(SETTING, &serde_json::to_string(&marks).unwrap_or_default())
}

fn marks(store: &Store) -> Result<VecDeque<String>, StoreError> {
    let kept = store.setting(SETTING)?.unwrap_or_default();
    Ok(serde_json::from_str(&kept).unwrap_or_default())
}
