//! Importing files and folders, one after the other, each stored before the next is read.

use std::cell::RefCell;
use std::fs::File;
use std::path::Path;

use strata_database::DatabaseAddress;
use strata_import::{Archive, Format, ImportedSession};
use strata_model::{Severity, Str};
use strata_store::{SessionId, Store, StoreError};

use super::archive::{ArchiveError, unpack};
use super::completions::Conversations;
use super::folder::{FolderListing, Item, MemberWatch, files_below, folder_of_index, items_of, joined};
use super::growing::{GrowingFile, StoredFile, read_grown};
use super::imported::{Finding, Imported};
use super::input::Input;
use super::kept::OrphanPolicy;
use super::left_out::{self, LeftOutFile};
use super::members::{FileKind, MAX_FILES, Member};
use super::read::{ReadError, ReadFile, read_file, read_open, reason_of};
use super::server::{ServerEnd, ServerSession, Wanted, read_server};
use super::stamp::Stamp;
use super::storing::{FileOutcome, WrittenSession, came_of};
use super::traces::{JoinedTrace, join_known, join_traces};
use crate::watch::{Step, Watch};

/// Milliseconds after which nothing more is written at the time of a write.
const SETTLED_MS: i64 = 2_000;

/// Where sessions are put.
pub(crate) trait Storage {
    fn with_store<T>(&self, work: impl FnOnce(&mut Store) -> Result<T, StoreError>) -> Result<T, StoreError>;
    /// Sessions were stored.
    fn tell_changed(&self) {}
    /// A session that was stored before has more or other content now: what is open of it is to be read again.
    fn reopen(&self, _: &SessionId) {}
}

impl Storage for RefCell<Store> {
    fn with_store<T>(&self, work: impl FnOnce(&mut Store) -> Result<T, StoreError>) -> Result<T, StoreError> {
        work(&mut self.borrow_mut())
    }
}

/// Imports everything, unless `watch` wants to stop; what was stored before stays, so that doing it again goes on.
pub(crate) fn import_all(
    storage: &impl Storage,
    inputs: &[Input],
    gone: OrphanPolicy,
    watch: &dyn Watch,
) -> Imported {
    let mut batch = Batch::new(storage, gone, watch);
    batch.imported.n_inputs = inputs.len();
    // Traces are joined to sessions, which have to be there.
    let (traces, others): (Vec<&Input>, Vec<&Input>) =
        inputs.iter().partition(|input| inputs.len() > 1 && FileKind::of(&input.path) == FileKind::Trace);
    for input in others.into_iter().chain(traces) {
        let before = (batch.imported.sessions.len(), batch.imported.n_joined);
        batch.input(input);
        let after = (batch.imported.sessions.len(), batch.imported.n_joined);
        batch.imported.n_empty_inputs += usize::from(after == before);
    }
    batch.imported
}

/// Files that are open.
#[derive(Debug, Default)]
pub(super) struct OpenFiles {
    /// The one that stood at the path before, where it has more than was read of it.
    pub rotated: Option<File>,
    /// The one that stands there now, if it is a file.
    pub now: Option<File>,
}

/// Imports something that may have been imported before and has changed. `growing` is the file as it was read last.
pub(super) fn import_again(
    storage: &impl Storage,
    input: &Input,
    opened: OpenFiles,
    gone: OrphanPolicy,
    growing: &mut Option<GrowingFile>,
    watch: &dyn Watch,
) -> Imported {
    let mut batch = Batch::new(storage, OrphanPolicy::Kept, watch);
    if let Some(file) = opened.rotated {
        batch.read(input, None, watch, || read_open(&input.path, file, watch));
    }
    batch.gone = gone;
    match opened.now {
        Some(file) if !is_archive(&input.path) => {
            batch.growing = growing.take();
            batch.read_on(input, file);
            *growing = batch.growing.take();
        }
        _ => batch.input(input),
    }
    batch.imported
}

/// Whether a file holds other files.
pub(crate) fn is_archive(path: &Path) -> bool {
    matches!(FileKind::of(path), FileKind::Archive(_))
}

