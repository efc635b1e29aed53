//! Reading a file of any format, whatever its size.

use std::borrow::Cow;
use std::fs::{File, Metadata};
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};

use strata_import::{Detection, Import, ImportedSession, Importer};
use strata_model::{Diagnostic, Fingerprint, Severity};

use super::head::read_head;
use super::sqlite;
use super::stamp::Stamp;
use crate::watch::Watch;

/// Bytes read at a time.
pub(super) const PIECE: usize = 1 << 20;

/// Bytes of a tool's result that are kept.
const MAX_OUTPUT: u64 = 16 << 20;

/// A file that was read.
#[derive(Debug)]
pub(crate) struct ReadFile {
    /// Still open: another may stand at its path by now. A database on a server has none.
    pub file: Option<File>,
    pub import: Import,
    /// As it was before it was read.
    pub stamp: Stamp,
    /// Of all its bytes.
    pub content: Fingerprint,
    /// It is a database that was not read to its end: another program may have been writing.
    pub is_cut_off: bool,
}

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReadError {
    #[error("{} cannot be read: {reason}. Nothing was imported.", .path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error("Stopped. Nothing of {} was imported.", .path.display())]
    Cancelled { path: PathBuf },
}

/// Reads a file. What it is not, or lacks, is in the diagnostics of the import.
pub(crate) fn read_file(path: &Path, watch: &dyn Watch) -> Result<ReadFile, ReadError> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    read_open(path, file, watch)
}

pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> ReadError {
    ReadError::Unreadable { path: path.to_owned(), reason: reason_of(error) }
}

/// What the system says, in words.
pub(super) fn reason_of(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        std::io::ErrorKind::PermissionDenied => "you may not read it".to_owned(),
        _ => error.to_string(),
    }
}

/// What the system says of a file that was opened at `path`, unless it is something else.
pub(super) fn is_regular(path: &Path, file: &File) -> Result<Metadata, ReadError> {
    let metadata = file.metadata().map_err(|error| unreadable(path, &error))?;
    if metadata.is_file() {
        return Ok(metadata);
    }
    Err(ReadError::Unreadable { path: path.to_owned(), reason: "it is not a file".to_owned() })
}

/// Reads a file from its beginning that was opened at `path`.
pub(crate) fn read_open(path: &Path, file: File, watch: &dyn Watch) -> Result<ReadFile, ReadError> {
    let mut read = read_alone(path, file, watch)?;
    add_full_outputs(path, &mut read.import, std::iter::empty());
    Ok(read)
}

/// Reads the sessions of a file and nothing that lies beside it.
pub(super) fn read_events(path: &Path, watch: &dyn Watch) -> Result<Import, ReadError> {
    let file = File::open(path).map_err(|error| unreadable(path, &error))?;
    Ok(read_alone(path, file, watch)?.import)
}

fn read_alone(path: &Path, mut file: File, watch: &dyn Watch) -> Result<ReadFile, ReadError> {
    let unreadable = |error: std::io::Error| unreadable(path, &error);
    let metadata = is_regular(path, &file)?;
    file.rewind().map_err(unreadable)?;
    let total = metadata.len();
    let stamp = Stamp::of_open(metadata, path);
    let mut pieces =
        Pieces { file: &mut file, done: 0, total, content: Fingerprint::default(), is_database: false };
    let import = pieces.import(path, watch).map_err(unreadable)?;
    let Some(import) = import else { return Err(ReadError::Cancelled { path: path.to_owned() }) };
    let content = pieces.content;
    let has_error = import.diagnostics.iter().any(|found| found.severity == Severity::Error);
    let is_cut_off = pieces.is_database && has_error;
    Ok(ReadFile { file: Some(file), import, stamp, content, is_cut_off })
}

