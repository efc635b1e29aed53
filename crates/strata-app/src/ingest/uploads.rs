//! Files that were sent instead of named.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::AppError;

/// What was sent, until it is imported.
#[derive(Default)]
pub(crate) struct Uploads {
    received: Mutex<Received>,
}

#[derive(Default)]
struct Received {
    /// Made for the first one; gone with the app.
    folder: Option<tempfile::TempDir>,
    n_all: u32,
    by_id: HashMap<String, PathBuf>,
}

impl Uploads {
    fn lock(&self) -> MutexGuard<'_, Received> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the content of a file that has no path. Returns the upload's id.
    pub(crate) fn receive(&self, name: &str, mut content: impl Read) -> Result<String, AppError> {
        let failed =
            |error: std::io::Error| AppError::unreadable(format!("{name} could not be taken in: {error}."));
        let (id, path) = {
            let mut received = self.lock();
            received.n_all += 1;
            let id = received.n_all.to_string();
            if received.folder.is_none() {
                received.folder = Some(tempfile::tempdir().map_err(failed)?);
            }
            let folder = received.folder.as_ref().map_or(Path::new("."), |folder| folder.path());
            (id.clone(), folder.join(&id))
        };
        let mut file = std::fs::File::create(&path).map_err(failed)?;
        std::io::copy(&mut content, &mut file).map_err(failed)?;
        self.lock().by_id.insert(id.clone(), path);
        Ok(id)
    }

    /// The file of an upload, which is then no longer known.
    pub(crate) fn take(&self, id: &str) -> Option<PathBuf> {
        self.lock().by_id.remove(id)
    }
}
