//! `strata calibrate`: what all sessions of a store tell of how providers count.

use std::path::{Path, PathBuf};

use serde::Serialize;
use strata_measure::analysis::{ModelGrowths, model_growths};
use strata_measure::tokens::LearnedRatios;
use strata_store::Store;

use super::source::{Source, open_for_reading};
use super::{VERSION, Watch};
use crate::api::counts::LearnedModel;
use crate::data_folder::default_database;
use crate::error::AppError;
use crate::learned_counts::{keep_learned_counts, learned_counts, learned_models, ratios_of};
use crate::tables::Tables;
use crate::watch::Step;

/// What sessions are good for here.
const FOR_COUNTS: &str = "sessions in it tell how providers count";

/// The document of `strata calibrate`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LearnedReport {
    pub version: u32,
    /// The store.
    pub database: String,
    /// Sessions that were read, and those of them that could not be. Absent where nothing was learned anew.
    pub read: Option<ReadSessions>,
    /// Models that are counted with another vocabulary than their own, those that are counted alike together.
    pub models: Vec<LearnedModel>,
}

#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadSessions {
    pub sessions: u32,
    pub failed: u32,
}

/// Learns from all sessions of a store, and counts by it from now on.
pub fn learn(database: Option<&Path>, watch: &dyn Watch) -> Result<LearnedReport, AppError> {
    let database = existing(database, FOR_COUNTS)?;
    let entries = Store::open(&database)?.sessions("", 0..u32::MAX)?.entries;
    // Nothing that was learned before goes into it.
    let tables = Tables::default();
    let mut growths: Vec<Vec<ModelGrowths>> = Vec::new();
    let mut read = ReadSessions { sessions: 0, failed: 0 };
    watch.begins(Step::Files(&database));
    for (at, entry) in entries.iter().enumerate() {
        watch.progress(at as u64, entries.len() as u64);
        if watch.is_cancelled() {
            return Err(AppError::bad_input("Stopped. What was learned before is kept."));
        }
        let source =
            Source { name: entry.id.to_string(), database: Some(database.clone()), ..Source::default() };
        match source.read(watch) {
            Ok(found) => {
                read.sessions += 1;
                let sessions = found.subjects.iter();
                growths.extend(sessions.map(|subject| model_growths(&subject.experiment, &tables.counting)));
            }
            Err(_) => read.failed += 1,
        }
    }
    keep_learned_counts(&mut Store::open(&database)?, &ratios_of(&growths))?;
    report(&database, Some(read))
}

/// Counts as if nothing had been learned.
pub fn forget_learned(database: Option<&Path>) -> Result<LearnedReport, AppError> {
    let database = existing(database, FOR_COUNTS)?;
    keep_learned_counts(&mut Store::open(&database)?, &LearnedRatios::default())?;
    report(&database, None)
}

/// What was learned last.
pub fn learned(database: Option<&Path>) -> Result<LearnedReport, AppError> {
    report(&existing(database, FOR_COUNTS)?, None)
}

/// A store that is there. `use_of` says what sessions in it are good for.
pub(super) fn existing(database: Option<&Path>, use_of: &str) -> Result<PathBuf, AppError> {
    let database = database.map_or_else(default_database, |database| Ok(database.to_owned()))?;
    if database.exists() {
        return Ok(database);
    }
    Err(AppError::not_found(format!(
        "There is no database {}. `strata import FILE` makes one; {use_of}.",
        database.display()
    )))
}

fn report(database: &Path, read: Option<ReadSessions>) -> Result<LearnedReport, AppError> {
    let models = learned_models(&learned_counts(&open_for_reading(database)?)?);
    Ok(LearnedReport { version: VERSION, database: database.display().to_string(), read, models })
}
