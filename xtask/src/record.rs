//! `cargo xtask record`: what the window asks in its tests, asked of a real Strata.

use std::fs;

use anyhow::{Context as _, Result};

use crate::process::Call;
use crate::repository::Repository;
use crate::{node, steps};

const RECORDINGS: &str = "ui/tests/recorded.jsonl";

/// Runs the tests of the interface with the recorder, all of them or those whose file is named. What they asked is in
/// the recordings when this is over, also where a test failed.
pub(crate) fn run(repository: &Repository, tests: &[String]) -> Result<()> {
    node::ensure_packages(repository, "ui")?;
    steps::build_programs(repository)?;
    let recordings = repository.path(RECORDINGS);
    if tests.is_empty() && recordings.exists() {
        fs::remove_file(&recordings).with_context(|| format!("remove {}", recordings.display()))?;
    }
    // One file after the other: each adds to the recordings.
    Call::npm("test -- --no-file-parallelism", "ui")
        .arguments(tests)
        .env("STRATA_RECORDER", steps::program(repository, "strata-recorder"))
        .run(repository)
}
