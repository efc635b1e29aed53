//! `cargo xtask recorder`: real google-adk apps, recorded, and compiled from their recordings.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use crate::oracle::found_from_root;
use crate::process::Call;
use crate::repository::Repository;
use crate::steps::{build_programs, program};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A Python that has google-adk, 1.10 or later
    #[arg(long, default_value = "python3")]
    python: PathBuf,
    /// Only these apps of tests/recorder/apps.py
    #[arg(long = "app", value_name = "NAME")]
    apps: Vec<String>,
    /// Show each difference, not only the first of an app
    #[arg(long)]
    differences: bool,
    /// The fixes of a pipeline instead, each and together: predicted by Strata, and tried in the app
    #[arg(long, conflicts_with = "apps")]
    pipeline: bool,
}

pub(crate) fn run(repository: &Repository, arguments: &Arguments) -> Result<ExitCode> {
    let apps = arguments.apps.iter().map(|app| format!("--app={app}"));
    let flags = arguments.differences.then(|| "--differences".to_owned());
    build_programs(repository)?;
    let pipeline = if arguments.pipeline {
        vec!["--pipeline".to_owned(), program(repository, "strata")]
    } else {
        Vec::new()
    };
    Call::new(&program(repository, "strata-recorder-check"), &[])
        .arguments([Path::new("--python"), &found_from_root(&arguments.python)?])
        .arguments(apps.chain(flags))
        .arguments(pipeline)
        .run(repository)?;
    Ok(ExitCode::SUCCESS)
}
