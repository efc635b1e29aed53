//! `cargo xtask test` and `check`: runs steps, times them, and says how to run a failed one alone.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};

use crate::repository::Repository;
use crate::steps::{STEPS, Step};

/// Prints the steps in the order they run.
pub(crate) fn list() -> ExitCode {
    for Step { name, about, is_quick, .. } in STEPS {
        println!("{name:12} {}{about}", if *is_quick { "  " } else { "· " });
    }
    println!(
        "\nSteps without a dot are also what `cargo xtask check` runs. Run some: cargo xtask test STEP…"
    );
    ExitCode::SUCCESS
}

/// Runs the named steps in their own order, or all.
pub(crate) fn run(repository: &Repository, names: &[String]) -> Result<ExitCode> {
    if let Some(unknown) = names.iter().find(|name| STEPS.iter().all(|step| step.name != **name)) {
        bail!("There is no step `{unknown}`. `cargo xtask test --list` prints them.");
    }
    let is_wanted = |step: &&Step| names.is_empty() || names.iter().any(|name| name == step.name);
    Ok(run_in_order(repository, &STEPS.iter().filter(is_wanted).collect::<Vec<_>>()))
}

/// Runs the quick steps.
pub(crate) fn check(repository: &Repository) -> ExitCode {
    run_in_order(repository, &STEPS.iter().filter(|step| step.is_quick).collect::<Vec<_>>())
}

/// Stops at the first step that fails.
fn run_in_order(repository: &Repository, steps: &[&Step]) -> ExitCode {
    let mut times: Vec<(&str, Duration)> = Vec::new();
    let mut n_skipped = 0;
    for (idx, step) in steps.iter().enumerate() {
        println!("\n=== {}/{} {}: {}", idx + 1, steps.len(), step.name, step.about);
        if step.needs_ui && !has_ui(repository) {
            n_skipped += 1;
            println!("!!! SKIPPED: there is no ui/package.json, so there is no interface to test.");
            continue;
        }
        let start = Instant::now();
        let outcome = (step.run)(repository);
        let time = start.elapsed();
        times.push((step.name, time));
        if let Err(error) = outcome {
            println!("\n!!! {} failed after {:.1} s: {error:#}", step.name, time.as_secs_f64());
            println!("!!! Run it alone: cargo xtask test {}", step.name);
            summarise(&times[..times.len() - 1], 1, n_skipped);
            return ExitCode::FAILURE;
        }
        println!("--- {} took {:.1} s", step.name, time.as_secs_f64());
    }
    summarise(&times, 0, n_skipped);
    ExitCode::SUCCESS
}

fn has_ui(repository: &Repository) -> bool {
    repository.path("ui/package.json").exists()
}

fn summarise(passed: &[(&str, Duration)], n_failed: usize, n_skipped: usize) {
    println!();
    for (name, time) in passed {
        println!("{name:12} {:6.1} s", time.as_secs_f64());
    }
    println!("{} passed, {n_failed} failed, {n_skipped} skipped", passed.len());
}
