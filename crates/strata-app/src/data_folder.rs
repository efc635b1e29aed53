//! Where the store lies when nobody says otherwise.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{AppError, ErrorCode};

const DATABASE: &str = "strata.db";

/// The store's file in the platform's data folder, which is made if it is missing. Every host starts with this one
/// unless it is told another.
pub fn default_database() -> Result<PathBuf, AppError> {
    let Some(folder) = data_folder() else {
        return Err(AppError::new(
            ErrorCode::Store,
            "Strata does not know your home folder, so it has no place for its database. Name a file with `--db FILE`.",
        ));
    };
    fs::create_dir_all(&folder).map_err(|error| no_folder(&folder, &error))?;
    Ok(folder.join(DATABASE))
}

/// The same file, if it is there. Nothing is made.
pub(crate) fn existing_database() -> Option<PathBuf> {
    data_folder().map(|folder| folder.join(DATABASE)).filter(|database| database.exists())
}

/// Where saved scripts lie that belong to a store: in `scripts` for the one in the data folder, and beside any other in
/// a folder with the store's name, so that nothing of a person's own folders is taken for a saved script.
pub(crate) fn scripts_folder(database: &Path) -> PathBuf {
    if data_folder().is_some_and(|folder| folder.join(DATABASE) == database) {
        return database.with_file_name("scripts");
    }
    let name = database.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    database.with_file_name(format!("{name}.scripts"))
}

fn data_folder() -> Option<PathBuf> {
    Some(dirs::data_dir()?.join("strata"))
}

fn no_folder(folder: &Path, error: &std::io::Error) -> AppError {
    let message = format!(
        "The folder for Strata's database cannot be made: {}. Make it, or name another file with `--db FILE`.",
        folder.display()
    );
    AppError::new(ErrorCode::Store, message).with_detail(&error)
}