struct Batch<'b, S> {
    storage: &'b S,
    watch: &'b dyn Watch,
    gone: OrphanPolicy,
    /// The file that is read, if it is one that can be read on later.
    growing: Option<GrowingFile>,
    conversations: Conversations,
    imported: Imported,
}

impl<'b, S: Storage> Batch<'b, S> {
    fn new(storage: &'b S, gone: OrphanPolicy, watch: &'b dyn Watch) -> Self {
        let (conversations, imported) = (Conversations::default(), Imported::default());
        Self { storage, watch, gone, growing: None, conversations, imported }
    }

    fn input(&mut self, input: &Input) {
        if let Some(address) = &input.server {
            return self.server(input, address);
        }
        if input.path.is_dir() {
            return self.folder(input);
        }
        if let Some(path) = folder_of_index(&input.path) {
            return self.folder(&Input::of(path));
        }
        match FileKind::of(&input.path) {
            FileKind::Archive(kind) => self.archive(input, kind),
            _ => self.file(input, None, self.watch),
        }
    }

    fn folder(&mut self, input: &Input) {
        self.watch.begins(Step::Files(&input.path));
        let FolderListing { members, is_cut, unreadable } = files_below(&input.path);
        for (folder, error) in unreadable {
            let folder = Input::of(folder);
            let message = format!("What is in this folder was left out: {}.", reason_of(&error));
            self.report(&folder, Severity::Warning, "unreadable-folder", message, "");
        }
        if is_cut {
            let message = "It has more files than are looked at. Import its folders one by one.".to_owned();
            self.report(input, Severity::Warning, "many-files", message, "");
        }
        self.members(input, "folder", &members);
    }

    /// A database on a server: what was stored of it and has not changed since is not read again.
    fn server(&mut self, input: &Input, address: &DatabaseAddress) {
        let (watch, first_finding) = (self.watch, self.imported.findings.len());
        let wanted = |batch: &mut Self, session: &ServerSession| {
            if batch.imported.is_stopped || watch.is_cancelled() {
                return Wanted::Stop;
            }
            match batch.known_on_server(session) {
                Some(sessions) => {
                    batch.unchanged(sessions);
                    Wanted::Known
                }
                None => Wanted::Read,
            }
        };
        let take = |batch: &mut Self, session: &ServerSession, mut file: ReadFile| {
            let input = Input::known_as(&session.location, session.location.clone());
            batch.store(&input, &mut file, &MemberWatch(watch));
        };
        match read_server(address, self, wanted, take, watch) {
            ServerEnd::Whole { n_sessions, n_empty } => {
                if n_empty > 0 {
                    let message =
                        format!("{n_empty} of its {n_sessions} sessions hold no word yet and were left out.");
                    self.report(input, Severity::Info, "empty-sessions", message, "");
                }
            }
            ServerEnd::Stopped => self.imported.is_stopped = true,
            ServerEnd::Failed(why) => self.failed(input, "unreadable-database", why),
        }
        self.fold_findings(input, first_finding);
    }

    /// The stored session that was read after it was written to last. Two writes of one millisecond look the same, so
    /// that one which was just being written is read again.
    fn known_on_server(&self, session: &ServerSession) -> Option<Vec<SessionId>> {
        let modified_ms = session.modified_ms?;
        let known = self.storage.with_store(|store| {
            let source = store.source(&session.location)?;
            let is_known = source.is_some_and(|source| {
                source.content.is_some()
                    && source.modified_ms == Some(modified_ms)
                    && source.imported_at_ms > modified_ms + SETTLED_MS
            });
            is_known.then(|| store.source_sessions(&session.location)).transpose()
        });
        known.ok().flatten()
    }

    fn archive(&mut self, input: &Input, kind: Archive) {
        self.watch.begins(Step::Reading(&input.path));
        match unpack(&input.path, kind, &input.location(), self.watch) {
            Ok(unpacked) => {
                self.members(input, "archive", &unpacked.members);
                if unpacked.n_left_out > 0 {
                    let message = format!(
                        "Only the first {MAX_FILES} files were looked at; {} were left out. Unpack it and import its folders one by one.",
                        unpacked.n_left_out
                    );
                    self.report(input, Severity::Warning, "many-files", message, "");
                }
            }
            Err(ArchiveError::Cancelled) => self.imported.is_stopped = true,
            Err(error) => self.failed(input, "unreadable", error.to_string()),
        }
    }

