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
pub enum FollowUpdate<'f> {
    Changed(Box<FollowedChange>),
    /// Of a file that could not be read.
    Problem(&'f FileDiagnostic),
}

/// Files and folders that are followed into a store.
pub struct Following {
    storage: RefCell<Store>,
    wake: Wake,
    followers: Vec<Follower>,
    /// What was told of those that cannot be read.
    known: HashSet<(String, String)>,
}

impl Following {
    /// The store is `database`, else that of the data folder.
    pub fn new(paths: &[PathBuf], database: Option<&Path>) -> Result<Self, AppError> {
        let database = database.map_or_else(default_database, |database| Ok(database.to_owned()))?;
        let storage = RefCell::new(Store::open(&database)?);
        let wake = Wake::new();
        let followers = paths.iter().map(|path| Follower::new(path.clone(), &wake)).collect();
        Ok(Self { storage, wake, followers, known: HashSet::new() })
    }

    /// Stores what has changed since the last look, and tells of it. Breaks when whoever is told wants to stop.
    pub fn look(
        &mut self,
        watch: &dyn Watch,
        mut tell: impl FnMut(FollowUpdate<'_>) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, AppError> {
        let mut problems = Vec::new();
        for follower in &mut self.followers {
            let Some(imported) = follower.look(&self.storage, watch) else { continue };
            for change in changes(&self.storage.borrow(), &imported)? {
                if tell(FollowUpdate::Changed(Box::new(change))).is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            problems.extend(imported.problems().map(FileDiagnostic::from));
        }
        // What cannot be read is tried again, and told once.
        for problem in problems {
            let is_new = self.known.insert((problem.file.clone(), problem.message.clone()));
            if is_new && tell(FollowUpdate::Problem(&problem)).is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Waits until something may have changed, but not long.
    fn wait(&self, watch: &dyn Watch) {
        self.wake.wait(&self.followers, watch);
    }
}

/// Follows files and folders until `watch` or whoever is told wants to stop.
pub fn follow(
    paths: &[PathBuf],
    database: Option<&Path>,
    watch: &dyn Watch,
    mut tell: impl FnMut(FollowUpdate<'_>) -> ControlFlow<()>,
) -> Result<(), AppError> {
    let mut following = Following::new(paths, database)?;
    while !watch.is_cancelled() && following.look(watch, &mut tell)?.is_continue() {
        following.wait(watch);
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
