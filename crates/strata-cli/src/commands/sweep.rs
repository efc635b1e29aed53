//! `strata sweep`: many configurations of compaction side by side.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use strata_app::report::{self, SweepChoice, SweepProgress};
use tokio_util::sync::CancellationToken;

use super::source::SourceArgs;
use crate::interrupt::STOPPED;
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
    /// With --json: print each row as it comes, as a JSON line of its own; the document is the last line
    #[arg(long, requires = "json")]
    lines: bool,
}

impl Sweep {
    pub(crate) fn run(self, stop: CancellationToken) -> Result<ExitCode> {
        let progress = Progress::until(stop.clone());
        let choice = SweepChoice { grid: self.grid, summary_tokens: self.summary_tokens };
        let (source, session) = (self.source.into_source(), self.session.as_deref());
        let tell = move |came: &SweepProgress| {
            // Whoever reads no more stops the sweep.
            if self.lines && !output::line(true, came, |_| String::new()).is_ok_and(|read| read.is_continue())
            {
                stop.cancel();
            }
        };
        let report = report::sweep(&source, session, &choice, &progress, &tell)?;
        drop(progress);
        if self.lines {
            // Nothing comes behind it, whether somebody reads it or not.
            let _ = output::line(true, &report, |_| String::new())?;
        } else {
            output::print(self.json, &report, &report.diagnostics, |style| {
                text::sweep(&report, self.limit, style)
            })?;
        }
        let is_whole = report.rows.len() == report.configs;
        Ok(if is_whole { ExitCode::SUCCESS } else { ExitCode::from(STOPPED) })
    }
}
