//! `strata contexts`: what clients of served apps come back to.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use strata_app::report;
use strata_app::served::now;

use crate::{output, text};

/// Lists contexts of served apps, shows one, marks and archives those whose time is up, and ends one
#[derive(Debug, Args)]
pub(crate) struct Contexts {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(List),
    Show(Show),
    Cleanup(Cleanup),
    Expire(Expire),
}

/// Lists the contexts in the store, with those that have expired
#[derive(Debug, Args)]
struct List {
    #[command(flatten)]
    common: Common,
}

/// Shows a context: what it remembers, what was said, its tasks, and when it expires
#[derive(Debug, Args)]
struct Show {
    /// The id, as clients send it
    #[arg(value_name = "ID")]
    context: String,
    #[command(flatten)]
    common: Common,
}

/// Marks contexts that are idle, and archives and deletes those that expired
#[derive(Debug, Args)]
struct Cleanup {
    #[command(flatten)]
    common: Common,
}

/// Ends a context now: it is archived, and its id is never used again
#[derive(Debug, Args)]
struct Expire {
    /// The id, as clients send it
    #[arg(value_name = "ID")]
    context: String,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
struct Common {
    /// The store, instead of the one in the data folder
    #[arg(long = "db", value_name = "FILE")]
    database: Option<PathBuf>,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Contexts {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let now = now();
        match self.command {
            Command::List(List { common }) => {
                let report = report::contexts(common.database.as_deref(), now)?;
                output::print(common.json, &report, &[], |style| text::contexts(&report, style))?;
            }
            Command::Show(Show { context, common }) => {
                let report = report::context(common.database.as_deref(), &context, now)?;
                output::print(common.json, &report, &[], |style| text::context(&report, style))?;
            }
            Command::Cleanup(Cleanup { common }) => {
                let report = report::clean_contexts(common.database.as_deref(), now)?;
                output::print(common.json, &report, &[], |style| text::cleaned_contexts(&report, style))?;
            }
            Command::Expire(Expire { context, common }) => {
                let report = report::expire_context(common.database.as_deref(), &context, now)?;
                output::print(common.json, &report, &[], |style| text::cleaned_contexts(&report, style))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
