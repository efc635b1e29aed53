//! `strata artifacts`: the files that agents of runs saved.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::{Args, Subcommand};
use strata_app::report::{self, ArtifactChoice};

use crate::{output, text};

/// Lists the files that agents of `strata run` and `strata serve` saved, shows one, and takes one out
#[derive(Debug, Args)]
pub(crate) struct Artifacts {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(List),
    Show(Show),
    Remove(Remove),
}

/// Lists all versions of all files
#[derive(Debug, Args)]
struct List {
    #[command(flatten)]
    common: Common,
}

/// Shows what a file holds, and its versions
#[derive(Debug, Args)]
struct Show {
    /// The name, as agents say it
    #[arg(value_name = "NAME")]
    name: String,
    /// Which version, counted from 0; the last one otherwise
    #[arg(long = "version", value_name = "N")]
    number: Option<u32>,
    /// Write what it holds to this file; `-` is standard output
    #[arg(long, value_name = "FILE", conflicts_with = "json")]
    out: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

/// Takes a file out, with all of its versions
#[derive(Debug, Args)]
struct Remove {
    /// The name, as agents say it
    #[arg(value_name = "NAME")]
    name: String,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
struct Common {
    /// Only of this app
    #[arg(long, value_name = "NAME")]
    app: Option<String>,
    /// Only of this user
    #[arg(long, value_name = "NAME")]
    user: Option<String>,
    /// Only of this session, by ADK's id
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The store, instead of the one in the data folder
    #[arg(long = "db", value_name = "FILE")]
    database: Option<PathBuf>,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Common {
    fn choice(&self) -> ArtifactChoice {
        ArtifactChoice { app: self.app.clone(), user: self.user.clone(), session: self.session.clone() }
    }
}

impl Artifacts {
    pub(crate) fn run(self) -> Result<ExitCode> {
        match self.command {
            Command::List(List { common }) => {
                let report = report::artifacts(common.database.as_deref(), &common.choice())?;
                output::print(common.json, &report, &[], |style| text::artifacts(&report, style))?;
            }
            Command::Show(Show { name, number, out, common }) => {
                let report = report::artifact(common.database.as_deref(), &name, number, &common.choice())?;
                match out {
                    Some(path) if path.as_os_str() == "-" => {
                        let mut out = io::stdout().lock();
                        let written = out.write_all(&report.content).and_then(|()| out.flush());
                        written.context("The file could not be written to standard output.")?;
                    }
                    Some(path) => std::fs::write(&path, &report.content)
                        .with_context(|| format!("{} could not be written.", path.display()))?,
                    None => output::print(common.json, &report, &[], |style| text::artifact(&report, style))?,
                }
            }
            Command::Remove(Remove { name, common }) => {
                let report = report::remove_artifact(common.database.as_deref(), &name, &common.choice())?;
                output::print(common.json, &report, &[], |_| text::removed_artifact(&report))?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
