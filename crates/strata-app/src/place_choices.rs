//! Which places a person lets Home read. Whoever was not asked has not agreed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use strata_store::{Store, StoreError};

use crate::api::place::{PlaceChoice, PlaceRow};
use crate::places::{Environment, OWN, Place, is_rendered, own_place, places};

/// The setting under which they are kept.
const SETTING: &str = "home.places";

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct PlaceChoices {
    read: BTreeSet<PathBuf>,
    leave: BTreeSet<PathBuf>,
}

impl PlaceChoices {
    /// What was said last. What cannot be read says nothing: then nothing is read, and it is asked again.
    pub(crate) fn of(store: &Store) -> Result<Self, StoreError> {
        let kept = store.setting(SETTING)?.unwrap_or_default();
        Ok(serde_json::from_str(&kept).unwrap_or_default())
    }

    /// Keeps what was said of some places; of others it stays.
    pub(crate) fn choose(store: &mut Store, choices: &[(PathBuf, PlaceChoice)]) -> Result<(), StoreError> {
        let mut kept = Self::of(store)?;
        for (path, choice) in choices {
            kept.read.remove(path);
            kept.leave.remove(path);
            match choice {
                PlaceChoice::Open => {}
                PlaceChoice::Read => _ = kept.read.insert(path.clone()),
                PlaceChoice::Leave => _ = kept.leave.insert(path.clone()),
            }
        }
        store.set_setting(SETTING, &serde_json::to_string(&kept).unwrap_or_default())
    }

    fn of_place(&self, path: &Path) -> PlaceChoice {
        if self.read.contains(path) {
            PlaceChoice::Read
        } else if self.leave.contains(path) {
            PlaceChoice::Leave
        } else {
            PlaceChoice::Open
        }
    }

    /// The places of tools that may be read, and other paths that may.
    pub(crate) fn readable(&self, surroundings: &Environment) -> (Vec<Place>, Vec<PathBuf>) {
        let (mut known, own) = self.found(surroundings);
        known.retain(|place| !is_rendered(place) && self.read.contains(&place.path));
        (known, own)
    }

    /// Places that may be read and are not there.
    pub(crate) fn missing(&self) -> Vec<String> {
        let missing = self.read.iter().filter(|path| path.symlink_metadata().is_err());
        missing.map(|path| path.display().to_string()).collect()
    }

    fn found(&self, surroundings: &Environment) -> (Vec<Place>, Vec<PathBuf>) {
        let known = places(surroundings);
        let is_own = |path: &&PathBuf| known.iter().all(|place| place.path != **path) && path.exists();
        let own = self.read.iter().filter(is_own).cloned().collect();
        (known, own)
    }
}

/// All places with what was said of them: those of tools, the one written last first, and those of one's own.
pub(crate) fn place_rows(surroundings: &Environment, choices: &PlaceChoices) -> Vec<PlaceRow> {
    let (known, own) = choices.found(surroundings);
    let own = own.iter().filter_map(|path| own_place(path));
    known.into_iter().chain(own).map(|place| row(&place, choices)).collect()
}

fn row(place: &Place, choices: &PlaceChoices) -> PlaceRow {
    PlaceRow {
        tool: place.tool.to_owned(),
        path: place.path.display().to_string(),
        files: place.n_files,
        is_capped: place.is_capped,
        bytes: place.bytes as f64,
        choice: choices.of_place(&place.path),
        is_own: place.tool == OWN,
        is_rendered: is_rendered(place),
        newest_ms: place.newest_ms.map(|ms| ms as f64),
    }
}
