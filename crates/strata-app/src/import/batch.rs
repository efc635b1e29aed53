//! Importing files and folders, one after the other, each stored before the next is read.

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use strata_import::folder_sessions;
use strata_model::Severity;
use strata_store::{SessionId, Store, StoreError};

use super::read::{ReadError, ReadFile, Step, Watch, read_file};
use super::write::{Stored, write};
use crate::Strata;
use crate::api::job::Notification;

/// Files looked at in a folder, at most.
const MAX_FILES: usize = 10_000;

/// Where sessions are put.
pub(crate) trait Storage {
    fn with_store<T>(&self, work: impl FnOnce(&mut Store) -> Result<T, StoreError>) -> Result<T, StoreError>;
    /// Sessions were stored.
    fn tell_changed(&self) {}
}

impl Storage for Strata {
    fn with_store<T>(&self, work: impl FnOnce(&mut Store) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.with_long_store(work)
    }

    fn tell_changed(&self) {
        self.notify(&Notification::Sessions);
    }
}

impl Storage for RefCell<Store> {
    fn with_store<T>(&self, work: impl FnOnce(&mut Store) -> Result<T, StoreError>) -> Result<T, StoreError> {
        work(&mut self.borrow_mut())
    }
}

/// Something to import.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    pub path: PathBuf,
    /// The name under which it is known, where that is not its path.
    pub location: Option<String>,
}

impl Input {
    pub(crate) fn location(&self) -> String {
        self.location.clone().unwrap_or_else(|| {
            let absolute = std::path::absolute(&self.path).unwrap_or_else(|_| self.path.clone());
            absolute.display().to_string()
        })
    }

    pub(super) fn name(&self) -> String {
        let name = self.path.file_name().map(|name| name.to_string_lossy().into_owned());
        self.location.clone().or(name).unwrap_or_else(|| self.path.display().to_string())
    }
}

/// Something a person should know about one of the files.
#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub severity: Severity,
    pub code: String,
    pub message: String,
    /// The file or folder it is about, as it was named.
    pub path: PathBuf,
    /// The same in short.
    pub name: String,
    /// The place in the file, if there is one.
    pub at: String,
}

/// What came of an import.
#[derive(Debug, Default)]
pub(crate) struct Imported {
    /// In the order they were read.
    pub sessions: Vec<SessionId>,
    pub findings: Vec<Finding>,
    /// Sessions that were in the store already, from files that have not changed.
    pub n_unchanged: usize,
    /// Inputs in which no session was found.
    pub n_empty_inputs: usize,
    pub is_stopped: bool,
}

impl Imported {
    pub(crate) fn n_errors(&self) -> usize {
        self.findings.iter().filter(|finding| finding.severity == Severity::Error).count()
    }
}

/// Imports everything, unless `watch` wants to stop; what was stored before stays.
pub(crate) fn import_all(storage: &impl Storage, inputs: &[Input], watch: &dyn Watch) -> Imported {
    let mut batch = Batch { storage, watch, imported: Imported::default() };
    for input in inputs {
        let before = batch.imported.sessions.len();
        batch.input(input);
        batch.imported.n_empty_inputs += usize::from(batch.imported.sessions.len() == before);
    }
    batch.imported
}

struct Batch<'b, S> {
    storage: &'b S,
    watch: &'b dyn Watch,
    imported: Imported,
}

