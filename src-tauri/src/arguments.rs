//! The command line.

use std::path::{Path, PathBuf};

use clap::Parser;

/// Shows how each model call's prompt was compiled from a session.
#[derive(Debug, Clone, PartialEq, Eq, Parser)]
#[command(name = "strata-desktop", version)]
pub(crate) struct Arguments {
    /// Sessions to open, in any known format
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Keep everything in this database instead of the one in the data folder, in a window of its own
    #[arg(long = "db", value_name = "FILE")]
    pub database: Option<PathBuf>,
}

/// The files that another start was given, as paths that do not depend on where it was started.
pub(crate) fn files_of_start(arguments: &[String], folder: &Path) -> Result<Vec<PathBuf>, clap::Error> {
    let Arguments { files, database: _ } = Arguments::try_parse_from(arguments)?;
    Ok(files.into_iter().map(|file| folder.join(file)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(arguments: &[&str]) -> Result<Vec<PathBuf>, clap::Error> {
        let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        files_of_start(&arguments, Path::new("/home/ada"))
    }

    #[test]
    fn files_of_another_start_are_found_from_its_folder() {
        let found = files(&["strata-desktop", "trip.json", "/data/log.jsonl"]).unwrap();
        assert_eq!(found, [PathBuf::from("/home/ada/trip.json"), PathBuf::from("/data/log.jsonl")]);
    }

    #[test]
    fn a_start_without_files_only_asks_for_the_window() {
        assert_eq!(files(&["strata-desktop"]).unwrap(), Vec::<PathBuf>::new());
    }

    #[test]
    fn an_unknown_flag_is_an_error() {
        assert!(files(&["strata-desktop", "--verbose"]).is_err());
    }
}