/// Reads results that were too large for a transcript from the folder beside it. Those that the same sessions had
/// `before` are not read again, but where their files are longer now or shorter: one may be read while it is written.
pub(super) fn add_full_outputs<'s>(
    path: &Path,
    import: &mut Import,
    mut before: impl Iterator<Item = &'s ImportedSession>,
) {
    let mut n_missing = 0;
    for session in &mut import.sessions {
        let before = before.next();
        for (event, name) in session.full_outputs() {
            let file = full_output_file(path, &session.session.id, &name);
            let length = file.as_ref().and_then(|file| Some(file.metadata().ok()?.len().min(MAX_OUTPUT)));
            let known = before.and_then(|before| before.full_output(event, &name));
            let known = known.filter(|text| length.is_none_or(|length| length == text.len() as u64));
            let read = || file.as_deref().and_then(read_full_output).map(Cow::Owned);
            match known.map(Cow::Borrowed).or_else(read) {
                Some(text) => session.add_full_output(event, &name, &text),
                None => n_missing += 1,
            }
        }
    }
    if n_missing > 0 {
        let message = format!(
            "tool results that were too large for the transcript and are not in `tool-results` beside it: {n_missing}. What the model was given of them is there"
        );
        import.diagnostics.push(Diagnostic::info("missing-tool-results", "", message));
    }
}

/// The folder is that of the session: beside its transcript, or above those of its sub-agents.
fn full_output_file(transcript: &Path, session: &str, name: &str) -> Option<PathBuf> {
    let is_plain =
        |name: &str| !name.is_empty() && !name.contains(['/', '\\', '\0']) && !name.starts_with('.');
    let of_session = is_plain(session).then(|| transcript.with_file_name(session));
    let folders =
        [Some(transcript.with_extension("")), of_session, transcript.parent()?.parent().map(Path::to_owned)];
    let mut files = folders.into_iter().flatten().map(|folder| folder.join("tool-results").join(name));
    files.find(|file| is_plain(name) && file.is_file())
}

fn read_full_output(file: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(MAX_OUTPUT).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// A file piece by piece, hashed on the way.
struct Pieces<'f> {
    file: &'f mut File,
    done: u64,
    total: u64,
    /// The chain of the fingerprints of all pieces.
    content: Fingerprint,
    is_database: bool,
}

impl Pieces<'_> {
    /// `None` when the watcher wanted to stop.
    fn import(&mut self, path: &Path, watch: &dyn Watch) -> std::io::Result<Option<Import>> {
        let (head, detection) = read_head(|head| self.next(head))?;
        match detection {
            Detection::Readable(format) => {
                let mut importer = Importer::new(format);
                importer.feed(&head);
                self.rest(watch, |piece| importer.feed(piece)).map(|whole| whole.then(|| importer.finish()))
            }
            Detection::Sqlite => {
                self.is_database = true;
                if !self.rest(watch, |_| ())? {
                    return Ok(None);
                }
                // What was written last may be in its log only.
                if let Ok(log) = std::fs::read(sqlite::log_of(path))
                    && !log.is_empty()
                {
                    self.content = self.content.then(Fingerprint::of(&log));
                }
                Ok(sqlite::import(path, watch))
            }
            // What is refused is refused by its head.
            Detection::Archive(_) | Detection::Unread(_) | Detection::NotASession(_) => {
                Ok(Some(strata_import::import(&head)))
            }
        }
    }

    /// Reads to the end. False when the watcher wanted to stop.
    fn rest(&mut self, watch: &dyn Watch, mut feed: impl FnMut(&[u8])) -> std::io::Result<bool> {
        let mut piece = Vec::with_capacity(PIECE);
        loop {
            watch.progress(self.done, self.total.max(self.done));
            if watch.is_cancelled() {
                return Ok(false);
            }
            piece.clear();
            if self.next(&mut piece)? == 0 {
                return Ok(true);
            }
            feed(&piece);
        }
    }

    /// Appends the next piece to `bytes`.
    fn next(&mut self, bytes: &mut Vec<u8>) -> std::io::Result<usize> {
        let before = bytes.len();
        let read = self.file.by_ref().take(PIECE as u64).read_to_end(bytes)?;
        if read > 0 {
            self.content = self.content.then(Fingerprint::of(&bytes[before..]));
        }
        self.done += read as u64;
        Ok(read)
    }
}
