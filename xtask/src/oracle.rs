//! `cargo xtask oracle`: random sessions, compiled by Strata and by google-adk; or random apps, run by both.

use std::path::{Path, PathBuf, absolute};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Args;

use crate::process::Call;
use crate::repository::Repository;
use crate::steps::{build_programs, program};

#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How many cases to make
    #[arg(long, default_value_t = 20_000)]
    sessions: u64,
    /// Cases of the same seed are the same
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only this case of the seed
    #[arg(long, value_name = "NUMBER")]
    case: Option<u64>,
    /// A Python that has google-adk 2.13
    #[arg(long, default_value = "python3")]
    python: PathBuf,
    /// Compare whole runs, of apps and scripts made from the recorded scenarios; seed 0: these themselves
    #[arg(long, conflicts_with = "export")]
    runtime: bool,
    /// Check exported experiments instead: what google-adk compiles with their modules, and what Strata shows
    #[arg(long)]
    export: bool,
}

pub(crate) fn run(repository: &Repository, arguments: &Arguments) -> Result<ExitCode> {
    if arguments.export {
        return exported(repository, arguments);
    }
    let numbers = [
        ("--sessions", Some(arguments.sessions)),
        ("--seed", Some(arguments.seed)),
        ("--case", arguments.case),
    ];
    let numbers = numbers.iter().filter_map(|(name, number)| Some(format!("{name}={}", (*number)?)));
    build_programs(repository)?;
    Call::new(&program(repository, "strata-oracle"), &[])
        .arguments(numbers)
        .arguments(arguments.runtime.then_some("--runtime"))
        .arguments([Path::new("--python"), &found_from_root(&arguments.python)?])
        .run(repository)?;
    Ok(ExitCode::SUCCESS)
}

fn exported(repository: &Repository, arguments: &Arguments) -> Result<ExitCode> {
    build_programs(repository)?;
    let python = found_from_root(&arguments.python)?.display().to_string();
    Call::new(&python, &["tests/oracle/exported.py", &program(repository, "strata")]).run(repository)?;
    Ok(ExitCode::SUCCESS)
}

/// A path is where the person is, and cargo runs in the repository's root. A mere name is looked up as a command.
pub(crate) fn found_from_root(python: &Path) -> Result<PathBuf> {
    if python.components().count() == 1 {
        return Ok(python.to_owned());
    }
    absolute(python).with_context(|| format!("find {}", python.display()))
}
