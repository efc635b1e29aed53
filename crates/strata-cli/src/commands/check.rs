//! `strata check`: whether a session keeps to a budget.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use strata_app::report;

use super::source::SourceArgs;
use crate::progress::Progress;
use crate::{output, text};

/// Of the program, when a budget was broken.
const BROKEN: u8 = 1;

/// Checks a session against a budget, and says what broke it
///
/// A budget is a TOML file with any of `max_prompt_tokens`, `max_session_tokens`, `max_cost` (US dollars),
/// `min_cache_ratio` (0 to 1), `max_tool_result_tokens` and `forbid` (codes of findings); a table `[agents.NAME]` holds
/// those for one agent. It exits with 1 when one is broken.
#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    source: SourceArgs,
    /// The session, where the file holds several
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The budget, a TOML file
    #[arg(long, value_name = "FILE")]
    budget: PathBuf,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Check {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let progress = Progress::new();
        let report =
            report::check(&self.source.into_source(), self.session.as_deref(), &self.budget, &progress)?;
        drop(progress);
        output::print(self.json, &report, &report.diagnostics, |style| text::check(&report, style))?;
        Ok(if report.passed { ExitCode::SUCCESS } else { ExitCode::from(BROKEN) })
    }
}
