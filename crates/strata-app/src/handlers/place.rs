//! Where agents leave their sessions on this computer.

use crate::Strata;
use crate::api::place::{Choose, List, PlaceList};
use crate::command::Handler;
use crate::error::AppError;
use crate::place_choices::{PlaceChoices, place_rows};
use crate::places::Environment;

impl Handler for List {
    fn run(self, strata: &Strata) -> Result<PlaceList, AppError> {
        let choices = PlaceChoices::of(&strata.workspace.store())?;
        Ok(PlaceList { places: place_rows(&Environment::present(), &choices) })
    }
}

impl Handler for Choose {
    fn run(self, strata: &Strata) -> Result<PlaceList, AppError> {
        let choices: Vec<_> = self.choices.into_iter().map(|it| (it.path.into(), it.choice)).collect();
        PlaceChoices::choose(&mut strata.workspace.store(), &choices)?;
        List {}.run(strata)
    }
}
