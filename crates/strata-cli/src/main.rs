//! `strata`, the headless shell. Each command is one file of [`commands`]; what a person reads is made in [`text`].
//!
//! Results go to standard output, progress, diagnostics and errors to standard error. It exits with 0, with 1 when a
//! check failed, with 2 when the usage or the input is bad, and with 130 when Ctrl-C stopped it.

mod commands;
mod failure;
mod interrupt;
mod output;
mod progress;
mod serve;
mod text;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

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
    Import(commands::import::Import),
    Sessions(commands::sessions::Sessions),
    Show(commands::show::Show),
    Compile(commands::compile::Compile),
    Tokens(commands::tokens::Tokens),
    Cache(commands::cache::Cache),
    Check(commands::check::Check),
    Findings(commands::findings::Findings),
    Diff(commands::diff::Diff),
    Export(commands::export::Export),
    Compact(commands::compact::Compact),
    Models(commands::models::Models),
    Places(commands::places::Places),
    Replay(commands::replay::Replay),
    Search(commands::search::Search),
    Sweep(commands::sweep::Sweep),
    Scripts(commands::scripts::Scripts),
    Serve(commands::serve::Serve),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::AdkRecorder(recorder) => recorder.run(),
        Command::Import(import) => import.run(),
        Command::Sessions(sessions) => sessions.run(),
        Command::Show(show) => show.run(),
        Command::Compile(compile) => compile.run(),
        Command::Tokens(tokens) => tokens.run(),
        Command::Cache(cache) => cache.run(),
        Command::Check(check) => check.run(),
        Command::Findings(findings) => findings.run(),
        Command::Diff(diff) => diff.run(),
        Command::Export(export) => export.run(),
        Command::Compact(compact) => compact.run(),
        Command::Models(models) => models.run(),
        Command::Places(places) => places.run(),
        Command::Replay(replay) => replay.run(),
        Command::Search(search) => search.run(),
        Command::Sweep(sweep) => sweep.run(),
        Command::Scripts(scripts) => scripts.run(),
        Command::Serve(serve) => serve.run(),
    };
    outcome.unwrap_or_else(|error| failure::report(&error))
}
