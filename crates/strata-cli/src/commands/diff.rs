//! `strata diff`: two experiments over one session, or two recordings of one task.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};
use strata_app::report::{self, CauseRanking, DiffChoice, DifferenceReport};

use super::source::SourceArgs;
use crate::progress::Progress;
use crate::{output, text};

/// Compares two experiments over one recording, or two recordings of one task, before and after a change: what makes
/// the difference, and call by call tokens, cached and cost
///
/// Causes add up to the difference: calls, tools' declarations and results, instructions, history, caches, answers,
/// prices. Calls of two recordings are aligned by what the user says in a turn, by
/// the agent, and by their order within. With `--edit` the edits of a recording are set beside what came of them in the
/// other.
#[derive(Debug, Args)]
pub(crate) struct Diff {
    #[command(flatten)]
    source: SourceArgs,
    /// What it is compared with: an experiment, a file of edits over the same session, or another recording
    #[arg(value_name = "OTHER")]
    other: String,
    /// The session, where the file holds several
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// The session of the other recording, where its file holds several
    #[arg(long, value_name = "ID")]
    other_session: Option<String>,
    /// The app configuration of the other side; that of `--app` where it is left out
    #[arg(long, value_name = "FILE")]
    other_app: Option<PathBuf>,
    /// What the causes are ranked by
    #[arg(long, value_enum, default_value = "tokens")]
    by: By,
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

#[derive(Debug, Clone, Copy, ValueEnum)]
enum By {
    /// Tokens of prompts
    Tokens,
    /// US dollars
    Cost,
}

impl Diff {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let progress = Progress::new();
        let source = self.source.into_source();
        let choice = DiffChoice {
            session: self.session.as_deref(),
            other_session: self.other_session.as_deref(),
            other_app: self.other_app.as_deref(),
            call: self.call,
            by: match self.by {
                By::Tokens => CauseRanking::Tokens,
                By::Cost => CauseRanking::Cost,
            },
        };
        let report = report::diff(&source, &self.other, &choice, &progress)?;
        drop(progress);
        match &report {
            DifferenceReport::Experiments(of_one) => {
                output::print(self.json, &report, &of_one.diagnostics, |style| {
                    text::diff(of_one, self.limit, style)
                })?;
            }
            DifferenceReport::Recordings(of_two) => {
                output::print(self.json, &report, &of_two.diagnostics, |style| {
                    text::recordings(of_two, self.limit, style)
                })?;
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
