//! Importing files and folders, one after the other, each stored before the next is read.

use std::cell::RefCell;
use std::path::PathBuf;

use strata_model::Severity;
use strata_store::{SessionId, Store, StoreError};

use super::folder::{Item, Listed, Stamp, Within, files_below, is_session, items_of, joined};
use super::read::{ReadError, ReadFile, Step, Watch, read_file};
use super::write::{Stored, write};
use crate::Strata;
use crate::api::job::Notification;

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

    /// What a person knows it by: the folder of a conversation in many files, which are read as one.
    fn shown(&self) -> PathBuf {
        self.location.as_ref().map_or_else(|| self.path.clone(), PathBuf::from)
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
    /// The files that were looked at, by what came of them.
    pub files: Files,
    /// Some input is a folder.
    pub has_folder: bool,
    pub is_stopped: bool,
}

/// Files by what came of them. A conversation that is kept in many files counts as one.
#[derive(Debug, Default)]
pub(crate) struct Files {
    pub n_imported: usize,
    /// Those whose sessions were in the store already.
    pub n_unchanged: usize,
    /// There is no session in them.
    pub n_without_session: usize,
    /// Path and reason.
    pub failed: Vec<(PathBuf, String)>,
}

impl Imported {
    pub(crate) fn n_errors(&self) -> usize {
        self.findings.iter().filter(|finding| finding.severity == Severity::Error).count()
    }
}

/// Imports everything, unless `watch` wants to stop; what was stored before stays, so that doing it again goes on.
pub(crate) fn import_all(storage: &impl Storage, inputs: &[Input], watch: &dyn Watch) -> Imported {
    let mut batch = Batch { storage, watch, imported: Imported::default() };
    for input in inputs {
        let before = batch.imported.sessions.len();
        if input.path.is_dir() {
            batch.folder(input);
        } else {
            batch.file(input, None, watch);
        }
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
    fn folder(&mut self, input: &Input) {
        self.imported.has_folder = true;
        self.watch.begins(Step::Files(&input.path));
        let Listed { files, is_cut } = files_below(&input.path);
        if is_cut {
            let message = format!(
                "Only the first {} files were looked at. Import its folders one by one.",
                files.len()
            );
            self.report(input, Severity::Warning, "many-files", message, "");
        }
        let items = items_of(&input.path, &files);
        let known = self.known(&items);
        let n_skipped = self.imported.files.n_without_session;
        for (at, item) in items.iter().enumerate() {
            self.watch.progress(at as u64, items.len() as u64);
            if self.imported.is_stopped || self.watch.is_cancelled() {
                self.imported.is_stopped = true;
                break;
            }
            match known.get(at).and_then(Option::as_ref) {
                Some(sessions) => self.unchanged(sessions.clone()),
                None => self.item(item),
            }
        }
        if !self.imported.is_stopped {
            self.watch.progress(items.len() as u64, items.len() as u64);
        }
        let n_skipped = self.imported.files.n_without_session - n_skipped;
        if n_skipped > 0 {
            let message = format!(
                "{n_skipped} of {} files in this folder hold no session and were left out.",
                files.len()
            );
            self.report(input, Severity::Info, "skipped-files", message, "");
        }
    }

    /// The stored sessions of each item that looks as it did when it was imported.
    fn known(&self, items: &[Item]) -> Vec<Option<Vec<SessionId>>> {
        let known = self.storage.with_store(|store| {
            let of_item = |item: &Item| {
                let (location, stamp) = (item.input().location(), item.stamp());
                let source = store.source(&location)?;
                let is_same = source.zip(stamp.modified_ms).is_some_and(|(source, modified_ms)| {
                    source.looks_unchanged(stamp.size_bytes, modified_ms)
                });
                is_same.then(|| store.source_sessions(&location)).transpose()
            };
            items.iter().map(of_item).collect()
        });
        // Without an answer everything is read, which says what is wrong with the store.
        known.unwrap_or_default()
    }

    fn item(&mut self, item: &Item) {
        let within = Within(self.watch);
        match item {
            Item::File(path) if !is_session(path) => self.imported.files.n_without_session += 1,
            Item::File(path) => self.file(&Input { path: path.clone(), location: None }, None, &within),
            Item::Joined { files, .. } => match joined(files) {
                Ok(whole) => {
                    let input =
                        Input { path: whole.path().to_owned(), location: Some(item.input().location()) };
                    self.file(&input, Some(item.stamp()), &within);
                }
                Err(error) => {
                    let message = format!("Its files cannot be read together: {error}.");
                    self.failed(&item.input(), "unreadable", message);
                }
            },
        }
    }

    fn unchanged(&mut self, sessions: Vec<SessionId>) {
        self.imported.files.n_unchanged += 1;
        self.imported.n_unchanged += sessions.len();
        self.imported.sessions.extend(sessions);
    }

    /// `stamp` stands for the file's own, when it was made for reading.
    fn file(&mut self, input: &Input, stamp: Option<Stamp>, watch: &dyn Watch) {
        if self.imported.is_stopped || watch.is_cancelled() {
            self.imported.is_stopped = true;
            return;
        }
        watch.begins(Step::Reading(&input.path));
        match read_file(&input.path, watch) {
            Ok(mut file) => {
                if let Some(stamp) = stamp {
                    (file.size_bytes, file.modified_ms) = (stamp.size_bytes, stamp.modified_ms);
                }
                self.store(input, &file, watch);
            }
            Err(ReadError::Cancelled { .. }) => self.imported.is_stopped = true,
            Err(error @ ReadError::Unreadable { .. }) => self.failed(input, "unreadable", error.to_string()),
        }
    }

    fn store(&mut self, input: &Input, file: &ReadFile, watch: &dyn Watch) {
        let location = input.location();
        for diagnostic in &file.import.diagnostics {
            let message = diagnostic.message.clone();
            self.report(input, diagnostic.severity, diagnostic.code, message, &diagnostic.at);
        }
        if file.import.sessions.is_empty() {
            let mut found = file.import.diagnostics.iter();
            match found.find(|found| found.severity == Severity::Error) {
                Some(error) => self.imported.files.failed.push((input.shown(), error.message.clone())),
                None => self.imported.files.n_without_session += 1,
            }
            return;
        }
        watch.begins(Step::Storing(&input.path));
        let stored = self.storage.with_store(|store| {
            let known = store.source(&location)?;
            if known.is_some_and(|known| known.is_unchanged(file.content)) {
                return Ok((store.source_sessions(&location)?, None));
            }
            Ok((Vec::new(), Some(write(store, file, &location, now_ms(), watch)?)))
        });
        match stored {
            Ok((sessions, None)) => self.unchanged(sessions),
            Ok((_, Some(Stored::Sessions(sessions)))) => {
                self.imported.files.n_imported += 1;
                self.imported.sessions.extend(sessions.into_iter().map(|session| session.id));
                self.storage.tell_changed();
            }
            Ok((_, Some(Stored::Cancelled))) => self.imported.is_stopped = true,
            Err(error) => self.failed(input, "not-stored", error.to_string()),
        }
    }

    fn failed(&mut self, input: &Input, code: &str, message: String) {
        self.imported.files.failed.push((input.shown(), message.clone()));
        self.report(input, Severity::Error, code, message, "");
    }

    fn report(&mut self, input: &Input, severity: Severity, code: &str, message: String, at: &str) {
        self.imported.findings.push(Finding {
            severity,
            code: code.to_owned(),
            message,
            path: input.shown(),
            name: input.name(),
            at: at.to_owned(),
        });
    }
}

pub(crate) fn now_ms() -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.map_or(0, |now| now.as_millis() as i64)
}