impl<S: Storage> Batch<'_, S> {
    fn input(&mut self, input: &Input) {
        if !input.path.is_dir() {
            return self.file(input);
        }
        let files = files_below(&input.path);
        let mut n_skipped = 0;
        let in_folders = self.folder_sessions(&input.path, &files);
        for (at, path) in files.iter().enumerate() {
            if in_folders.contains(&at) {
                continue;
            }
            if is_session(path) {
                self.file(&Input { path: path.clone(), location: None });
            } else {
                n_skipped += 1;
            }
        }
        if n_skipped > 0 {
            let message = format!(
                "{n_skipped} of {} files in this folder hold no session and were left out.",
                files.len()
            );
            self.report(input, Severity::Info, "skipped-files", message, "");
        }
        if files.len() == MAX_FILES {
            let message =
                format!("Only the first {MAX_FILES} files were looked at. Import its folders one by one.");
            self.report(input, Severity::Warning, "many-files", message, "");
        }
    }

    /// Imports the conversations that are kept in many files; returns which files these are.
    fn folder_sessions(&mut self, folder: &Path, files: &[PathBuf]) -> HashSet<usize> {
        let below = |path: &PathBuf| {
            let path = path.strip_prefix(folder).unwrap_or(path);
            path.components().map(|name| name.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
        };
        let paths: Vec<String> = files.iter().map(below).collect();
        let mut taken = HashSet::new();
        for session in folder_sessions(&paths) {
            let root = if session.root.is_empty() { folder.to_owned() } else { folder.join(&session.root) };
            // Where they cannot be joined, the files are read one by one, which says what is wrong with them.
            if let Ok(file) = joined(session.files.iter().map(|at| &files[*at])) {
                taken.extend(session.files);
                let location = Input { path: root, location: None }.location();
                self.file(&Input { path: file.path().to_owned(), location: Some(location) });
            }
        }
        taken
    }

    fn file(&mut self, input: &Input) {
        if self.imported.is_stopped || self.watch.is_cancelled() {
            self.imported.is_stopped = true;
            return;
        }
        self.watch.begins(Step::Reading(&input.path));
        match read_file(&input.path, self.watch) {
            Ok(file) => self.store(input, &file),
            Err(ReadError::Cancelled { .. }) => self.imported.is_stopped = true,
            Err(error @ ReadError::Unreadable { .. }) => {
                self.report(input, Severity::Error, "unreadable", error.to_string(), "");
            }
        }
    }

    fn store(&mut self, input: &Input, file: &ReadFile) {
        let location = input.location();
        for diagnostic in &file.import.diagnostics {
            let message = diagnostic.message.clone();
            self.report(input, diagnostic.severity, diagnostic.code, message, &diagnostic.at);
        }
        if file.import.sessions.is_empty() {
            return;
        }
        let watch = self.watch;
        watch.begins(Step::Storing(&input.path));
        let stored = self.storage.with_store(|store| {
            let known = store.source(&location)?;
            if known.is_some_and(|known| known.is_unchanged(file.content)) {
                return Ok((store.source_sessions(&location)?, None));
            }
            Ok((Vec::new(), Some(write(store, file, &location, now_ms(), watch)?)))
        });
        match stored {
            Ok((sessions, None)) => {
                self.imported.n_unchanged += sessions.len();
                self.imported.sessions.extend(sessions);
            }
            Ok((_, Some(Stored::Sessions(sessions)))) => {
                self.imported.sessions.extend(sessions.into_iter().map(|session| session.id));
                self.storage.tell_changed();
            }
            Ok((_, Some(Stored::Cancelled))) => self.imported.is_stopped = true,
            Err(error) => self.report(input, Severity::Error, "not-stored", error.to_string(), ""),
        }
    }

    fn report(&mut self, input: &Input, severity: Severity, code: &str, message: String, at: &str) {
        self.imported.findings.push(Finding {
            severity,
            code: code.to_owned(),
            message,
            path: input.path.clone(),
            name: input.name(),
            at: at.to_owned(),
        });
    }
}

/// Files one after the other, as one file that goes when it is dropped.
fn joined<'f>(files: impl Iterator<Item = &'f PathBuf>) -> std::io::Result<tempfile::NamedTempFile> {
    use std::io::Write as _;
    let mut whole = tempfile::NamedTempFile::new()?;
    for path in files {
        std::io::copy(&mut std::fs::File::open(path)?, whole.as_file_mut())?;
        whole.write_all(b"\n")?;
    }
    whole.flush()?;
    Ok(whole)
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
