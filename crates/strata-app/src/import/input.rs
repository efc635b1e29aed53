//! What is imported.

use std::path::{Path, PathBuf};

use strata_database::{AddressError, DatabaseAddress};

/// Something to import.
#[derive(Debug, Clone)]
pub(crate) struct Input {
    /// Of a database on a server, its address without a password.
    pub path: PathBuf,
    /// The name under which it is known, where that is not its path.
    pub location: Option<String>,
    /// It is a database on a server.
    pub server: Option<DatabaseAddress>,
}

impl Input {
    /// A file or a folder.
    pub(crate) fn of(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), location: None, server: None }
    }

    /// A file that is known by another name.
    pub(crate) fn known_as(path: impl Into<PathBuf>, location: String) -> Self {
        Self { path: path.into(), location: Some(location), server: None }
    }

    /// What a person named: a path, or the address of a database, of which nobody sees the password from here on.
    pub(crate) fn named(name: &Path) -> Result<Self, AddressError> {
        match name.to_str().filter(|name| DatabaseAddress::is_meant(name)) {
            Some(address) => DatabaseAddress::parse(address).map(Self::on_server),
            None => Ok(Self::of(name)),
        }
    }

    fn on_server(server: DatabaseAddress) -> Self {
        let shown = server.shown().to_owned();
        Self { path: PathBuf::from(&shown), location: Some(shown), server: Some(server) }
    }

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
