//! What agents did on this computer.

use crate::Strata;
use crate::api::home::{Get, HomePage, HomeReading, Read};
use crate::command::Handler;
use crate::error::AppError;

impl Handler for Get {
    fn run(self, strata: &Strata) -> Result<HomePage, AppError> {
        strata.home.page(&self)
    }
}

impl Handler for Read {
    fn run(self, strata: &Strata) -> Result<HomeReading, AppError> {
        strata.home.read(self.goes_on)
    }
}
