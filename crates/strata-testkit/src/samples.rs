//! Files of recorded sessions: those of this repository, and others where they are at hand.
//!
//! A folder of recorded sessions has one folder for each tool that wrote some, and `FACTS.json`, which says what was
//! counted in them by other means than ours. There is one here, `tests/samples`, so that a test over recorded sessions
//! always has some. A larger one cannot be published with the project, because its files are other people's.

use std::path::{Path, PathBuf};

const FACTS: &str = "FACTS.json";

/// Every folder of recorded sessions: the repository's, then the larger one if it is there.
pub fn folders() -> Vec<PathBuf> {
    [own()].into_iter().chain(larger()).collect()
}

/// The repository's folder of recorded sessions.
pub fn own() -> PathBuf {
    let own = repository().join("tests/samples");
    assert!(own.join(FACTS).is_file(), "the repository has its samples");
    own
}

/// Files of every folder of recorded sessions that are below this path in it.
pub fn files(below: &str) -> Vec<PathBuf> {
    folders().iter().flat_map(|folder| files_below(&folder.join(below))).collect()
}

/// The larger folder: where `STRATA_SAMPLES` says, or `shared/samples` in a folder above the repository. Says so when
/// there is none.
pub fn larger() -> Option<PathBuf> {
    shared("STRATA_SAMPLES", "samples", &[FACTS], "only the samples of the repository are read")
}

/// Runs of clients that were recorded on both sides, what they sent and what they wrote: where `STRATA_CAPTURES` says, or
/// `shared/capture` in a folder above the repository. Says so when there is none.
pub fn captured() -> Option<PathBuf> {
    shared("STRATA_CAPTURES", "capture", &["exchanges", "sessions"], "no recorded runs are read")
}

/// The folder of the smallest samples: one or more of every format that can be imported.
pub fn of_formats() -> PathBuf {
    repository().join("crates/strata-import/samples")
}

/// Every file below a folder, in order; none where there is no such folder.
pub fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.expect("a folder that can be read").path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}

/// Where a variable says, or a folder of that name in a `shared` folder above the repository; only if it holds what it
/// must. Says what is left out when there is none.
#[expect(clippy::print_stderr, reason = "a test says what it leaves out")]
fn shared(variable: &str, name: &str, holds: &[&str], left_out: &str) -> Option<PathBuf> {
    let is_complete = |folder: &PathBuf| holds.iter().all(|held| folder.join(held).exists());
    let found = match std::env::var_os(variable) {
        Some(folder) => Some(PathBuf::from(folder)).filter(is_complete),
        None => repository().ancestors().map(|above| above.join("shared").join(name)).find(is_complete),
    };
    if found.is_none() {
        eprintln!("{left_out}; set {variable} to a folder of others");
    }
    found
}

fn repository() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("the crate is two folders below the repository").to_owned()
}
