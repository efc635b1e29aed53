//! `strata import`: files into the store.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use strata_app::report;

use crate::failure::BAD_INPUT;
use crate::interrupt::{Interrupt, STOPPED};
use crate::progress::Progress;
use crate::{output, text};

/// Reads recorded sessions into the store
///
/// Formats are recognised by content. A folder imports what is in it. A file that was imported before and has not
/// changed is left alone; one that has changed replaces what it showed. Ctrl-C stops: what is stored by then stays, and
/// importing the same folder again goes on.
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// Files and folders
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// The store, instead of the one in the data folder
    #[arg(long = "db", value_name = "FILE")]
    database: Option<PathBuf>,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Import {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let progress = Progress::new(Some(Interrupt::listen()));
        let report = report::import(&self.paths, self.database.as_deref(), &progress)?;
        drop(progress);
        output::print(self.json, &report, &report.diagnostics, |style| text::import(&report, style))?;
        Ok(match &report {
            report if report.stopped => ExitCode::from(STOPPED),
            report if report.paths_without_session > 0 => ExitCode::from(BAD_INPUT),
            _ => ExitCode::SUCCESS,
        })
    }
}