    /// The files of a folder or an archive. Traces are joined to sessions, so they come last.
    fn members(&mut self, input: &Input, what: &str, members: &[Member]) {
        self.imported.has_folder = true;
        let items = items_of(input, members);
        let known = self.known(&items);
        let (first_left_out, first_finding) =
            (self.imported.files.left_out.len(), self.imported.findings.len());
        let (mut traces, mut n_found) = (Vec::new(), 0);
        for (at, item) in items.iter().enumerate() {
            self.watch.progress(at as u64, items.len() as u64);
            if self.imported.is_stopped || self.watch.is_cancelled() {
                self.imported.is_stopped = true;
                break;
            }
            match known.get(at).and_then(Option::as_ref) {
                Some(sessions) => self.unchanged(sessions.clone()),
                None => match item.holds() {
                    FileKind::Nothing(reason) => self.leave_out(&item.input, reason),
                    _ if n_found == MAX_FILES => {
                        let message = format!(
                            "Only the first {MAX_FILES} files with sessions were read. Import the folder again: what is \
                             stored is left alone, and the next ones are read."
                        );
                        self.report(input, Severity::Warning, "many-files", message, "");
                        break;
                    }
                    FileKind::Trace => {
                        traces.push(item);
                        n_found += 1;
                    }
                    FileKind::Session | FileKind::Archive(_) => {
                        self.item(item);
                        n_found += 1;
                    }
                },
            }
        }
        for trace in traces {
            self.item(trace);
        }
        if !self.imported.is_stopped {
            self.watch.progress(items.len() as u64, items.len() as u64);
        }
        self.fold_findings(input, first_finding);
        let left_out = &self.imported.files.left_out[first_left_out..];
        if !left_out.is_empty() {
            let message = format!(
                "{} of {} files in this {what} hold no session and were left out: {}.",
                left_out.len(),
                members.len(),
                left_out::in_words(left_out)
            );
            self.report(input, Severity::Info, "skipped-files", message, "");
        }
    }

    fn leave_out(&mut self, input: &Input, reason: String) {
        let path = input.shown().display().to_string();
        self.imported.files.left_out.push(LeftOutFile { path, reason });
    }

    /// Makes one of the notes that say the same of many files of a folder. Errors stay with their files.
    fn fold_findings(&mut self, folder: &Input, first: usize) {
        let mut folded: Vec<(Finding, Vec<String>)> = Vec::new();
        for finding in self.imported.findings.drain(first..) {
            let is_same = |(known, _): &&mut (Finding, Vec<String>)| {
                known.severity != Severity::Error
                    && (known.severity, &known.code, &known.message)
                        == (finding.severity, &finding.code, &finding.message)
            };
            match folded.iter_mut().find(is_same) {
                Some((_, names)) => names.push(finding.name),
                None => {
                    let name = finding.name.clone();
                    folded.push((finding, vec![name]));
                }
            }
        }
        self.imported.findings.extend(folded.into_iter().map(|(mut finding, mut names)| {
            names.dedup();
            if let [name, _, ..] = &names[..] {
                let n_more = names.len() - 1;
                let files =
                    if n_more == 1 { "1 other file".to_owned() } else { format!("{n_more} other files") };
                finding.message += &format!(" ({name} and {files})");
                (finding.path, finding.name, finding.at) = (folder.shown(), folder.name(), String::new());
            }
            finding
        }));
    }

