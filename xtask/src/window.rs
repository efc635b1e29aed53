//! What is taken from the real window beside its journey: figures and pictures.

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;

use crate::process::Call;
use crate::repository::Repository;
use crate::{node, steps, system};

/// `cargo xtask bench window`: measures a build as people have it, but for the lines of its code, which the other
/// benchmarks have as well: what they compiled is not compiled again.
pub(crate) fn measure(repository: &Repository) -> Result<ExitCode> {
    prepare(repository)?;
    Call::cargo("build --profile bench --workspace --bin strata-desktop").run(repository)?;
    let app = format!("strata-desktop{}", std::env::consts::EXE_SUFFIX);
    // What is measured is the app; the test that drives it may be built as tests are.
    drive(repository, "the_window_on_long_sessions", &repository.target().join("release").join(app))
}

/// `cargo xtask pictures`: takes the pictures of the documentation anew.
pub(crate) fn take_pictures(repository: &Repository) -> Result<ExitCode> {
    prepare(repository)?;
    steps::build_programs(repository)?;
    drive(
        repository,
        "the_pictures_of_the_documentation",
        steps::program(repository, "strata-desktop").as_ref(),
    )
}

fn prepare(repository: &Repository) -> Result<()> {
    system::ensure(repository, &system::WINDOW.iter().chain(system::TESTING).collect::<Vec<_>>())?;
    node::ensure_packages(repository, "ui")?;
    Call::npm("run build", "ui").run(repository)
}

fn drive(repository: &Repository, test: &str, app: &Path) -> Result<ExitCode> {
    Call::cargo("test --workspace --test window --")
        .arguments([test, "--nocapture"])
        .env("STRATA_DESKTOP", app.display().to_string())
        .run(repository)?;
    Ok(ExitCode::SUCCESS)
}
