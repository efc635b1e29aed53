//! `cargo xtask test` and `check`: runs steps, times them, and says how to run a failed one alone.

use std::io::{PipeReader, Read as _, pipe};
use std::path::Path;
use std::process::{Child, Command, ExitCode};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use std::{env, io};

use anyhow::{Context as _, Result, bail};

use crate::repository::Repository;
use crate::steps::{self, ROWS, Step};

/// Prints the steps in the order they are begun, those that run side by side without a line between.
pub(crate) fn list() -> ExitCode {
    for row in ROWS {
        for Step { name, about, is_quick, .. } in row.iter().flat_map(|lane| lane.iter()) {
            println!("{name:12} {}{about}", if *is_quick { "  " } else { "· " });
        }
    }
    println!(
        "\nSteps without a dot are also what `cargo xtask check` runs. Run some: cargo xtask test STEP…"
    );
    ExitCode::SUCCESS
}

/// Runs the named steps and what they need, in their own order, or all.
pub(crate) fn run(repository: &Repository, names: &[String]) -> Result<ExitCode> {
    if names.is_empty() {
        return run_rows(repository, |step| step.within.is_none());
    }
    check_names(names)?;
    let is_named = |step: &Step| names.iter().any(|name| name == step.name);
    let needed: Vec<_> = steps::all().filter(|step| is_named(step)).filter_map(|step| step.needs).collect();
    run_rows(repository, |step| is_named(step) || needed.contains(&step.name))
}

/// Runs the quick steps.
pub(crate) fn check(repository: &Repository) -> Result<ExitCode> {
    run_rows(repository, |step| step.is_quick)
}

/// Runs these steps here and no others: the lane of a run that does other steps beside.
pub(crate) fn run_lane(repository: &Repository, names: &[String]) -> Result<ExitCode> {
    check_names(names)?;
    let lane: Vec<_> = steps::all().filter(|step| names.iter().any(|name| name == step.name)).collect();
    Ok(if run_in_order(repository, &lane) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn check_names(names: &[String]) -> Result<()> {
    match names.iter().find(|name| steps::all().all(|step| step.name != **name)) {
        Some(unknown) => bail!("There is no step `{unknown}`. `cargo xtask test --list` prints them."),
        None => Ok(()),
    }
}

/// Stops after the row in which a step failed.
fn run_rows(repository: &Repository, is_wanted: impl Fn(&Step) -> bool) -> Result<ExitCode> {
    let start = Instant::now();
    // Found now: steps build this program too, and on Linux it then no longer runs from a file that is there.
    let program = env::current_exe().context("find xtask")?;
    for row in ROWS {
        let wanted = row.iter().map(|lane| lane.iter().filter(|step| is_wanted(step)).collect::<Vec<_>>());
        let lanes: Vec<_> = wanted.filter(|lane| !lane.is_empty()).collect();
        let Some((here, others)) = lanes.split_first() else { continue };
        let beside: Vec<_> =
            others.iter().map(|lane| Beside::begin(&program, lane)).collect::<Result<_>>()?;
        let mut has_passed = run_in_order(repository, here);
        for lane in beside {
            has_passed &= lane.end()?;
        }
        if !has_passed {
            return Ok(ExitCode::FAILURE);
        }
    }
    println!("\nAll of it took {:.0} s", start.elapsed().as_secs_f64());
    Ok(ExitCode::SUCCESS)
}

/// A lane in a process of its own. What it says is kept until it is over: two that print at once cannot be read.
struct Beside {
    process: Child,
    said: JoinHandle<io::Result<Vec<u8>>>,
}

impl Beside {
    fn begin(program: &Path, lane: &[&Step]) -> Result<Self> {
        let names: Vec<_> = lane.iter().map(|step| step.name).collect();
        println!("\n=== beside: {}", names.join(", "));
        let (reader, writer) = pipe().context("make a pipe")?;
        // The command, and with it the writing end here, goes with this statement: the pipe ends with the process.
        let process = Command::new(program)
            .args(["test", "--lane"])
            .args(names)
            .stdout(writer.try_clone().context("make a pipe")?)
            .stderr(writer)
            .spawn()
            .context("start the steps beside")?;
        Ok(Self { process, said: thread::spawn(|| read_all(reader)) })
    }

    /// Waits for it and prints what it said: all of it when it failed, else its times, so that what failed beside it stands
    /// near the end. True when it passed.
    fn end(mut self) -> Result<bool> {
        let status = self.process.wait().context("wait for the steps beside")?;
        let said =
            self.said.join().expect("reading does not panic").context("read what the steps beside say")?;
        let (said, has_passed) = (String::from_utf8_lossy(&said), status.success());
        let times = said.trim_end().rsplit("\n\n").next().unwrap_or_default();
        println!("\n{}", if has_passed { times } else { &*said });
        Ok(has_passed)
    }
}

fn read_all(mut reader: PipeReader) -> io::Result<Vec<u8>> {
    let mut said = Vec::new();
    reader.read_to_end(&mut said)?;
    Ok(said)
}

/// Stops at the first step that fails. True when all passed.
fn run_in_order(repository: &Repository, steps: &[&Step]) -> bool {
    let mut times: Vec<(&str, Duration)> = Vec::new();
    let mut n_skipped = 0;
    for step in steps {
        println!("\n=== {}: {}", step.name, step.about);
        if step.needs_ui && !has_ui(repository) {
            n_skipped += 1;
            println!("!!! SKIPPED: there is no ui/package.json, so there is no interface to test.");
            continue;
        }
        let start = Instant::now();
        let outcome = (step.run)(repository);
        let time = start.elapsed();
        if let Err(error) = outcome {
            println!("\n!!! {} failed after {:.1} s: {error:#}", step.name, time.as_secs_f64());
            println!("!!! Run it alone: cargo xtask test {}", step.name);
            summarise(&times, 1, n_skipped);
            return false;
        }
        times.push((step.name, time));
        println!("--- {} took {:.1} s", step.name, time.as_secs_f64());
    }
    summarise(&times, 0, n_skipped);
    true
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
