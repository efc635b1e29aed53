//! The chores of this repository, as `cargo xtask VERB`. It works from a fresh clone with Rust and Node alone, and knows
//! nothing of the product: it only runs other programs.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command line tool talks to its terminal")]

mod bench;
mod bundle;
mod node;
mod oracle;
mod process;
mod record;
mod recorder;
mod repository;
mod run;
mod steps;
mod system;
mod test;
mod window;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::process::Call;
use crate::repository::Repository;

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", about = "The chores of this repository")]
struct Xtask {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Builds everything and opens the window, on the bundled sample or on these files
    Run {
        #[arg(value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Serve the interface to a browser instead of opening a window
        #[arg(long)]
        browser: bool,
    },
    /// Everything CI runs, or only these steps
    Test {
        #[arg(value_name = "STEP")]
        steps: Vec<String>,
        /// Print the steps and stop
        #[arg(long, conflicts_with = "steps")]
        list: bool,
        /// These steps and no others, as a part of a run
        #[arg(long, hide = true)]
        lane: bool,
    },
    /// The quick part of `test`, for before a commit: no journeys, no long suites
    Check,
    /// Writes the files that are made from code
    Gen {
        /// Only compare, and show the differences
        #[arg(long)]
        check: bool,
    },
    /// Records what the tests of the interface ask, anew, and what Strata answers to it
    Record {
        /// Only add what these tests ask
        #[arg(value_name = "TEST")]
        tests: Vec<String>,
    },
    /// Compares what Strata and an installed google-adk compile from random sessions; no part of CI
    Oracle(oracle::Arguments),
    /// Record google-adk apps with scripted models, and compare what is compiled with what was sent
    Recorder(recorder::Arguments),
    /// Takes the pictures of the documentation anew, of the real window
    Pictures,
    /// Makes a Debian package of the window and the command
    Bundle(bundle::Arguments),
    /// Runs the benchmarks and prints each beside its yardstick; `window` measures the real window
    Bench {
        /// Only benchmarks whose name contains this, or `window`
        #[arg(value_name = "NAME")]
        filter: Option<String>,
        /// A Python that has google-adk 2.13, to compare with
        #[arg(long)]
        python: Option<PathBuf>,
    },
}

fn main() -> ExitCode {
    let outcome = Repository::find().and_then(|repository| act(Xtask::parse().verb, &repository));
    outcome.unwrap_or_else(|error| {
        eprintln!("{error:#}");
        ExitCode::FAILURE
    })
}

fn act(verb: Verb, repository: &Repository) -> Result<ExitCode> {
    match verb {
        Verb::Run { files, browser: true } => run::in_browser(repository, &files),
        Verb::Run { files, browser: false } => run::in_window(repository, &files),
        Verb::Test { list: true, .. } => Ok(test::list()),
        Verb::Test { steps, lane: true, .. } => test::run_lane(repository, &steps),
        Verb::Test { steps, .. } => test::run(repository, &steps),
        Verb::Check => test::check(repository),
        Verb::Gen { check } => {
            for test in [steps::GENERATED, steps::INJECTED, steps::SHOWN] {
                let call = if check { Call::cargo(test) } else { written(test) };
                call.run(repository)?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Verb::Record { tests } => {
            record::run(repository, &tests)?;
            written(steps::GENERATED).run(repository)?;
            Ok(ExitCode::SUCCESS)
        }
        Verb::Oracle(arguments) => oracle::run(repository, &arguments),
        Verb::Recorder(arguments) => recorder::run(repository, &arguments),
        Verb::Pictures => window::take_pictures(repository),
        Verb::Bundle(arguments) => bundle::run(repository, &arguments),
        Verb::Bench { filter: Some(what), python: None } if what == "window" => window::measure(repository),
        Verb::Bench { filter, python } => bench::run(repository, filter.as_deref(), python.as_deref()),
    }
}

/// A test of generated files writes them when it is asked to.
fn written(test: &str) -> Call {
    Call::cargo(test).env("STRATA_GEN", "write")
}
