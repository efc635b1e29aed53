//! `strata import --follow`: what files have in addition, as soon as it is there.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::Serialize;
use strata_store::{Store, StoreError};

use super::diagnostic::FileDiagnostic;
use super::session::SessionReport;
use super::{VERSION, Watch};
use crate::data_folder::default_database;
use crate::error::AppError;
use crate::import::{Follower, Imported, Wake};

/// A session of a followed file that has changed.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FollowedChange {
    pub version: u32,
    pub session: SessionReport,
    /// E1 to so many before the change; absent for a session that is new.
    pub session_events_before: Option<u32>,
    /// Sessions of the same file that it does not go on with: the file was begun anew, and they are kept.
    pub after: Vec<String>,
}

/// What a look at the files found.
#[derive(Debug)]
pub enum Followed<'f> {
    Changed(Box<FollowedChange>),
    /// Of a file that could not be read.
    Problem(&'f FileDiagnostic),
}

/// Reads files and folders again whenever they change, until `watch` or whoever is told wants to stop.
pub fn follow(
    paths: &[PathBuf],
    database: Option<&Path>,
    watch: &dyn Watch,
    mut tell: impl FnMut(Followed<'_>) -> ControlFlow<()>,
) -> Result<(), AppError> {
    let database = database.map_or_else(default_database, |database| Ok(database.to_owned()))?;
    let storage = RefCell::new(Store::open(&database)?);
    let wake = Wake::new();
    let mut followers: Vec<Follower> = paths.iter().map(|path| Follower::new(path.clone(), &wake)).collect();
    let mut known = HashSet::new();
    while !watch.is_cancelled() {
        let mut problems = Vec::new();
        for follower in &mut followers {
            let Some(imported) = follower.look(&storage, watch) else { continue };
            for change in changes(&storage.borrow(), &imported)? {
                if tell(Followed::Changed(Box::new(change))).is_break() {
                    return Ok(());
                }
            }
            problems.extend(imported.problems().map(FileDiagnostic::from));
        }
        // What cannot be read is tried again, and told once.
        for problem in problems {
            let is_new = known.insert((problem.file.clone(), problem.message.clone()));
            if is_new && tell(Followed::Problem(&problem)).is_break() {
                return Ok(());
            }
        }
        wake.wait(&followers, watch);
    }
    Ok(())
}

fn changes(store: &Store, imported: &Imported) -> Result<Vec<FollowedChange>, StoreError> {
    let mut changes = Vec::new();
    for written in imported.written.iter().filter(|written| !written.is_same) {
        let Some(entry) = store.session_entry(&written.session)? else { continue };
        changes.push(FollowedChange {
            version: VERSION,
            session: SessionReport::from(&entry),
            session_events_before: written.n_events_before,
            after: written.after.iter().map(ToString::to_string).collect(),
        });
    }
    Ok(changes)
}
