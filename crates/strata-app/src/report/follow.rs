//! `strata import --follow`: what files have in addition, as soon as it is there.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::Serialize;
use strata_store::{Store, StoreError};

use super::diagnostic::FileDiagnostic;
use super::session::SessionReport;
use super::{VERSION, Watch};
use crate::data_folder::default_database;
use crate::error::AppError;
use crate::import::{Follower, Imported};

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
    Changed(FollowedChange),
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
    let mut followers: Vec<Follower> = paths.iter().cloned().map(Follower::new).collect();
    while !watch.is_cancelled() {
        for follower in &mut followers {
            if let Some(imported) = follower.look(&storage, watch) {
                let changes = changes(&storage.borrow(), &imported)?;
                let problems: Vec<_> = imported.problems().map(FileDiagnostic::from).collect();
                let changes = changes.into_iter().map(Followed::Changed);
                if changes.chain(problems.iter().map(Followed::Problem)).try_for_each(&mut tell).is_break() {
                    return Ok(());
                }
            }
        }
        // The others are looked at as often as this one waits.
        match followers.first() {
            Some(follower) => follower.wait(),
            None => break,
        }
    }
    Ok(())
}

fn changes(store: &Store, imported: &Imported) -> Result<Vec<FollowedChange>, StoreError> {
    let mut changes = Vec::new();
    for written in &imported.written {
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
