//! `strata scripts`: saved scripts.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use strata_app::report;

use crate::{output, text};

/// Lists the scripts that are saved, for `--script NAME`
///
/// They are plain JavaScript files in one folder: copy a file there to add it, or pass one on.
#[derive(Debug, Args)]
pub(crate) struct Scripts {
    /// The store whose scripts are meant, instead of the one in the data folder
    #[arg(long = "db", value_name = "FILE")]
    database: Option<PathBuf>,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Scripts {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let report = report::scripts(self.database.as_deref())?;
        output::print(self.json, &report, &[], |style| text::scripts(&report, style))?;
        Ok(ExitCode::SUCCESS)
    }
}
