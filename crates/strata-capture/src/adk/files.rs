//! The files that sessions of a server are written to.

use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use strata_model::{Json, json};

use crate::log::own_file;
use crate::redact;

/// So much of a session's id stands in the names of its files.
const ID: usize = 64;

#[derive(Debug)]
pub(super) struct Files {
    pub(super) folder: PathBuf,
}

impl Files {
    /// Puts a whole file in the place of the one before: a reader never sees half of it.
    pub(super) fn write(&self, number: usize, id: &str, kind: &str, mut value: Json) -> io::Result<()> {
        redact::json(&mut value);
        let id: String = id
            .chars()
            .take(ID)
            .map(|letter| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' })
            .collect();
        let path = self.folder.join(format!("session-{number}-{id}.{kind}.json"));
        // The folder is read while it grows.
        let unfinished = self.folder.with_extension("new");
        // Of an earlier time when the disk was full.
        let _ = fs::remove_file(&unfinished);
        own_file(&unfinished)?.write_all(json::to_compact(&value).as_bytes())?;
        fs::rename(&unfinished, path)
    }
}
