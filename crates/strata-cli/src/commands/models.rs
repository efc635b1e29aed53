//! `strata models`: who can be asked.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use strata_app::report;
use tokio::runtime::Handle;

use crate::{output, text};

/// Lists the models that can be asked: of the environment, of providers with a key, and of servers on this computer
#[derive(Debug, Args)]
pub(crate) struct Models {
    /// The store whose endpoints are listed
    #[arg(long = "db", value_name = "FILE")]
    database: Option<PathBuf>,
    /// Models that are shown of each; 0 shows all
    #[arg(long, value_name = "ROWS", default_value_t = 12)]
    limit: usize,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Models {
    pub(crate) fn run(self, runtime: &Handle) -> Result<ExitCode> {
        let report = report::models(self.database.as_deref(), runtime)?;
        output::print(self.json, &report, &[], |style| text::models(&report, self.limit, style))?;
        Ok(ExitCode::SUCCESS)
    }
}
