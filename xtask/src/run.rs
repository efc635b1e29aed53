//! `cargo xtask run`: from a clone to the running app.

use std::env;
use std::path::{Path, PathBuf, absolute};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};

use crate::process::Call;
use crate::repository::Repository;
use crate::{node, system};

/// Opens the window.
pub(crate) fn in_window(repository: &Repository, files: &[PathBuf]) -> Result<ExitCode> {
    if !has_display() {
        bail!(
            "There is no display here, so no window can be opened. Use a browser instead: cargo xtask run --browser"
        );
    }
    system::ensure(repository, &system::WINDOW.iter().collect::<Vec<_>>())?;
    build_interface(repository)?;
    start(repository, "run --package strata-desktop --", files)
}

/// Serves the interface and opens the browser, if there is one.
pub(crate) fn in_browser(repository: &Repository, files: &[PathBuf]) -> Result<ExitCode> {
    system::ensure(repository, &system::COMPILING.iter().collect::<Vec<_>>())?;
    build_interface(repository)?;
    let arguments = if has_display() { "serve --open" } else { "serve" };
    start(repository, &format!("run --package strata-cli --bin strata -- {arguments}"), files)
}

fn build_interface(repository: &Repository) -> Result<()> {
    node::ensure_packages(repository, "ui")?;
    Call::npm("run build", "ui").run(repository)
}

fn start(repository: &Repository, cargo: &str, files: &[PathBuf]) -> Result<ExitCode> {
    // Cargo runs in the repository's root, and the files were named where the person is.
    let files = files.iter().map(|file| absolute(file).with_context(|| format!("find {}", file.display())));
    Call::cargo(cargo).arguments(files.collect::<Result<Vec<_>>>()?).run(repository)?;
    Ok(ExitCode::SUCCESS)
}

fn has_display() -> bool {
    let is_named =
        |variable| env::var_os(variable).is_some_and(|display| !Path::new(&display).as_os_str().is_empty());
    !cfg!(target_os = "linux") || is_named("DISPLAY") || is_named("WAYLAND_DISPLAY")
}
