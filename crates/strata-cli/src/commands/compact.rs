//! `strata compact`: one configuration of compaction gone through.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Args;
use strata_app::report::{self, CompactChoice, SummaryModel};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use super::source::SourceArgs;
use crate::progress::Progress;
use crate::{output, text};

/// Compacts a session with other settings than it was recorded with, and says what its summaries lose
#[derive(Debug, Args)]
pub(crate) struct Compact {
    #[command(flatten)]
    source: SourceArgs,
    /// The session, where the file holds several
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The setting, as `interval=3,overlap=1` and/or `threshold=60000,retention=10`, or `limit=60000,keep=20`; with
    /// `summary_tokens=…`, `model=…`, `pin=E3+E9`
    #[arg(long, value_name = "CONFIG")]
    config: String,
    /// Who writes the summaries: `extractive` (offline), `sized` (nobody; only sizes count), `live`, or the name of an
    /// endpoint of `strata models`
    #[arg(long, value_name = "MODEL", default_value = "extractive")]
    model: String,
    /// A file with a summary prompt in place of google-adk's, with {conversation_history} in it
    #[arg(long, value_name = "FILE")]
    prompt: Option<PathBuf>,
    /// Only says what the model would be sent and what that would cost
    #[arg(long)]
    dry_run: bool,
    /// Makes an experiment of this name over the stored session: every call is then compiled over the summaries
    #[arg(long, value_name = "NAME", conflicts_with = "dry_run")]
    apply: Option<String>,
    /// Dropped facts that are shown of each window; 0 shows all
    #[arg(long, value_name = "ROWS", default_value_t = 8)]
    limit: usize,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Compact {
    pub(crate) fn run(self, runtime: &Handle, stop: CancellationToken) -> Result<ExitCode> {
        let prompt = match &self.prompt {
            Some(path) => Some(
                std::fs::read_to_string(path)
                    .with_context(|| format!("The prompt {} could not be read.", path.display()))?,
            ),
            None => None,
        };
        let progress = Progress::until(stop);
        let model = SummaryModel::named(&self.model);
        let choice = CompactChoice { config: self.config, prompt, model, apply: self.apply };
        let (source, session) = (self.source.into_source(), self.session.as_deref());
        if self.dry_run {
            let estimate = report::compact_estimate(&source, session, &choice, &progress, runtime)?;
            drop(progress);
            output::print(self.json, &estimate, &estimate.diagnostics, |style| {
                text::compact_estimate(&estimate, style)
            })?;
            return Ok(ExitCode::SUCCESS);
        }
        let report = report::compact(&source, session, &choice, &progress, runtime)?;
        drop(progress);
        output::print(self.json, &report, &report.diagnostics, |style| {
            text::compact(&report, self.limit, style)
        })?;
        Ok(ExitCode::SUCCESS)
    }
}
