//! Importing as a job: files and folders, one after the other, each stored before the next is read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use strata_store::SessionId;

use super::read::{ReadError, ReadFile, Watch, read_file};
use super::write::{Stored, write};
use crate::Strata;
use crate::api::common::{DiagnosticRow, DiagnosticSeverity};
use crate::api::job::{JobState, Notification};
use crate::error::sentence;
use crate::jobs::{Ended, RunningJob};

/// Files looked at in a folder, at most.
const MAX_FILES: usize = 10_000;

/// Something to import.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    pub path: PathBuf,
    /// The name under which it is known, where that is not its path.
    pub location: Option<String>,
}

impl Input {
    fn location(&self) -> String {
        self.location.clone().unwrap_or_else(|| {
            let absolute = std::path::absolute(&self.path).unwrap_or_else(|_| self.path.clone());
            absolute.display().to_string()
        })
    }

    fn name(&self) -> String {
        let name = self.path.file_name().map(|name| name.to_string_lossy().into_owned());
        self.location.clone().or(name).unwrap_or_else(|| self.path.display().to_string())
    }
}

/// Starts importing. `done` runs when it ended, with the sessions in the order they were read.
pub(crate) fn start_import(
    strata: &Arc<Strata>,
    inputs: Vec<Input>,
    done: impl FnOnce(&Arc<Strata>, &[SessionId]) + Send + 'static,
) -> String {
    let title = match &inputs[..] {
        [only] => format!("Importing {}", only.name()),
        inputs => format!("Importing {} files", inputs.len()),
    };
    strata.start_job(title, "bytes", move |strata, job| {
        let mut run = Run {
            strata,
            job,
            sessions: Vec::new(),
            diagnostics: Vec::new(),
            n_unchanged: 0,
            is_stopped: false,
        };
        for input in &inputs {
            run.input(input);
        }
        let sessions = run.sessions.clone();
        let ended = run.end();
        done(strata, &sessions);
        ended
    })
}

struct Run<'r> {
    strata: &'r Arc<Strata>,
    job: &'r RunningJob,
    sessions: Vec<SessionId>,
    diagnostics: Vec<DiagnosticRow>,
    n_unchanged: usize,
    is_stopped: bool,
}

impl Run<'_> {
    fn input(&mut self, input: &Input) {
        if !input.path.is_dir() {
            return self.file(input);
        }
        let files = files_below(&input.path);
        let mut n_skipped = 0;
        for path in &files {
            let input = Input { path: path.clone(), location: None };
            if is_session(path) {
                self.file(&input);
            } else {
                n_skipped += 1;
            }
        }
        if n_skipped > 0 {
            let message = format!(
                "{n_skipped} of {} files in this folder hold no session and were left out.",
                files.len()
            );
            self.report(DiagnosticSeverity::Info, "skipped-files", message, input.path.display().to_string());
        }
        if files.len() == MAX_FILES {
            let message =
                format!("Only the first {MAX_FILES} files were looked at. Import its folders one by one.");
            self.report(DiagnosticSeverity::Warning, "many-files", message, input.path.display().to_string());
        }
    }

    fn file(&mut self, input: &Input) {
        if self.is_stopped || self.job.is_cancelled() {
            self.is_stopped = true;
            return;
        }
        match read_file(&input.path, self.job) {
            Ok(file) => self.store(input, &file),
            Err(ReadError::Cancelled { .. }) => self.is_stopped = true,
            Err(error @ ReadError::Unreadable { .. }) => {
                self.report(DiagnosticSeverity::Error, "unreadable", error.to_string(), input.location());
            }
        }
    }

    fn store(&mut self, input: &Input, file: &ReadFile) {
        let location = input.location();
        for diagnostic in &file.import.diagnostics {
            let at = if diagnostic.at.is_empty() {
                input.name()
            } else {
                format!("{}: {}", input.name(), diagnostic.at)
            };
            self.report(diagnostic.severity.into(), diagnostic.code, diagnostic.message.clone(), at);
        }
        if file.import.sessions.is_empty() {
            return;
        }
        let job = self.job;
        let stored = self.strata.with_long_store(|store| {
            let known = store.source(&location)?;
            if known.is_some_and(|known| known.is_unchanged(file.content)) {
                return Ok((store.source_sessions(&location)?, None));
            }
            Ok((Vec::new(), Some(write(store, file, &location, now_ms(), job)?)))
        });
        match stored {
            Ok((sessions, None)) => {
                self.n_unchanged += sessions.len();
                self.sessions.extend(sessions);
            }
            Ok((_, Some(Stored::Sessions(sessions)))) => {
                self.sessions.extend(sessions.into_iter().map(|session| session.id));
                self.strata.notify(&Notification::Sessions);
            }
            Ok((_, Some(Stored::Cancelled))) => self.is_stopped = true,
            Err(error) => {
                self.report(DiagnosticSeverity::Error, "not-stored", error.to_string(), input.name());
            }
        }
    }

    fn report(&mut self, severity: DiagnosticSeverity, code: &str, message: String, at: String) {
        self.diagnostics.push(DiagnosticRow { severity, code: code.to_owned(), message, at });
    }

    fn end(self) -> Ended {
        let items = self.sessions.iter().filter_map(|id| self.strata.list_item(id).ok().flatten()).collect();
        let n_sessions = self.sessions.len();
        let n_errors = self
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == DiagnosticSeverity::Error)
            .count();
        let (state, outcome) = match (self.is_stopped, n_sessions, n_errors) {
            (true, 0, _) => (JobState::Cancelled, "Stopped. Nothing was imported.".to_owned()),
            (true, n, _) => {
                (JobState::Cancelled, format!("Stopped. {} stored before that stay.", sessions_text(n)))
            }
            (false, 0, 1) => (JobState::Failed, self.first_error()),
            (false, 0, _) => (JobState::Failed, "No session was found. Nothing was imported.".to_owned()),
            (false, n, 0) if n == self.n_unchanged => {
                (JobState::Done, format!("{} already here, unchanged.", sessions_text(n)))
            }
            (false, n, 0) => (JobState::Done, format!("{} imported.", sessions_text(n))),
            (false, n, errors) => {
                let problems = if errors == 1 { "problem" } else { "problems" };
                (JobState::Done, format!("{} imported, {errors} {problems}.", sessions_text(n)))
            }
        };
        Ended { state, outcome, sessions: items, diagnostics: self.diagnostics }
    }

    fn first_error(&self) -> String {
        let error =
            self.diagnostics.iter().find(|diagnostic| diagnostic.severity == DiagnosticSeverity::Error);
        error.map_or(String::new(), |error| sentence(&error.message))
    }
}

fn sessions_text(n: usize) -> String {
    if n == 1 { "1 session".to_owned() } else { format!("{n} sessions") }
}

/// All files below a folder, by path; links are not followed.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        let mut entries: Vec<_> = entries.filter_map(Result::ok).collect();
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() && files.len() < MAX_FILES => files.push(entry.path()),
                _ => {}
            }
        }
    }
    files
}

/// Whether the beginning of a file is that of a session, or of something that has to be named.
fn is_session(path: &Path) -> bool {
    use std::io::Read as _;
    let Ok(file) = std::fs::File::open(path) else { return false };
    let mut head = Vec::new();
    if file.take(strata_import::HEAD_BYTES as u64).read_to_end(&mut head).is_err() {
        return false;
    }
    !matches!(strata_import::detect(&head), strata_import::Detection::NotASession(_))
}

pub(crate) fn now_ms() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |now| now.as_millis() as i64)
}
