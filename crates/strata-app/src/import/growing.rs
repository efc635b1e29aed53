//! Files that grow at their end: what was added to one is read, and nothing twice.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use strata_import::{
    Detection, Format, GrowingImporter, HEAD_BYTES, HeadDetection, ImportedSession, detect_head,
};
use strata_model::Fingerprint;
use strata_store::SessionId;

use super::head::detect_file;
use super::read::{PIECE, ReadError, ReadFile, add_full_outputs, is_regular, read_open, unreadable};
use super::stamp::Stamp;
use crate::watch::Watch;

/// So much of a file is held against what was read of it before anything is read on: hashing it takes milliseconds. Of
/// more, the last piece is, and all once nothing is being written.
const PROVEN_AT_ONCE: u64 = 64 << 20;

/// A file that was read to its end, and what is known of it to read on from there.
#[derive(Debug)]
pub(super) struct GrowingFile {
    reader: GrowingImporter,
    format: Format,
    n_read: u64,
    /// Of the pieces in front of the last one, in a chain.
    content: Fingerprint,
    /// Of the last piece, as far as it was there.
    last_piece: Fingerprint,
    /// What the store has of it.
    stored: Option<StoredFile>,
}

/// What the store has of a file.
#[derive(Debug)]
pub(super) struct StoredFile {
    pub location: String,
    /// Of all bytes that were stored.
    pub content: Fingerprint,
    /// In the order of the file.
    pub sessions: Vec<(SessionId, ImportedSession)>,
}

impl GrowingFile {
    /// `None` for a file of a format that does not grow.
    fn begun(path: &Path, file: &mut File) -> Result<Option<Self>, ReadError> {
        is_regular(path, file)?;
        let detection = file.rewind().and_then(|()| detect_file(file));
        let detection = detection.map_err(|error| unreadable(path, &error))?;
        let Detection::Readable(format) = detection else { return Ok(None) };
        let of_reader = |reader| Self {
            reader,
            format,
            n_read: 0,
            content: Fingerprint::default(),
            last_piece: Fingerprint::of(&[]),
            stored: None,
        };
        Ok(GrowingImporter::new(format).map(of_reader))
    }

    pub(super) fn stored(&self) -> Option<&StoredFile> {
        self.stored.as_ref()
    }

    pub(super) fn set_stored(&mut self, stored: StoredFile) {
        self.stored = Some(stored);
    }

    /// Reads what was added to the file, which was opened at `path`. `None` where it is another file by now, was cut or
    /// written over, or tells otherwise what was read of it: then it is to be read from its beginning.
    fn read_on(
        &mut self,
        path: &Path,
        mut file: File,
        watch: &dyn Watch,
    ) -> Result<Option<ReadFile>, ReadError> {
        let stamp = Stamp::of_open(is_regular(path, &file)?, path);
        let is_provable = (1..=PROVEN_AT_ONCE).contains(&self.n_read);
        if is_provable && !self.is_there(&file).map_err(|error| unreadable(path, &error))? {
            return Ok(None);
        }
        if !self.take_in(&mut file, stamp.size_bytes, watch).map_err(|error| unreadable(path, &error))? {
            let is_cancelled = watch.is_cancelled();
            return if is_cancelled { Err(ReadError::Cancelled { path: path.to_owned() }) } else { Ok(None) };
        }
        let Some(mut import) = self.reader.so_far() else { return Ok(None) };
        let before = self.stored.as_ref().map_or(&[][..], |stored| &stored.sessions);
        add_full_outputs(path, &mut import, before.iter().map(|(_, session)| session));
        Ok(Some(ReadFile { file: Some(file), import, stamp, content: self.content(), is_cut_off: false }))
    }

    /// Of all bytes that were read.
    fn content(&self) -> Fingerprint {
        self.content.then(self.last_piece)
    }

    /// Reads from the last piece on. False when that is another one than it was, or the watcher wants to stop.
    fn take_in(&mut self, file: &mut File, size_bytes: u64, watch: &dyn Watch) -> std::io::Result<bool> {
        let first = last_piece(self.n_read);
        file.seek(SeekFrom::Start(first))?;
        let mut piece = Vec::with_capacity(PIECE);
        for at in (first..).step_by(PIECE) {
            watch.progress(at, size_bytes.max(at));
            if watch.is_cancelled() {
                return Ok(false);
            }
            piece.clear();
            file.take(PIECE as u64).read_to_end(&mut piece)?;
            if at > first && !piece.is_empty() {
                self.content = self.content();
                self.last_piece = Fingerprint::of(&[]);
            } else if at > first {
                return Ok(true);
            }
            let n_known = usize::try_from(self.n_read - at).unwrap_or(usize::MAX);
            let is_known = piece.get(..n_known).map(Fingerprint::of) == Some(self.last_piece);
            if !is_known || !self.is_of_format(at, &piece) {
                return Ok(false);
            }
            self.reader.feed(&piece[n_known..]);
            self.n_read = at + piece.len() as u64;
            self.last_piece = Fingerprint::of(&piece);
            // What may stand behind it by now was written since: it is read the next time.
            if piece.len() < PIECE {
                return Ok(true);
            }
        }
        Ok(true)
    }

    /// A file is what its beginning says, and that may have been short.
    fn is_of_format(&self, at: u64, piece: &[u8]) -> bool {
        let is_known = self.n_read >= HEAD_BYTES as u64 || at > 0;
        let is_of_format = |told: HeadDetection| {
            told.detection == Detection::Readable(self.format) || (!told.is_settled && piece.len() == PIECE)
        };
        is_known || is_of_format(detect_head(piece))
    }

    /// Whether all bytes that were read stand in the file still.
    pub(super) fn is_there(&self, mut file: &File) -> std::io::Result<bool> {
        file.rewind()?;
        let mut content = Fingerprint::default();
        let mut piece = Vec::with_capacity(PIECE);
        for at in (0..self.n_read).step_by(PIECE) {
            piece.clear();
            file.take((self.n_read - at).min(PIECE as u64)).read_to_end(&mut piece)?;
            content = content.then(Fingerprint::of(&piece));
        }
        Ok(content == self.content())
    }
}

/// Reads a file that was opened at `path`: on from where it was read to, where it goes on from there, else from its
/// beginning.
pub(super) fn read_grown(
    path: &Path,
    mut file: File,
    growing: &mut Option<GrowingFile>,
    watch: &dyn Watch,
) -> Result<ReadFile, ReadError> {
    let unreadable = |error: std::io::Error| unreadable(path, &error);
    if let Some(known) = growing
        && let Some(read) = known.read_on(path, file.try_clone().map_err(unreadable)?, watch)?
    {
        return Ok(read);
    }
    *growing = GrowingFile::begun(path, &mut file)?;
    if let Some(begun) = growing
        && let Some(read) = begun.read_on(path, file.try_clone().map_err(unreadable)?, watch)?
    {
        return Ok(read);
    }
    *growing = None;
    read_open(path, file, watch)
}

/// Where the piece begins that the last of so many bytes is in.
fn last_piece(n_bytes: u64) -> u64 {
    n_bytes.saturating_sub(1) / PIECE as u64 * PIECE as u64
}
