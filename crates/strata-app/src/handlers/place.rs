//! Where agents leave their sessions on this computer.

use crate::Strata;
use crate::api::place::{List, PlaceList, PlaceRow};
use crate::command::Handler;
use crate::error::AppError;
use crate::places::{Environment, Place, places};

impl Handler for List {
    fn run(self, _: &Strata) -> Result<PlaceList, AppError> {
        Ok(PlaceList { places: places(&Environment::present()).iter().map(PlaceRow::from).collect() })
    }
}

impl From<&Place> for PlaceRow {
    fn from(place: &Place) -> Self {
        Self {
            tool: place.tool.to_owned(),
            path: place.path.display().to_string(),
            files: place.n_files,
            is_capped: place.is_capped,
            newest_ms: place.newest_ms.map(|ms| ms as f64),
        }
    }
}
