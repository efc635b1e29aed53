//! Where agents leave their sessions on this computer.
//!
//! Places are found by the names of folders and files and by what file systems know of them. Nothing is opened but
//! the first page of databases in the present folder, to tell those of google-adk from others.

mod adk;
mod known;
mod place;

use std::path::Path;

use known::RENDERED;
use place::look;
pub(crate) use place::{Environment, Place};

/// Those with sessions as they were recorded: SpecStory renders what other tools keep, too, without what was sent and used.
pub(crate) fn recording_places(surroundings: &Environment) -> Vec<Place> {
    let mut places = places(surroundings);
    places.retain(|place| !is_rendered(place));
    places
}

/// Whether its files are other tools' sessions as text.
pub(crate) fn is_rendered(place: &Place) -> bool {
    place.tool == RENDERED
}

/// What stands in the place of a tool where a person named a file or folder.
pub(crate) const OWN: &str = "Own place";

/// A file or folder that a person named as a place.
pub(crate) fn own_place(path: &Path) -> Option<Place> {
    look(OWN, path, |_| true)
}

/// The places that are there and hold something, the one written last first.
pub(crate) fn places(surroundings: &Environment) -> Vec<Place> {
    let mut places: Vec<Place> = known::candidates(surroundings)
        .into_iter()
        .filter_map(|candidate| look(candidate.tool, &candidate.path, candidate.is_session))
        .collect();
    places.extend(surroundings.here.as_deref().map(adk::below).unwrap_or_default());
    places.sort_by(|a, b| b.newest_ms.cmp(&a.newest_ms).then_with(|| a.path.cmp(&b.path)));
    places
}
