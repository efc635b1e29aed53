//! `strata places`: where agents leave their sessions.

use serde::Serialize;

use super::VERSION;
use crate::api::place::PlaceRow;
use crate::places::{Environment, places as find};

/// The document of `strata places`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlacesReport {
    pub version: u32,
    /// The one written last first.
    pub places: Vec<PlaceRow>,
}

/// Folders and databases of known tools on this computer, found without reading what is in them.
pub fn places() -> PlacesReport {
    PlacesReport {
        version: VERSION,
        places: find(&Environment::present()).iter().map(PlaceRow::from).collect(),
    }
}
