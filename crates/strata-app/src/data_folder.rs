//! Where the store lies when nobody says otherwise.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{AppError, ErrorCode};

/// The store's file in the platform's data folder, which is made if it is missing. Every host starts with this one
/// unless it is told another.
pub fn default_database() -> Result<PathBuf, AppError> {
    let Some(data_folder) = dirs::data_dir() else {
        return Err(AppError::new(
            ErrorCode::Store,
            "Strata does not know your home folder, so it has no place for its database. Name a file with `--db FILE`.",
        ));
    };
    let folder = data_folder.join("strata");
    fs::create_dir_all(&folder).map_err(|error| no_folder(&folder, &error))?;
    Ok(folder.join("strata.db"))
}

fn no_folder(folder: &Path, error: &std::io::Error) -> AppError {
    AppError {
        code: ErrorCode::Store,
        message: format!(
            "The folder for Strata's database cannot be made: {}. Make it, or name another file with `--db FILE`.",
            folder.display()
        ),
        detail: Some(error.to_string()),
    }
}
