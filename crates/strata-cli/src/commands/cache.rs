//! `strata cache`: what is found again of each prompt.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use strata_app::report;

use super::source::SourceArgs;
use crate::progress::Progress;
use crate::{output, text};

/// Says what a provider's cache finds of each prompt, what broke a prefix and what would help
#[derive(Debug, Args)]
pub(crate) struct Cache {
    #[command(flatten)]
    source: SourceArgs,
    /// The session, where the file holds several
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Rows of long lists that are shown; 0 shows all
    #[arg(long, value_name = "ROWS", default_value_t = 20)]
    limit: usize,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Cache {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let progress = Progress::new();
        let report = report::cache(&self.source.into_source(), self.session.as_deref(), &progress)?;
        drop(progress);
        output::print(self.json, &report, &report.diagnostics, |style| {
            text::cache(&report, self.limit, style)
        })?;
        Ok(ExitCode::SUCCESS)
    }
}
