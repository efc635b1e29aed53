//! `strata memory`: what agents of runs remember.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use strata_app::report::{self, MemoryChoice};
use strata_app::served::now;

use crate::progress::Progress;
use crate::{output, text};

/// Lists what agents of `strata run` and `strata serve` remember, searches it as they do, adds sessions and forgets them
#[derive(Debug, Args)]
pub(crate) struct Memory {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(List),
    Search(Search),
    Add(Add),
    Forget(Forget),
}

/// Lists the sessions that are remembered
#[derive(Debug, Args)]
struct List {
    #[command(flatten)]
    common: Common,
}

/// Shows what an agent would find, by the rule of google-adk's load_memory
#[derive(Debug, Args)]
struct Search {
    /// Words; a memory that has more of them comes first
    #[arg(value_name = "WORDS", required = true)]
    words: Vec<String>,
    #[command(flatten)]
    common: Common,
}

/// Adds a session to what agents of its app remember, in place of what they remembered of it
#[derive(Debug, Args)]
struct Add {
    /// A file of any known format, or the id of a stored session or its beginning
    #[arg(value_name = "SESSION")]
    session: String,
    #[command(flatten)]
    common: Common,
}

/// Forgets a session
#[derive(Debug, Args)]
struct Forget {
    /// ADK's id of the session, as `strata memory list` shows it
    #[arg(value_name = "ID")]
    session: String,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
struct Common {
    /// Whose agents remember: the app
    #[arg(long, value_name = "NAME")]
    app: Option<String>,
    /// Whose agents remember: the user
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// The store, instead of the one in the data folder
    #[arg(long = "db", value_name = "FILE")]
    database: Option<PathBuf>,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Common {
    fn choice(&self) -> MemoryChoice {
        MemoryChoice { database: self.database.clone(), app: self.app.clone(), user: self.user.clone() }
    }
}

impl Memory {
    pub(crate) fn run(self) -> Result<ExitCode> {
        match self.command {
            Command::List(List { common }) => {
                let report = report::memory(&common.choice())?;
                output::print(common.json, &report, &[], |style| text::memory(&report, style))?;
            }
            Command::Search(Search { words, common }) => {
                let report = report::recall(&common.choice(), &words.join(" "))?;
                output::print(common.json, &report, &[], |style| text::recalled(&report, style))?;
            }
            Command::Add(Add { session, common }) => {
                let progress = Progress::new();
                let report = report::add_to_memory(&common.choice(), &session, now().0, &progress)?;
                drop(progress);
                output::print(common.json, &report, &[], |_| text::remembered(&report))?;
            }
            Command::Forget(Forget { session, common }) => {
                let report = report::forget_memory(&common.choice(), &session)?;
                output::print(common.json, &report, &[], |_| text::forgotten(&report))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
