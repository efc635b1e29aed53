//! `strata`, the headless shell. Each command is one file of [`commands`]; what a person reads is made in [`text`].
//!
//! Results go to standard output, progress, diagnostics and errors to standard error. It exits with 0, with 1 when a
//! check failed, with 2 when the usage or the input is bad, and with 130 when Ctrl-C stopped it.

mod ci;
mod commands;
mod conversation;
mod failure;
mod interrupt;
mod output;
mod progress;
mod serve;
mod served;
mod terminal;
mod text;

use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{CommandFactory as _, Parser, Subcommand};
use tokio::runtime::{Builder, Handle};
use tokio_util::sync::CancellationToken;

use crate::interrupt::{STOPPED, interrupted};

/// Threads that wait for connections and Ctrl-C. Commands compute on others.
const WAITING_THREADS: usize = 2;

/// Shows how each model call's prompt was compiled from a session.
#[derive(Debug, Parser)]
#[command(name = "strata", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    AdkRecorder(commands::adk_recorder::AdkRecorder),
    Artifacts(commands::artifacts::Artifacts),
    Import(commands::import::Import),
    Sessions(commands::sessions::Sessions),
    Show(commands::show::Show),
    Compile(commands::compile::Compile),
    Tokens(commands::tokens::Tokens),
    Batch(commands::batch::Batch),
    Cache(commands::cache::Cache),
    Calibrate(commands::calibrate::Calibrate),
    Capture(commands::capture::Capture),
    Check(commands::check::Check),
    Findings(commands::findings::Findings),
    Diff(commands::diff::Diff),
    Export(commands::export::Export),
    Compact(commands::compact::Compact),
    Contexts(commands::contexts::Contexts),
    Lessons(commands::lessons::Lessons),
    /// For whoever makes packages.
    #[command(hide = true)]
    Manual(commands::manual::Manual),
    Mcp(commands::mcp::Mcp),
    Memory(commands::memory::Memory),
    Models(commands::models::Models),
    Places(commands::places::Places),
    Replay(commands::replay::Replay),
    Run(commands::run::Run),
    Search(commands::search::Search),
    Secrets(commands::secrets::Secrets),
    Sweep(commands::sweep::Sweep),
    Scripts(commands::scripts::Scripts),
    Serve(commands::serve::Serve),
    Stores(commands::stores::Stores),
    Usage(commands::usage::Usage),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::AdkRecorder(recorder) => recorder.run(),
        Command::Artifacts(artifacts) => artifacts.run(),
        Command::Import(import) => on_runtime(|runtime| import.run(runtime)),
        Command::Sessions(sessions) => sessions.run(),
        Command::Show(show) => show.run(),
        Command::Compile(compile) => compile.run(),
        Command::Tokens(tokens) => tokens.run(),
        Command::Batch(batch) => until_interrupted(|runtime, stop| batch.run(runtime, stop)),
        Command::Cache(cache) => cache.run(),
        Command::Calibrate(calibrate) => calibrate.run(),
        Command::Capture(capture) => on_runtime(|runtime| capture.run(runtime)),
        Command::Check(check) => check.run(),
        Command::Findings(findings) => findings.run(),
        Command::Diff(diff) => diff.run(),
        Command::Export(export) => export.run(),
        Command::Compact(compact) => until_interrupted(|runtime, stop| compact.run(runtime, stop)),
        Command::Contexts(contexts) => contexts.run(),
        Command::Lessons(lessons) => lessons.run(),
        Command::Manual(manual) => manual.run(Cli::command()),
        Command::Mcp(mcp) => on_runtime(|runtime| mcp.run(runtime)),
        Command::Memory(memory) => memory.run(),
        Command::Models(models) => on_runtime(|runtime| models.run(runtime)),
        Command::Places(places) => places.run(),
        Command::Replay(replay) => until_interrupted(|runtime, stop| replay.run(runtime, stop)),
        Command::Run(run) => on_runtime(|runtime| run.run(runtime)),
        Command::Secrets(secrets) => secrets.run(),
        Command::Search(search) => until_interrupted(|_, stop| search.run(stop)),
        Command::Sweep(sweep) => until_interrupted(|_, stop| sweep.run(stop)),
        Command::Scripts(scripts) => scripts.run(),
        Command::Serve(serve) => on_runtime(|runtime| serve.run(runtime)),
        Command::Stores(stores) => stores.run(),
        Command::Usage(usage) => until_interrupted(|_, stop| usage.run(stop)),
    };
    outcome.unwrap_or_else(|error| failure::report(&error))
}

/// Runs a command that Ctrl-C stops before it has ended.
fn until_interrupted(run: impl FnOnce(&Handle, CancellationToken) -> Result<ExitCode>) -> Result<ExitCode> {
    on_runtime(|runtime| {
        let stop = interrupted(runtime);
        let outcome = run(runtime, stop.clone());
        if !stop.is_cancelled() {
            return outcome;
        }
        outcome.unwrap_or_else(|error| failure::report(&error));
        Ok(ExitCode::from(STOPPED))
    })
}

/// Runs a command that waits for Ctrl-C, models or browsers on the one runtime of the process.
fn on_runtime(run: impl FnOnce(&Handle) -> Result<ExitCode>) -> Result<ExitCode> {
    let runtime = Builder::new_multi_thread().worker_threads(WAITING_THREADS).enable_all().build();
    let runtime = runtime.context("The system gives no threads to wait on. Nothing was changed.")?;
    let outcome = run(runtime.handle());
    // The process ends now, and with it whoever still waits or computes. Dropped, the runtime would wait for them; shut
    // down, it would fail them on the way.
    std::mem::forget(runtime);
    outcome
}
