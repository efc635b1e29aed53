//! Lessons that came in class files, as the store keeps them: their texts in one setting, what stands beside them by
//! content, so that lessons over one session share it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use strata_model::Fingerprint;
use strata_store::{Store, StoreError};

use crate::class_file::{Carried, CarriedLesson};
use crate::error::AppError;

const SETTING: &str = "lessons.kept";
/// Before the fingerprint of what a file holds.
const FILE: &str = "lessons.file.";

/// A lesson of a class file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct KeptLesson {
    pub id: String,
    #[serde(flatten)]
    pub lesson: CarriedLesson,
    /// What stands beside it: names, and under what it is kept.
    files: BTreeMap<String, String>,
}

/// All of them, in the order in which they came. What cannot be read is not there: its class file can be opened again.
pub(crate) fn kept_lessons(store: &Store) -> Result<Vec<KeptLesson>, StoreError> {
    let kept = store.setting(SETTING)?.unwrap_or_default();
    Ok(serde_json::from_str(&kept).unwrap_or_default())
}

/// Keeps a lesson in place of the one of its id, if there is one. `files` is all that it needs.
pub(crate) fn keep_lesson(
    store: &mut Store,
    id: &str,
    lesson: &CarriedLesson,
    files: &BTreeMap<String, Carried>,
) -> Result<(), AppError> {
    let mut names = BTreeMap::new();
    for (name, carried) in files {
        let text = json(carried)?;
        let content = format!("{:016x}", Fingerprint::of(text.as_bytes()).0 as u64);
        store.set_setting(&format!("{FILE}{content}"), &text)?;
        names.insert(name.clone(), content);
    }
    let new = KeptLesson { id: id.to_owned(), lesson: lesson.clone(), files: names };
    let mut kept = kept_lessons(store)?;
    match kept.iter_mut().find(|known| known.id == id) {
        Some(known) => *known = new,
        None => kept.push(new),
    }
    store.set_setting(SETTING, &json(&kept)?)?;
    Ok(())
}

/// Forgets a lesson, with what stands beside no other; whether there was one of that id.
pub(crate) fn forget_lesson(store: &mut Store, id: &str) -> Result<bool, AppError> {
    let mut kept = kept_lessons(store)?;
    let Some(at) = kept.iter().position(|known| known.id == id) else { return Ok(false) };
    let gone = kept.remove(at);
    store.set_setting(SETTING, &json(&kept)?)?;
    let is_needed =
        |content: &String| kept.iter().any(|lesson| lesson.files.values().any(|own| own == content));
    for content in gone.files.values().filter(|content| !is_needed(content)) {
        store.remove_setting(&format!("{FILE}{content}"))?;
    }
    Ok(true)
}

/// What stands beside a lesson, by name.
pub(crate) fn files_of(store: &Store, lesson: &KeptLesson) -> Result<BTreeMap<String, Vec<u8>>, AppError> {
    let mut files = BTreeMap::new();
    for (name, content) in &lesson.files {
        let text = store.setting(&format!("{FILE}{content}"))?;
        let carried = text.and_then(|text| serde_json::from_str::<Carried>(&text).ok());
        let bytes = carried.and_then(|carried| carried.bytes()).ok_or_else(|| {
            AppError::unreadable(format!(
                "{name} of lesson {} cannot be read. Open its class file again.",
                lesson.id
            ))
        })?;
        files.insert(name.clone(), bytes);
    }
    Ok(files)
}

fn json(value: &impl Serialize) -> Result<String, AppError> {
    serde_json::to_string(value).map_err(|error| AppError::internal(error.to_string()))
}
