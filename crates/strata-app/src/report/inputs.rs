//! The recordings that a command is about: files, folders, patterns, archives and stored sessions, read as one run.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use strata_import::{Import, ImportedSession};
use strata_model::json;

use super::Watch;
use super::diagnostic::FileDiagnostic;
use super::source::{Read, Source, Subject, choose, nothing_in};
use crate::api::common::{DiagnosticRow, DiagnosticSeverity};
use crate::error::AppError;
use crate::import::{NotRead, SessionFile, SessionFiles, is_archive};
use crate::show::words::{counted, listed};
use crate::tables::Tables;
use crate::watch::Step;

/// Files without a session that are named at most.
const MAX_NAMED: usize = 5;

/// How Strata's recorder ends the names of its files.
const RECORDING: &str = ".strata.jsonl";

/// So many bytes of a first line are looked at.
const FIRST_LINE: u64 = 1 << 20;

/// A session with where it is from and what weighs it.
pub(super) struct Recording {
    pub subject: Subject,
    /// As it was named, or found below what was named.
    pub file: String,
    pub tables: Arc<Tables>,
}

/// Everything that was read.
#[derive(Default)]
pub(super) struct Recordings {
    /// In the order of what was named, files of a folder by their paths.
    pub all: Vec<Recording>,
    pub diagnostics: Vec<FileDiagnostic>,
    /// Some of what was named could not be read.
    pub is_incomplete: bool,
    only_read: Option<Arc<Tables>>,
    stored: Option<Arc<Tables>>,
    seen: HashSet<PathBuf>,
}

impl Recordings {
    /// Reads what `names` name; all else is as in `source`. Where a single file is named, what is wrong with it is the
    /// error; of several, the others are read.
    pub(super) fn read(
        names: &[String],
        source: &Source,
        session: Option<&str>,
        watch: &dyn Watch,
    ) -> Result<Self, AppError> {
        let mut recordings = Self::default();
        let is_alone = names.len() == 1;
        for name in names {
            match recordings.add(name, source, watch) {
                Ok(()) => {}
                Err(error) if is_alone || watch.is_cancelled() => return Err(error),
                Err(error) => recordings.failed(name, error.message),
            }
        }
        if let Some(session) = session {
            recordings.choose(&names.join(", "), session)?;
        }
        recordings.lay(source, is_alone)?;
        if recordings.all.is_empty() {
            return Err(nothing_in(&listed(names), &recordings.diagnostics));
        }
        Ok(recordings)
    }

    /// Reads what one name names, still without edits.
    pub(super) fn add(&mut self, name: &str, source: &Source, watch: &dyn Watch) -> Result<(), AppError> {
        let source = Source { name: name.to_owned(), ..source.clone() };
        let path = Path::new(name);
        if path.is_dir() || (path.is_file() && is_archive(path)) {
            self.files_at(path, &source, watch)
        } else if !path.exists() && is_pattern(name) {
            self.pattern(name, &source, watch)
        } else {
            self.one(&source, watch)
        }
    }

    /// A file, a stored session, or the sample.
    fn one(&mut self, source: &Source, watch: &dyn Watch) -> Result<(), AppError> {
        let path = Path::new(&source.name);
        if path.is_file() && !self.is_new(path) {
            return Ok(());
        }
        let Read { subjects, diagnostics } = source.read(watch)?;
        if subjects.is_empty() {
            return Err(nothing_in(&source.name, &diagnostics));
        }
        self.diagnostics.extend(diagnostics);
        for subject in subjects {
            let tables = self.tables(source)?;
            self.all.push(Recording { subject, file: source.name.clone(), tables });
        }
        Ok(())
    }

    fn pattern(&mut self, name: &str, source: &Source, watch: &dyn Watch) -> Result<(), AppError> {
        let bad = |error: glob::PatternError| {
            AppError::bad_input(format!("{name} is neither a file nor a pattern of files: {error}."))
        };
        let paths: Vec<PathBuf> = glob::glob(name).map_err(bad)?.filter_map(Result::ok).collect();
        if paths.is_empty() {
            return Err(AppError::not_found(format!(
                "No file is called like {name}. Nothing was read of it."
            )));
        }
        for path in paths {
            let source = Source { name: path.display().to_string(), ..source.clone() };
            let outcome = if path.is_dir() || is_archive(&path) {
                self.files_at(&path, &source, watch)
            } else {
                self.one(&source, watch)
            };
            match outcome {
                Ok(()) => {}
                Err(error) if watch.is_cancelled() => return Err(error),
                Err(error) => self.failed(&source.name, error.message),
            }
        }
        Ok(())
    }

    /// Everything in a folder or an archive. Files that hold no session are left out, and said.
    fn files_at(&mut self, path: &Path, source: &Source, watch: &dyn Watch) -> Result<(), AppError> {
        if source.database.is_some() {
            return Err(AppError::bad_input(format!(
                "{} holds several files. With --db, `strata import` stores them; then name the sessions.",
                source.name
            )));
        }
        let SessionFiles { files, unreadable } = SessionFiles::at(path, |_| true);
        for (folder, why) in unreadable {
            self.failed(&folder.display().to_string(), why);
        }
        let (mut found, mut left_out) = (Vec::new(), Vec::new());
        for file in files {
            let name = file.path().display().to_string();
            if !self.is_new(file.path()) {
                continue;
            }
            match self.sessions_of(&file, watch) {
                Ok(sessions) => found.extend(sessions.into_iter().map(|session| (session, name.clone()))),
                Err(NotRead::NoSession(what)) if should_hold_a_session(file.path()) => {
                    self.failed(&name, format!("It should be a recording, and is none: {what}."));
                }
                Err(NotRead::NoSession(_)) => left_out.push(name),
                Err(NotRead::Failed(why)) => self.failed(&name, why),
                Err(NotRead::Cancelled) => return Err(AppError::bad_input("Stopped. Nothing was done.")),
            }
        }
        self.left_out(&source.name, &left_out);
        for (session, file) in with_their_traces(found) {
            let subject = source.imported(session, &file, None, &mut self.diagnostics)?;
            let tables = self.tables(source)?;
            self.all.push(Recording { subject, file, tables });
        }
        Ok(())
    }

