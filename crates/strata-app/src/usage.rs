//! What agents on this computer used: the calls of all their sessions, read and added up.
//!
//! Files are read by their importers, side by side, and of each session its calls are kept and nothing else. A call that
//! several files tell of counts once. All figures are what providers reported; what they did not report is counted
//! apart. No conversation is stored; what was added up of a file is kept until the file changes.

mod advisor;
mod call;
mod days;
mod kept;
mod once;
mod project;
mod reading;
mod rows;
mod sources;
mod sums;

use std::path::PathBuf;

use strata_measure::prices::Prices;

use crate::api::common::DiagnosticRow;
use crate::api::job::FailedFile;
use crate::api::usage::{Usage, UsageBy, UsageFiles, UsagePlace};
use crate::error::{AppError, sentence};
use crate::import::NotRead;
use crate::places::Environment;
use crate::watch::{Step, Watch};
pub(crate) use call::{CallKind, UsedCall, UsedSession, drawn_id};
pub(crate) use days::Days;
use kept::KeptFiles;
pub(crate) use kept::KeptSession;
pub(crate) use once::{CountedOnce, count_once};
use reading::read_all;
pub(crate) use reading::{ReadFile, UnreadFile, newest_first, read_in_order};
pub(crate) use rows::{Grouped, Roots};
pub(crate) use sources::Sources;

/// What is asked.
#[derive(Debug, Clone)]
pub struct UsageQuestion {
    /// Files and folders; empty for all places where agents leave sessions.
    pub paths: Vec<PathBuf>,
    pub by: UsageBy,
    /// The first and the last day.
    pub since: Option<String>,
    pub until: Option<String>,
    /// The zone whose days are meant, by its name.
    pub timezone: Option<String>,
}

/// Reads and adds up.
pub(crate) fn usage(question: &UsageQuestion, prices: &Prices, watch: &dyn Watch) -> Result<Usage, AppError> {
    let UsageQuestion { paths, by, since, until, timezone } = question;
    let days = Days::new(timezone.as_deref(), since.as_deref(), until.as_deref())?;
    let sources = if paths.is_empty() {
        Sources::of_places(&Environment::present())
    } else {
        Sources::of(Vec::new(), paths)
    };
    let first = sources.all.first().map(|source| source.path.clone()).unwrap_or_default();
    watch.begins(Step::Usage(if sources.all.len() == 1 { Some(&first) } else { None }));
    let mut kept = KeptFiles::open();
    let read = read_all(&sources.files, |file| kept.as_mut()?.take(file), watch)
        .ok_or_else(|| AppError::bad_input("Stopped. Nothing was added up, and nothing was changed."))?;
    if let Some(kept) = kept {
        kept.keep(&sources.files, &read);
    }
    let mut outcome = Outcome::of(&sources);
    let sessions = outcome.take(read, &sources.repeats);
    let once = count_once(&sessions);
    let grouped = Grouped::of(&sessions, &once.calls, *by, &days, prices, &|_| true);
    Ok(Usage {
        by: *by,
        since: days.since(),
        until: days.until(),
        timezone: days.zone_name(),
        rows: grouped.rows(),
        total: grouped.total(),
        apart: grouped.apart(),
        repeated_calls: once.n_repeated,
        unpaid_calls: grouped.n_unpaid(),
        undated_calls: grouped.n_undated(),
        prices: grouped.prices(prices),
        unpriced: grouped.unpriced(),
        places: outcome.places,
        files: outcome.files,
        diagnostics: outcome.diagnostics.into_iter().map(FoldedDiagnostic::told).collect(),
    })
}

/// What came of all files.
struct Outcome {
    places: Vec<UsagePlace>,
    files: UsageFiles,
    diagnostics: Vec<FoldedDiagnostic>,
}

impl Outcome {
    fn of(sources: &Sources) -> Self {
        let places = sources.all.iter().map(|source| UsagePlace {
            tool: source.tool.clone(),
            path: source.path.display().to_string(),
            files: 0,
        });
        let failed = sources.unreadable.iter().map(|(folder, reason)| FailedFile {
            path: folder.display().to_string(),
            reason: sentence(reason),
        });
        let files = UsageFiles { read: 0, without_session: 0, failed: failed.collect() };
        Self { places: places.collect(), files, diagnostics: Vec::new() }
    }

    fn take(&mut self, read: Vec<ReadFile>, repeats: &[(usize, usize)]) -> Vec<UsedSession> {
        let mut sessions = Vec::new();
        for (place, file) in repeats {
            self.places[*place].files += u32::from(read[*file].outcome.is_ok());
        }
        for ReadFile { path, place, outcome, diagnostics, .. } in read {
            let path = path.display().to_string();
            match outcome {
                Ok(of_file) => {
                    self.files.read += 1;
                    self.places[place].files += 1;
                    sessions.extend(of_file);
                }
                Err(NotRead::NoSession(what)) if self.is_named(place, &path) => {
                    let reason = format!("There is no session in it: {what}.");
                    self.files.failed.push(FailedFile { path: path.clone(), reason });
                }
                Err(NotRead::NoSession(_) | NotRead::Cancelled) => self.files.without_session += 1,
                Err(NotRead::Failed(reason)) => {
                    self.files.failed.push(FailedFile { path: path.clone(), reason: sentence(&reason) });
                }
            }
            for found in diagnostics {
                FoldedDiagnostic::add(&mut self.diagnostics, found, &path);
            }
        }
        sessions
    }

    fn is_named(&self, place: usize, file: &str) -> bool {
        let UsagePlace { tool, path, .. } = &self.places[place];
        tool.is_none() && path == file
    }
}

/// What is said of one file, or in the same words of several.
struct FoldedDiagnostic {
    said: DiagnosticRow,
    file: String,
    n_more: usize,
}

impl FoldedDiagnostic {
    fn add(all: &mut Vec<Self>, found: DiagnosticRow, file: &str) {
        let is_same =
            |known: &&mut Self| known.said.severity == found.severity && known.said.code == found.code;
        match all.iter_mut().find(is_same) {
            Some(known) if known.file == file => {}
            Some(known) => known.n_more += 1,
            None => all.push(Self { said: found, file: file.to_owned(), n_more: 0 }),
        }
    }

    fn told(self) -> DiagnosticRow {
        let Self { said, file, n_more } = self;
        let more = match n_more {
            0 => String::new(),
            n => format!(" ({} like this)", crate::counted(n, "other file")),
        };
        DiagnosticRow {
            severity: said.severity,
            code: said.code,
            message: sentence(&(said.message + &more)),
            at: if said.at.is_empty() { file } else { format!("{file}: {}", said.at) },
        }
    }
}
