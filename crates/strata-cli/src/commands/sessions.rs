//! `strata sessions`: what is in the store.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use strata_app::report;

use crate::{output, text};

/// Lists the sessions in the store
#[derive(Debug, Args)]
pub(crate) struct Sessions {
    /// Only sessions with all of these words in their title, id, file, format, app or user
    #[arg(value_name = "WORD")]
    words: Vec<String>,
    /// The store, instead of the one in the data folder
    #[arg(long = "db", value_name = "FILE")]
    database: Option<PathBuf>,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Sessions {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let report = report::list(&self.words.join(" "), self.database.as_deref())?;
        output::print(self.json, &report, &[], |style| text::sessions(&report, style))?;
        Ok(ExitCode::SUCCESS)
    }
}
