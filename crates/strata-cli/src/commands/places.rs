//! `strata places`: where agents leave their sessions.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use strata_app::report;

use crate::{output, text};

/// Lists where agents leave sessions on this computer
///
/// Looks where Claude Code, Codex, Gemini CLI, Copilot, Cursor and the other coding agents keep them, and for stores of
/// google-adk below the present folder. No session is read: `strata import PATH` does that.
#[derive(Debug, Args)]
pub(crate) struct Places {
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Places {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let report = report::places();
        output::print(self.json, &report, &[], |style| text::places(&report, style))?;
        Ok(ExitCode::SUCCESS)
    }
}
