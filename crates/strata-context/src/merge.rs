//! Changes laid over a state, and over what others changed meanwhile.

use serde::{Deserialize, Serialize};
use strata_model::{Json, Object, Str};

/// Sets every key of `changes`; one that is set to null goes. Values are replaced whole, as an object is spread over
/// another.
pub fn merged(state: &Object, changes: &Object) -> Object {
    let mut merged = state.clone();
    for (key, value) in changes.iter() {
        if value.is_null() {
            merged.remove(key);
        } else {
            merged.insert(key.clone(), value.clone());
        }
    }
    merged
}

/// A key that a task changed, and somebody else changed differently while it ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Conflict {
    pub key: Str,
    /// When the task began; null where it was not set.
    pub inherited: Json,
    /// What the others made of it. It stays.
    pub kept: Json,
    /// What the task made of it. It is told, and kept with the task.
    pub refused: Json,
}

/// What a merge comes to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Merge {
    /// What is to be set.
    pub changes: Object,
    pub conflicts: Vec<Conflict>,
}

/// Lays `changes`, made by somebody who began with `inherited`, over what is there `now`. A key is taken where nobody
/// else touched it since, or where both made the same of it.
pub fn merge(inherited: &Object, now: &Object, changes: &Object) -> Merge {
    let value = |object: &Object, key: &str| object.get(key).cloned().unwrap_or_default();
    let mut merge = Merge::default();
    for (key, ours) in changes.iter() {
        let (before, theirs) = (value(inherited, key), value(now, key));
        if theirs == *ours {
            continue;
        }
        if theirs == before {
            merge.changes.push(key.clone(), ours.clone());
        } else {
            merge.conflicts.push(Conflict {
                key: key.clone(),
                inherited: before,
                kept: theirs,
                refused: ours.clone(),
            });
        }
    }
    merge
}
