//! `strata`, the headless shell. Each command is one file of [`commands`].
//!
//! Results go to standard output, progress and errors to standard error. It exits with 0, with 1 when a check failed,
//! and with 2 when the usage or the input is bad.

mod commands;
mod failure;
mod serve;

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
    Serve(commands::serve::Serve),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        Command::Serve(serve) => serve.run(),
    };
    outcome.unwrap_or_else(|error| failure::report(&error))
}