    fn sessions_of(
        &mut self,
        file: &SessionFile,
        watch: &dyn Watch,
    ) -> Result<Vec<ImportedSession>, NotRead> {
        watch.begins(Step::Reading(file.path()));
        let name = file.path().display().to_string();
        let (mut sessions, mut diagnostics) = (Vec::new(), Vec::new());
        let outcome = file.read(watch, |import| {
            let Import { sessions: read, diagnostics: found } = import;
            diagnostics.extend(found.iter().map(|found| FileDiagnostic::new(&name, found.into())));
            sessions.extend(read);
        });
        self.diagnostics.extend(diagnostics.into_iter().filter(|_| outcome.is_ok()));
        outcome.map(|()| sessions)
    }

    /// What the sessions of a store told of how providers count holds for those only.
    fn tables(&mut self, source: &Source) -> Result<Arc<Tables>, AppError> {
        let known = if source.is_only_read() { &mut self.only_read } else { &mut self.stored };
        if known.is_none() {
            *known = Some(Arc::new(source.tables()?));
        }
        known.clone().ok_or_else(|| AppError::internal("There are no tables to weigh with."))
    }

    /// Keeps the session that is meant.
    pub(super) fn choose(&mut self, names: &str, session: &str) -> Result<(), AppError> {
        let subjects = self.all.iter().map(|recording| &recording.subject);
        let at = choose(names, &subjects.collect::<Vec<_>>(), (Some(session), "--session"))?;
        self.all = vec![self.all.swap_remove(at)];
        Ok(())
    }

    /// Lays edits over what was read and chosen: those of other sessions need not fit. Where a single name was given, an
    /// edit that does not fit is the error.
    pub(super) fn lay(&mut self, source: &Source, is_alone: bool) -> Result<(), AppError> {
        for Recording { subject, file, tables } in std::mem::take(&mut self.all) {
            let source = Source { name: file.clone(), ..source.clone() };
            match source.laid(subject, Some(&tables), &mut self.diagnostics) {
                Ok(subject) => self.all.push(Recording { subject, file, tables }),
                Err(error) if is_alone => return Err(error),
                Err(error) => self.failed(&file, error.message),
            }
        }
        Ok(())
    }

    /// Files that several names lead to are read once.
    fn is_new(&mut self, path: &Path) -> bool {
        self.seen.insert(path.canonicalize().unwrap_or_else(|_| path.to_owned()))
    }

    pub(super) fn failed(&mut self, file: &str, message: String) {
        self.is_incomplete = true;
        let (severity, code) = (DiagnosticSeverity::Error, "unreadable".to_owned());
        self.diagnostics
            .push(FileDiagnostic::new(file, DiagnosticRow { severity, code, message, at: String::new() }));
    }

    fn left_out(&mut self, folder: &str, files: &[String]) {
        if files.is_empty() {
            return;
        }
        let named: Vec<&str> = files.iter().take(MAX_NAMED).map(String::as_str).collect();
        let more = match files.len() - named.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let hold = if files.len() == 1 { "holds" } else { "hold" };
        let message = format!(
            "{} {hold} no session and {} left out: {}{more}.",
            counted(files.len(), "file"),
            if files.len() == 1 { "was" } else { "were" },
            named.join(", ")
        );
        let (severity, code) = (DiagnosticSeverity::Info, "skipped-files".to_owned());
        self.diagnostics
            .push(FileDiagnostic::new(folder, DiagnosticRow { severity, code, message, at: String::new() }));
    }
}

/// Whether a file without a session was meant to be a recording: one that its program began and never wrote, or wrote over.
/// JSON Lines may be about anything else.
fn should_hold_a_session(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    name.ends_with(RECORDING)
        || path.extension().is_some_and(|ending| ending == "jsonl") && !begins_with_json(path).unwrap_or(true)
}

/// Whether the first line of a file is JSON, as far as it is read.
fn begins_with_json(path: &Path) -> io::Result<bool> {
    let mut line = Vec::new();
    BufReader::new(File::open(path)?.take(FIRST_LINE)).read_until(b'\n', &mut line)?;
    Ok(line.len() as u64 == FIRST_LINE || json::parse(line.trim_ascii()).is_ok())
}

/// Whether a name that is no file may stand for several.
fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '['])
}

/// Gives requests of traces to the sessions they are of, which then stand for both.
fn with_their_traces(found: Vec<(ImportedSession, String)>) -> Vec<(ImportedSession, String)> {
    let (traces, mut sessions): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(session, _)| session.format.is_trace());
    for (trace, file) in traces {
        let mut joined = false;
        let is_same =
            |session: &ImportedSession| !session.format.is_trace() && session.session.id == trace.session.id;
        for (session, _) in sessions.iter_mut().filter(|(session, _)| is_same(session)) {
            let requests = trace.requests_for(&session.session);
            joined = !requests.is_empty();
            session.requests.extend(requests);
            if joined {
                break;
            }
        }
        if !joined {
            sessions.push((trace, file));
        }
    }
    sessions
}
