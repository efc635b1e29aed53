//! `strata show`: sessions in numbers.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use strata_app::report;

use super::source::SourceArgs;
use crate::failure::BAD_INPUT;
use crate::progress::Progress;
use crate::{output, text};

/// Sums up a session: events, calls, agents, tokens, reported usage
///
/// A file with several sessions shows all of them.
#[derive(Debug, Args)]
pub(crate) struct Show {
    #[command(flatten)]
    source: SourceArgs,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Show {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let progress = Progress::new();
        let report = report::show(&self.source.into_source(), &progress)?;
        drop(progress);
        output::print(self.json, &report, &report.diagnostics, |style| text::show(&report, style))?;
        Ok(if report.sessions.is_empty() { ExitCode::from(BAD_INPUT) } else { ExitCode::SUCCESS })
    }
}
