//! `strata places`: where agents leave their sessions.

use std::path::{Path, PathBuf};

use serde::Serialize;
use strata_store::Store;

use super::VERSION;
use super::source::open_for_reading;
use crate::api::place::{PlaceChoice, PlaceRow};
use crate::data_folder::{default_database, existing_database};
use crate::error::AppError;
use crate::place_choices::{PlaceChoices, place_rows};
use crate::places::Environment;

/// The document of `strata places`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlacesReport {
    pub version: u32,
    /// The one written last first.
    pub places: Vec<PlaceRow>,
}

/// Folders and databases of known tools on this computer, found without reading what is in them. What a person chose of them
/// is in the store: that of the data folder, unless another one is named.
pub fn places(database: Option<&Path>) -> Result<PlacesReport, AppError> {
    let database = database.map(Path::to_owned).or_else(existing_database).filter(|path| path.exists());
    let choices = match database {
        Some(database) => PlaceChoices::of(&open_for_reading(&database)?)?,
        None => PlaceChoices::default(),
    };
    Ok(PlacesReport { version: VERSION, places: place_rows(&Environment::present(), &choices) })
}

/// Says which places Home may read, and lists all.
pub fn choose_places(
    choices: &[(PathBuf, PlaceChoice)],
    database: Option<&Path>,
) -> Result<PlacesReport, AppError> {
    let database = database.map_or_else(default_database, |database| Ok(database.to_owned()))?;
    PlaceChoices::choose(&mut Store::open(&database)?, choices)?;
    places(Some(&database))
}
