//! Finding sample files.

use std::path::{Path, PathBuf};

/// The folder of recorded sessions that cannot be committed, if it is on this machine: `STRATA_SAMPLES`, or
/// `shared/samples` in a folder above this one. Says so when there is none.
pub(crate) fn recorded_samples() -> Option<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let is_complete = |folder: &PathBuf| folder.join("FACTS.json").is_file();
    let folder = match std::env::var_os("STRATA_SAMPLES") {
        Some(folder) => Some(PathBuf::from(folder)),
        None => here.ancestors().map(|above| above.join("shared/samples")).find(is_complete),
    };
    let folder = folder.filter(is_complete);
    if folder.is_none() {
        eprintln!("no recorded samples found: tests over them are skipped; set STRATA_SAMPLES to run them");
    }
    folder
}

/// Every file below a folder, in order.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

pub(crate) fn samples_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")
}

/// A sample of our own.
pub(crate) fn sample(name: &str) -> Vec<u8> {
    std::fs::read(samples_folder().join(name)).unwrap()
}
