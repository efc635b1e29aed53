//! Archives, read as if they were folders.
//!
//! What is inside is copied to a folder of our own under numbers, which is removed again: no name of the archive ever
//! becomes a path. Members inside of members are not looked into.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _, SeekFrom};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use strata_import::Archive;
use tempfile::TempDir;

use super::members::{MAX_FILES, Member};
use crate::watch::Watch;

/// Bytes that all members together may have.
const MAX_BYTES: u64 = 8 << 30;
/// An archive that grows by more than this factor is made to do harm, if what it holds is large.
const MAX_RATIO: u64 = 250;
/// From here on the factor counts.
const LARGE: u64 = 256 << 20;
/// Bytes copied before the watcher is asked.
const PIECE: usize = 1 << 20;

/// An archive while its members are read.
#[derive(Debug)]
pub(super) struct Unpacked {
    /// Removed with everything in it when this is dropped.
    _folder: TempDir,
    pub members: Vec<Member>,
    /// Members that were left out because there are too many.
    pub n_left_out: usize,
}

/// Why an archive was not read.
#[derive(Debug, thiserror::Error)]
pub(super) enum ArchiveError {
    #[error("Stopped.")]
    Cancelled,
    #[error("The archive cannot be read: {0}. Nothing of it was imported.")]
    Broken(String),
    #[error(
        "Unpacked, the archive would be larger than {}. Nothing of it was imported. Unpack it yourself if you trust it, and import the folder.",
        .0
    )]
    TooLarge(String),
    #[error(
        "The archive has members with a password. Nothing of it was imported. Unpack it and import the folder."
    )]
    Encrypted,
}

impl From<io::Error> for ArchiveError {
    fn from(error: io::Error) -> Self {
        Self::Broken(error.to_string())
    }
}

/// Unpacks an archive whose members say to come from `location!/name`.
pub(super) fn unpack(
    path: &Path,
    kind: Archive,
    location: &str,
    watch: &dyn Watch,
) -> Result<Unpacked, ArchiveError> {
    let file = File::open(path)?;
    let packed = file.metadata()?.len();
    let mut taking = Extraction {
        folder: tempfile::tempdir()?,
        location,
        watch,
        packed,
        done: 0,
        members: Vec::new(),
        n_left_out: 0,
    };
    match kind {
        Archive::Zip => taking.zip(file)?,
        Archive::Tar => taking.tar(BufReader::new(file))?,
        Archive::Gzip => taking.gzip(file, path)?,
    }
    let Extraction { folder, members, n_left_out, .. } = taking;
    Ok(Unpacked { _folder: folder, members, n_left_out })
}

struct Extraction<'t> {
    folder: TempDir,
    location: &'t str,
    watch: &'t dyn Watch,
    /// Bytes of the archive.
    packed: u64,
    /// Bytes of all members so far.
    done: u64,
    members: Vec<Member>,
    n_left_out: usize,
}

impl Extraction<'_> {
    fn zip(&mut self, file: File) -> Result<(), ArchiveError> {
        let broken = |error: zip::result::ZipError| ArchiveError::Broken(error.to_string());
        let mut archive = zip::ZipArchive::new(BufReader::new(file)).map_err(broken)?;
        for at in 0..archive.len() {
            let member = archive.by_index_raw(at).map_err(broken)?;
            if member.encrypted() {
                return Err(ArchiveError::Encrypted);
            }
            let (is_file, name) = (member.is_file(), String::from_utf8_lossy(member.name_raw()).into_owned());
            drop(member);
            if is_file {
                self.take(&name, archive.by_index(at).map_err(broken)?)?;
            }
        }
        Ok(())
    }

    fn tar(&mut self, bytes: impl Read) -> Result<(), ArchiveError> {
        let mut archive = tar::Archive::new(bytes);
        for entry in archive.entries()? {
            let entry = entry?;
            if entry.header().entry_type().is_file() {
                let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
                self.take(&name, entry)?;
            }
        }
        Ok(())
    }

    /// One file, or a tar archive.
    fn gzip(&mut self, mut file: File, path: &Path) -> Result<(), ArchiveError> {
        let mut head = Vec::new();
        MultiGzDecoder::new(BufReader::new(&file)).take(512).read_to_end(&mut head)?;
        file.seek(SeekFrom::Start(0))?;
        let bytes = MultiGzDecoder::new(BufReader::new(file));
        if strata_import::detect(&head) == strata_import::Detection::Archive(Archive::Tar) {
            return self.tar(bytes);
        }
        let name = path.file_stem().map_or_else(|| "file".into(), |stem| stem.to_string_lossy());
        self.take(&name, bytes)
    }

    fn take(&mut self, name: &str, mut bytes: impl Read) -> Result<(), ArchiveError> {
        if self.members.len() == MAX_FILES {
            self.n_left_out += 1;
            return Ok(());
        }
        let path = self.folder.path().join(self.members.len().to_string());
        let mut file = File::create_new(&path)?;
        loop {
            if self.watch.is_cancelled() {
                return Err(ArchiveError::Cancelled);
            }
            let copied = io::copy(&mut bytes.by_ref().take(PIECE as u64), &mut file)?;
            if copied == 0 {
                break;
            }
            self.done += copied;
            self.watch.progress(self.done, self.done.max(self.packed));
            let grown = self.packed.saturating_mul(MAX_RATIO).max(LARGE);
            if self.done > MAX_BYTES.min(grown) {
                return Err(ArchiveError::TooLarge(size_text(MAX_BYTES.min(grown))));
            }
        }
        let name = harmless(name);
        let location = Some(format!("{}!/{name}", self.location));
        self.members.push(Member { name, path, location });
        Ok(())
    }
}

fn size_text(bytes: u64) -> String {
    if bytes >= 1 << 30 { format!("{} GB", bytes >> 30) } else { format!("{} MB", bytes >> 20) }
}

/// A name to be shown: it opens nothing, and says no more than where in the archive a member stands.
fn harmless(name: &str) -> String {
    let parts = name.split(['/', '\\']).filter(|part| !matches!(*part, "" | "." | ".."));
    parts.map(|part| part.replace(char::is_control, "?")).collect::<Vec<_>>().join("/")
}
