//! `strata diff`: two experiments over one session.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use strata_app::report;

use super::source::SourceArgs;
use crate::progress::Progress;
use crate::{output, text};

/// Compares two sessions or experiments over one recording, call by call: request, tokens, cached, cost
#[derive(Debug, Args)]
pub(crate) struct Diff {
    #[command(flatten)]
    source: SourceArgs,
    /// What it is compared with: an experiment, or a file of edits over the same session
    #[arg(value_name = "OTHER")]
    other: String,
    /// The session, where the file holds several
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Show what differs in the request of this call, part by part and line by line
    #[arg(long, value_name = "N", value_parser = super::compile::call_number)]
    call: Option<u32>,
    /// Rows of long lists that are shown; 0 shows all
    #[arg(long, value_name = "ROWS", default_value_t = 40)]
    limit: usize,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Diff {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let progress = Progress::new();
        let source = self.source.into_source();
        let report = report::diff(&source, &self.other, self.session.as_deref(), self.call, &progress)?;
        drop(progress);
        output::print(self.json, &report, &report.diagnostics, |style| {
            text::diff(&report, self.limit, style)
        })?;
        Ok(ExitCode::SUCCESS)
    }
}
