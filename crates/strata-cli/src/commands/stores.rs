//! `strata stores`: what the stores of a session hold.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use strata_app::report::{self, StoresChoice};

use super::source::SourceArgs;
use crate::progress::Progress;
use crate::{output, text};

/// Shows the state at a call, who wrote and read it and what that cost, and what agents hand to one another
#[derive(Debug, Args)]
pub(crate) struct Stores {
    #[command(flatten)]
    source: SourceArgs,
    /// The session, where the file holds several
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The call whose values are shown, from 1; the last one otherwise
    #[arg(long, value_name = "N")]
    call: Option<u32>,
    /// Rows of long lists that are shown; 0 shows all
    #[arg(long, value_name = "ROWS", default_value_t = 20)]
    limit: usize,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Stores {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let progress = Progress::new();
        let choice = StoresChoice { call: self.call };
        let report = report::stores(&self.source.into_source(), self.session.as_deref(), choice, &progress)?;
        drop(progress);
        output::print(self.json, &report, &report.diagnostics, |style| {
            text::stores(&report, self.limit, style)
        })?;
        Ok(ExitCode::SUCCESS)
    }
}
