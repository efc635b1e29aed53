//! Runs real google-adk apps with scripted models through the recorder, imports what it wrote, and compares.
//!
//! What the models were given is written down by the models themselves, so three things are held against each other:
//! what was sent, what the recorder says was sent, and what Strata compiles of the recorded session.
#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a program for people: it reads files and prints"
)]

mod compare;
mod pipeline;
mod python;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;

use compare::Comparison;
use pipeline::Tools;
use python::{AppRun, Promise};

/// Runs google-adk apps through the recorder and compares what is compiled of them with what was sent
#[derive(Debug, Parser)]
struct Arguments {
    /// A Python that has google-adk, 1.10 or later
    #[arg(long, default_value = "python3")]
    python: PathBuf,
    /// Where recordings are written
    #[arg(long, default_value = "target/recorder")]
    folder: PathBuf,
    /// Only these apps
    #[arg(long = "app", value_name = "NAME")]
    apps: Vec<String>,
    /// Shows each difference
    #[arg(long)]
    differences: bool,
    /// Instead of all that: the fixes of a pipeline, predicted and tried, with this command line of Strata
    #[arg(long, value_name = "STRATA", conflicts_with = "apps")]
    pipeline: Option<PathBuf>,
}

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR"));
    if let Some(strata) = &arguments.pipeline {
        let is_fine = pipeline::run(&Tools {
            python: &arguments.python,
            strata,
            scripts,
            folder: std::path::absolute(&arguments.folder)?.join("pipeline"),
            shows_differences: arguments.differences,
        })?;
        return Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    let runs = python::run_apps(&arguments.python, scripts, &arguments.folder, &arguments.apps)?;
    let is_known_version = runs.adk.starts_with("2.13.");
    println!("google-adk {}, Python {}\n", runs.adk, runs.python);
    println!(
        "{:<22} {:>5} {:>9} {:>9} {:>9} {:>9} {:>10} {:>10}",
        "app", "calls", "recorded", "compiled", "differing", "masked", "µs a call", "bytes/call"
    );
    let mut is_fine = true;
    let mut totals = Comparison::default();
    for run in &runs.apps {
        let comparison = compared(run, &runs.folder)?;
        is_fine &= run.is_ok && comparison.is_recorded() && (!is_known_version || comparison.is_compiled());
        show(run, &comparison, arguments.differences);
        totals.add(&comparison);
    }
    println!(
        "{:<22} {:>5} {:>9} {:>9} {:>9} {:>9}",
        "together",
        totals.n_sent,
        totals.n_recorded,
        totals.n_compiled,
        totals.differences.len(),
        totals.n_masked
    );
    if arguments.apps.is_empty() {
        println!();
        for promise in python::check_promises(&arguments.python, scripts, &runs.folder)? {
            is_fine &= promise.is_kept;
            show_promise(&promise);
        }
    }
    Ok(if is_fine { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn compared(run: &AppRun, folder: &Path) -> Result<Comparison> {
    if !run.is_ok || run.skipped.is_some() {
        return Ok(Comparison::default());
    }
    let recording = std::fs::read(folder.join(format!("{}.strata.jsonl", run.name)))?;
    let sent = std::fs::read(folder.join(format!("{}.sent.json", run.name)))?;
    compare::compare(&recording, &sent)
}

fn show(run: &AppRun, comparison: &Comparison, with_differences: bool) {
    if let Some(reason) = &run.skipped {
        return println!("{:<22} not run: {reason}", run.name);
    }
    if let Some(error) = &run.error {
        return println!("{:<22} FAILED\n{error}", run.name);
    }
    let calls = comparison.n_sent.max(1) as f64;
    println!(
        "{:<22} {:>5} {:>9} {:>9} {:>9} {:>9} {:>10.0} {:>10.0}",
        run.name,
        comparison.n_sent,
        comparison.n_recorded,
        comparison.n_compiled,
        comparison.differences.len(),
        comparison.n_masked,
        run.recorder_seconds * 1e6 / calls,
        run.n_bytes as f64 / calls,
    );
    for problem in &comparison.problems {
        println!("    {problem}");
    }
    let n_shown = if with_differences { usize::MAX } else { 1 };
    for difference in comparison.differences.iter().take(n_shown) {
        println!("    {difference}");
    }
}

fn show_promise(promise: &Promise) {
    match &promise.error {
        None => println!("kept    {}", promise.text),
        Some(error) => println!("BROKEN  {}\n{error}", promise.text),
    }
}
