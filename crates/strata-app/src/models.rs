//! Models that can be asked: which there are, and asking them.

mod ask;
mod endpoints;
mod measured;
mod once;
mod paid;
mod writer;

pub(crate) use ask::{ask, list, run_blocking};
pub(crate) use endpoints::{Found, Models, known, settings_key};
pub(crate) use measured::{Calibrations, Expected, calibrated, measure};
pub(crate) use once::{ask_once, spoken_text};
pub(crate) use paid::PaidAnswers;
pub(crate) use writer::{ModelWriter, WriterEvent, question};
