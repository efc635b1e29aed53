//! `strata sweep`: many configurations of compaction side by side.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use strata_app::report::{self, SweepChoice};
use tokio_util::sync::CancellationToken;

use super::source::SourceArgs;
use crate::progress::Progress;
use crate::{output, text};

/// Replays a session with many settings of compaction, offline, and says which to take
#[derive(Debug, Args)]
pub(crate) struct Sweep {
    #[command(flatten)]
    source: SourceArgs,
    /// The session, where the file holds several
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The settings, as `interval=1..20,overlap=0..9` or `threshold=20000|40000,retention=5..20/5`; several with `;`
    ///
    /// Beside google-adk's own settings there is `limit=60000,keep=20`, which compacts rarely and in big steps, with
    /// `clear=results` if old tool results may go first, and `off`.
    #[arg(long, value_name = "GRID")]
    grid: String,
    /// Tokens a summary is taken to have; otherwise fitted to recorded ones, or a usual size
    #[arg(long, value_name = "TOKENS")]
    summary_tokens: Option<u32>,
    /// Rows that are shown, the cheapest first; 0 shows all
    #[arg(long, value_name = "ROWS", default_value_t = 20)]
    limit: usize,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Sweep {
    pub(crate) fn run(self, stop: CancellationToken) -> Result<ExitCode> {
        let progress = Progress::until(stop);
        let choice = SweepChoice { grid: self.grid, summary_tokens: self.summary_tokens };
        let report = report::sweep(&self.source.into_source(), self.session.as_deref(), &choice, &progress)?;
        drop(progress);
        output::print(self.json, &report, &report.diagnostics, |style| {
            text::sweep(&report, self.limit, style)
        })?;
        Ok(ExitCode::SUCCESS)
    }
}
