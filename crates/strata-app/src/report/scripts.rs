//! `strata scripts`: the saved scripts.

use std::path::Path;

use serde::Serialize;

use super::VERSION;
use crate::api::script::SavedScript;
use crate::data_folder::default_database;
use crate::error::AppError;
use crate::script_folder::ScriptFolder;

/// The document of `strata scripts`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ScriptsReport {
    pub version: u32,
    /// Where they lie.
    pub folder: String,
    /// By name.
    pub scripts: Vec<SavedScript>,
}

/// The scripts that belong to a store, or to the one in the data folder.
pub fn scripts(database: Option<&Path>) -> Result<ScriptsReport, AppError> {
    let database = database.map_or_else(default_database, |database| Ok(database.to_owned()))?;
    let folder = ScriptFolder::of_store(&database);
    Ok(ScriptsReport {
        version: VERSION,
        folder: folder.path().display().to_string(),
        scripts: folder.list()?,
    })
}