    /// The stored sessions of each item that looks as it did when it was imported.
    fn known(&self, items: &[Item]) -> Vec<Option<Vec<SessionId>>> {
        let known = self.storage.with_store(|store| {
            let of_item = |item: &Item| {
                let (location, stamp) = (item.input.location(), item.stamp());
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
        let within = MemberWatch(self.watch);
        if item.together.is_empty() {
            return self.file(&item.input, None, &within);
        }
        match joined(item) {
            Ok(whole) => {
                let input = Input::known_as(whole.path(), item.input.location());
                self.file(&input, Some(item.stamp()), &within);
            }
            Err(error) => {
                let message = format!("Its files cannot be read together: {error}.");
                self.failed(&item.input, "unreadable", message);
            }
        }
    }

    fn unchanged(&mut self, sessions: Vec<SessionId>) {
        self.imported.files.n_unchanged += 1;
        self.imported.n_unchanged += sessions.len();
        self.imported.sessions.extend(sessions);
    }

    /// `stamp` stands for the file's own, when it was made for reading.
    fn file(&mut self, input: &Input, stamp: Option<Stamp>, watch: &dyn Watch) {
        self.read(input, stamp, watch, || read_file(&input.path, watch));
    }

    fn read(
        &mut self,
        input: &Input,
        stamp: Option<Stamp>,
        watch: &dyn Watch,
        read: impl FnOnce() -> Result<ReadFile, ReadError>,
    ) {
        if self.imported.is_stopped || watch.is_cancelled() {
            self.imported.is_stopped = true;
            return;
        }
        watch.begins(Step::Reading(&input.path));
        self.have_read(input, stamp, watch, read());
    }

    /// Reads a file on from where it was read to, if it goes on from there.
    fn read_on(&mut self, input: &Input, file: File) {
        if self.imported.is_stopped || self.watch.is_cancelled() {
            self.imported.is_stopped = true;
            return;
        }
        self.watch.begins(Step::Reading(&input.path));
        let read = read_grown(&input.path, file, &mut self.growing, self.watch);
        self.have_read(input, None, self.watch, read);
    }

    fn have_read(
        &mut self,
        input: &Input,
        stamp: Option<Stamp>,
        watch: &dyn Watch,
        read: Result<ReadFile, ReadError>,
    ) {
        match read {
            Ok(mut file) => {
                file.stamp = stamp.unwrap_or(file.stamp);
                self.store(input, &mut file, watch);
            }
            Err(ReadError::Cancelled { .. }) => self.imported.is_stopped = true,
            Err(error @ ReadError::Unreadable { .. }) => self.failed(input, "unreadable", error.to_string()),
        }
    }

    fn store(&mut self, input: &Input, file: &mut ReadFile, watch: &dyn Watch) {
        let location = input.location();
        for diagnostic in &file.import.diagnostics {
            let message = diagnostic.message.clone();
            self.report(input, diagnostic.severity, diagnostic.code, message, &diagnostic.at);
        }
        self.imported.has_failed |= file.is_cut_off;
        if file.is_cut_off && self.gone != OrphanPolicy::Replaced && !file.import.sessions.is_empty() {
            // What was read of it before has more.
            return;
        }
        let n_joined = self.imported.n_joined;
        self.join(input, file, &location);
        if file.import.sessions.is_empty() && self.imported.n_joined > n_joined {
            self.imported.files.n_imported += 1;
            return;
        }
        if file.import.sessions.is_empty() {
            let mut found = file.import.diagnostics.iter();
            match found.find(|found| found.severity == Severity::Error) {
                Some(error) => self.imported.files.failed.push((input.shown(), error.message.clone())),
                None => self.leave_out(input, "a file without a session".to_owned()),
            }
            return;
        }
        watch.begins(Step::Storing(&input.path));
        let gone = self.gone;
        let known = self.growing.as_ref().and_then(GrowingFile::stored);
        let came =
            self.storage.with_store(|store| came_of(store, file, &location, known, gone, now_ms(), watch));
        match came {
            Ok(FileOutcome::Unchanged(sessions)) => self.unchanged(sessions),
            Ok(FileOutcome::Unsettled) => self.imported.is_unsettled = true,
            Ok(FileOutcome::Cancelled) => self.imported.is_stopped = true,
            Ok(FileOutcome::Written { location, written }) => {
                let parent = |session: &ImportedSession| Some(session.parent.as_ref()?.session_id.clone());
                let parents: Vec<Option<Str>> = file.import.sessions.iter().map(parent).collect();
                if let Some(growing) = &mut self.growing {
                    let ids = written.iter().map(|written| written.session.clone());
                    let sessions = ids.zip(std::mem::take(&mut file.import.sessions)).collect();
                    growing.set_stored(StoredFile { location, content: file.content, sessions });
                }
                self.written(input, written, &parents);
            }
            Err(error) => self.failed(input, "not-stored", error.to_string()),
        }
    }

    /// What was written of a file, with the sessions that called its sub-agents.
    fn written(&mut self, input: &Input, written: Vec<WrittenSession>, parents: &[Option<Str>]) {
        let sessions: Vec<SessionId> = written.iter().map(|written| written.session.clone()).collect();
        for (session, parent) in sessions.iter().zip(parents) {
            self.join_known(input, session, parent.as_deref());
        }
        for written in written.iter().filter(|written| written.n_events_before.is_some() && !written.is_same)
        {
            self.storage.reopen(&written.session);
        }
        self.imported.files.n_imported += 1;
        self.imported.sessions.extend(sessions);
        self.imported.written.extend(written);
        self.storage.tell_changed();
    }

    /// Gives the requests of traces to their sessions. A trace whose requests all found one is no session of its own,
    /// unless it still grows: what was captured is watched while it comes in.
    fn join(&mut self, input: &Input, file: &mut ReadFile, location: &str) {
        let sessions = std::mem::take(&mut file.import.sessions);
        let joined = {
            let Self { conversations, imported, storage, .. } = self;
            storage.with_store(|store| {
                let is_candidate =
                    |session: &ImportedSession| session.format.is_trace() && !session.requests.is_empty();
                let traces: Vec<_> = sessions.iter().filter(|session| is_candidate(session)).collect();
                let mut of_traces = join_traces(store, &traces, location)?.into_iter();
                let each = sessions.iter().map(|session| {
                    if is_candidate(session) {
                        Ok(of_traces.next().flatten())
                    } else {
                        conversations.join(store, &imported.sessions, session, location)
                    }
                });
                each.collect::<Result<Vec<_>, _>>()
            })
        };
        let joined = joined.unwrap_or_else(|error| {
            self.report(input, Severity::Error, "not-joined", error.to_string(), "");
            Vec::new()
        });
        let joined = joined.into_iter().chain(std::iter::repeat(None));
        for (session, joined) in sessions.into_iter().zip(joined) {
            let Some(joined) = joined else {
                file.import.sessions.push(session);
                continue;
            };
            self.joined(input, &joined);
            if joined.n_left > 0 || session.format == Format::CAPTURE {
                file.import.sessions.push(session);
            } else if !self.imported.sessions.contains(&joined.session) {
                self.imported.sessions.push(joined.session);
            }
        }
    }

    fn joined(&mut self, input: &Input, joined: &JoinedTrace) {
        self.imported.n_joined += joined.n_found;
        let requests = |n: usize| format!("{} of", crate::counted(n, "request"));
        let others = match joined.n_others {
            0 => String::new(),
            n => format!(" and {}", crate::counted(n, "other session")),
        };
        let mut message = format!(
            "{} this trace {} really sent in “{}”{others} and {} shown there.",
            requests(joined.n_found),
            if joined.n_found == 1 { "was" } else { "were" },
            joined.title,
            if joined.n_found == 1 { "is" } else { "are" },
        );
        if joined.n_left > 0 {
            message += &format!(
                " {} it {} of no event there: the trace is kept as a session of its own.",
                requests(joined.n_left),
                if joined.n_left == 1 { "is" } else { "are" },
            );
        }
        self.report(input, Severity::Info, "joined-trace", message, "");
        self.storage.reopen(&joined.session);
        self.storage.tell_changed();
    }

    /// Gives a session that was just stored the requests of traces that came before it.
    fn join_known(&mut self, input: &Input, session: &SessionId, parent: Option<&str>) {
        match self.storage.with_store(|store| join_known(store, session, parent)) {
            Ok(traces) => {
                for trace in traces {
                    self.imported.n_joined += trace.n_found;
                    let requests = crate::counted(trace.n_found, "request");
                    let message = format!(
                        "{requests} of the trace “{}” were really sent in this session and are shown in it.",
                        trace.title
                    );
                    self.report(input, Severity::Info, "joined-trace", message, "");
                }
            }
            Err(error) => self.report(input, Severity::Error, "not-joined", error.to_string(), ""),
        }
    }

    fn failed(&mut self, input: &Input, code: &str, message: String) {
        self.imported.has_failed = true;
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
