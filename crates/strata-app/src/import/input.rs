//! What is imported.

use std::path::PathBuf;

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
    pub(super) fn shown(&self) -> PathBuf {
        self.location.as_ref().map_or_else(|| self.path.clone(), PathBuf::from)
    }

    pub(crate) fn name(&self) -> String {
        let name = self.path.file_name().map(|name| name.to_string_lossy().into_owned());
        self.location.clone().or(name).unwrap_or_else(|| self.path.display().to_string())
    }
}
