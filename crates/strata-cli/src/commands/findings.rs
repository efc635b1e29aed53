//! `strata findings`: what is worth a person's time.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use strata_app::report;

use super::source::SourceArgs;
use crate::progress::Progress;
use crate::{output, text};

/// Says what bloats prompts, breaks cached prefixes, loses information or misleads, the costliest first
#[derive(Debug, Args)]
pub(crate) struct Findings {
    #[command(flatten)]
    source: SourceArgs,
    /// The session, where the file holds several
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Findings {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let progress = Progress::new();
        let report = report::findings(&self.source.into_source(), self.session.as_deref(), &progress)?;
        drop(progress);
        output::print(self.json, &report, &report.diagnostics, |style| text::findings(&report, style))?;
        Ok(ExitCode::SUCCESS)
    }
}
