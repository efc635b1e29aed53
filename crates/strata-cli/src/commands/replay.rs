//! `strata replay`: a call sent again.

use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use strata_app::report::{self, ReplayChoice};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::compile::call_number;
use super::source::SourceArgs;
use crate::progress::Progress;
use crate::text::Style;
use crate::{output, terminal, text};

/// Sends a call of a session to a model again, and compares answer and tokens with what was recorded
#[derive(Debug, Args)]
pub(crate) struct Replay {
    #[command(flatten)]
    source: SourceArgs,
    /// The session, where the file holds several
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The call, as 17 or C17
    #[arg(long, value_name = "CALL", value_parser = call_number)]
    call: u32,
    /// Who is asked: `live`, or the name of an endpoint of `strata models`
    #[arg(long, value_name = "ENDPOINT", default_value = "live")]
    endpoint: String,
    /// The model, in place of the endpoint's own
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// Sends a word in place of each picture and file, for models that take none
    #[arg(long)]
    without_pictures: bool,
    /// Only show what would be sent, and what it would cost
    #[arg(long)]
    dry_run: bool,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Replay {
    pub(crate) fn run(self, runtime: &Handle, stop: CancellationToken) -> Result<ExitCode> {
        let choice = ReplayChoice {
            call: self.call,
            endpoint: self.endpoint,
            model: self.model,
            without_pictures: self.without_pictures,
            is_sent: !self.dry_run,
        };
        let style = Style::of(io::stderr().is_terminal());
        let progress = Progress::until(stop);
        let shows = !self.json;
        let mut before = |report: &report::ReplayReport| {
            if shows {
                let request = text::replay_request(report, !choice.is_sent, style);
                let _ = terminal::write(&mut io::stderr(), &request);
            }
        };
        let is_live = shows && io::stderr().is_terminal();
        let mut stream = |piece: &str| {
            if is_live {
                progress.hide();
                let _ = terminal::write(&mut io::stderr(), piece);
            }
        };
        let source = self.source.into_source();
        let report = report::replay(
            &source,
            self.session.as_deref(),
            &choice,
            &progress,
            &mut before,
            &mut stream,
            runtime,
        )?;
        drop(progress);
        output::print(self.json, &report, &report.diagnostics, |style| text::replay_answer(&report, style))?;
        let has_failed = report.answer.as_ref().is_some_and(|answer| answer.failure.is_some());
        Ok(if has_failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }
}
