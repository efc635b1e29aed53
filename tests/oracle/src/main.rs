//! Compiles random sessions, or runs random apps, with google-adk and with Strata, and reports where they differ.
//!
//! `cargo xtask oracle [--runtime] [--sessions N] [--seed S] [--python PATH]`. Each kind of difference is made as small
//! as it gets and written as a vector or a scenario: drop the file into `tests/conformance/vectors/oracle/` or
//! `tests/conformance/runtime/oracle/`, and the conformance suites run it.
#![expect(clippy::print_stdout, reason = "a command line tool talks to its terminal")]

mod coverage;
mod dice;
mod generate;
mod judge;
mod mutate;
mod run;
mod shrink;
mod subject;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Parser;
use strata_model::{Json, Object, json};

use crate::run::{Finding, Plan};
use crate::subject::Subject;

#[derive(Debug, Parser)]
#[command(name = "oracle", about = "Compares requests of random sessions, or random runs, with google-adk's")]
struct Arguments {
    /// How many cases to make
    #[arg(long, default_value_t = 2000)]
    sessions: u64,
    /// Cases of the same seed are the same
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only this case of the seed
    #[arg(long, value_name = "NUMBER")]
    case: Option<u64>,
    /// Compare whole runs, of apps and scripts made from the scenarios of the corpus; seed 0: these themselves
    #[arg(long)]
    runtime: bool,
    /// A Python that has google-adk 2.13
    #[arg(long, default_value = "python3")]
    python: PathBuf,
    /// How many google-adk processes to run
    #[arg(long, default_value_t = 2)]
    workers: usize,
    /// Where vectors of differences are written
    #[arg(long, default_value = "target/oracle")]
    out: PathBuf,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let subject = if arguments.runtime {
        Subject::runs(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../conformance/runtime")))?
    } else {
        Subject::Requests
    };
    let plan = Plan {
        subject,
        seed: arguments.seed,
        n_sessions: arguments.sessions,
        only: arguments.case,
        n_workers: arguments.workers.clamp(1, 2),
        python: &arguments.python,
    };
    // Panics of the compiler are findings, told below.
    std::panic::set_hook(Box::new(|_| {}));
    let results = run::run(&plan)?;
    println!("{}", results.coverage);
    for (at, finding) in results.findings.iter().enumerate() {
        let path = write_vector(&arguments.out, &plan, at + 1, finding)?;
        println!("{} ({} cases, first in case {})", finding.kind, finding.n_sessions, finding.case);
        for line in finding.failure.iter().take(4) {
            println!("    {line}");
        }
        println!("    {}\n", path.display());
    }
    if results.findings.is_empty() {
        println!("Strata and google-adk agree on all of them.");
        return Ok(ExitCode::SUCCESS);
    }
    Ok(ExitCode::FAILURE)
}

/// Writes the vector of a finding; its name tells where it comes from.
fn write_vector(folder: &Path, plan: &Plan<'_>, number: usize, finding: &Finding) -> Result<PathBuf> {
    let name = format!("oracle-{number:03}-seed-{}-case-{}", plan.seed, finding.case);
    let mut vector = plan.subject.head(&name, &finding.kind);
    vector.update(finding.vector.as_object().unwrap_or(&Object::new()));
    std::fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))?;
    let path = folder.join(format!("{name}.json"));
    let mut text = json::to_pretty(&Json::Object(vector));
    text.push('\n');
    std::fs::write(&path, text).with_context(|| format!("write {}", path.display()))?;
    Ok(path)
}
