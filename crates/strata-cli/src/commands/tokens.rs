//! `strata tokens`: the ledger of a session.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use strata_app::report;

use super::source::SourceArgs;
use crate::progress::Progress;
use crate::{output, text};

/// Says what everything cost over a whole session: calls, agents, kinds, tools, parts
#[derive(Debug, Args)]
pub(crate) struct Tokens {
    #[command(flatten)]
    source: SourceArgs,
    /// The session, where the file holds several
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Rows of long lists that are shown; 0 shows all
    #[arg(long, value_name = "ROWS", default_value_t = 20)]
    limit: usize,
    /// Count every text with another implementation of the tokenizer too, and say where they differ
    #[arg(long, conflicts_with = "limit")]
    verify: bool,
    /// Say how the provider counts, as its reports tell, and how far off that is for calls it was not learned from
    #[arg(long, conflicts_with_all = ["limit", "verify"])]
    calibration: bool,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Tokens {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let progress = Progress::new();
        if self.verify {
            let report = report::verify(&self.source.into_source(), self.session.as_deref(), &progress)?;
            drop(progress);
            output::print(self.json, &report, &report.diagnostics, |style| text::verify(&report, style))?;
            return Ok(ExitCode::SUCCESS);
        }
        if self.calibration {
            let report = report::calibration(&self.source.into_source(), self.session.as_deref(), &progress)?;
            drop(progress);
            output::print(self.json, &report, &report.diagnostics, |style| {
                text::calibration(&report, style)
            })?;
            return Ok(ExitCode::SUCCESS);
        }
        let report = report::tokens(&self.source.into_source(), self.session.as_deref(), &progress)?;
        drop(progress);
        output::print(self.json, &report, &report.diagnostics, |style| {
            text::tokens(&report, self.limit, style)
        })?;
        Ok(ExitCode::SUCCESS)
    }
}
