//! `strata batch`: several configurations of compaction run with several models.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result};
use clap::Args;
use strata_app::api::lab_batch::{BatchCell, BatchCellState};
use strata_app::report::{self, BatchAsked};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::failure::BAD_INPUT;
use crate::progress::Progress;
use crate::{output, text};

/// Runs several settings of compaction with several models within a budget, and says which to take
///
/// Every run is stored. Given again, the command goes on where it was: what has ended is kept, and nothing is paid for
/// twice.
#[derive(Debug, Args)]
pub(crate) struct Batch {
    /// A stored session's id (or its beginning) or experiment, a file that is imported into --db, or `sample`
    #[arg(value_name = "SESSION")]
    session: String,
    /// The store; without it, that of the data folder
    #[arg(long = "db", value_name = "FILE")]
    database: Option<PathBuf>,
    /// A setting as `strata compact` takes it; may be given several times
    #[arg(long = "config", value_name = "CONFIG", required = true)]
    configs: Vec<String>,
    /// Who writes: `extractive`, `live`, an endpoint of `strata models`, or ENDPOINT/MODEL; may be given several times
    #[arg(long = "model", value_name = "MODEL", required = true)]
    models: Vec<String>,
    /// US dollars that may be spent
    #[arg(long, value_name = "DOLLARS")]
    budget: Option<f64>,
    /// Tokens of prompts and answers that may be spent
    #[arg(long, value_name = "TOKENS")]
    budget_tokens: Option<f64>,
    /// A file with a summary prompt in place of google-adk's, with {conversation_history} in it
    #[arg(long, value_name = "FILE")]
    prompt: Option<PathBuf>,
    /// Have so many questions about each run's summaries answered, made of the facts they stand for
    #[arg(long, value_name = "N", requires = "answered_by", value_parser = clap::value_parser!(u32).range(1..))]
    questions: Option<u32>,
    /// Who answers them for all runs: an endpoint of `strata models`, or ENDPOINT/MODEL
    #[arg(long, value_name = "MODEL", requires = "questions")]
    answered_by: Option<String>,
    /// Only says what would be sent and what that would cost
    #[arg(long)]
    dry_run: bool,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Batch {
    pub(crate) fn run(self, runtime: &Handle, stop: CancellationToken) -> Result<ExitCode> {
        let read = |path: &PathBuf| {
            std::fs::read_to_string(path)
                .with_context(|| format!("The prompt {} could not be read.", path.display()))
        };
        let asked = BatchAsked {
            session: self.session,
            database: self.database,
            configs: self.configs,
            models: self.models,
            prompt: self.prompt.as_ref().map(read).transpose()?,
            usd: self.budget,
            tokens: self.budget_tokens,
            probes: self.questions.zip(self.answered_by),
        };
        let progress = Progress::until(stop);
        if self.dry_run {
            let plan = report::batch_plan(&asked, &progress, runtime)?;
            drop(progress);
            output::print(self.json, &plan, &[], |style| text::batch_plan(&plan, style))?;
            return Ok(ExitCode::SUCCESS);
        }
        let mut told = Vec::new();
        let mut tell = |batch: &strata_app::api::lab_batch::LabBatch| {
            let total = batch.cells.len();
            told.resize(total, BatchCellState::Waiting);
            for (at, cell) in batch.cells.iter().enumerate().filter(|(_, cell)| is_over(cell)) {
                if told[at] != cell.state {
                    progress.hide();
                    output::note(&format!("{} of {total}  {}", at + 1, text::batch_cell(cell)));
                    told[at] = cell.state;
                }
            }
        };
        let report = report::batch(&asked, &progress, &mut tell, runtime)?;
        drop(progress);
        output::print(self.json, &report, &[], |style| text::batch(&report, style))?;
        if report.batch.can_resume {
            let budget = "Give the same command again to go on, with a larger budget for what was left out; nothing is \
                          paid for twice.";
            let failure = report.batch.failure.as_deref().unwrap_or(budget);
            output::note(
                &failure.replace("Resume the batch to go on", "Give the same command again to go on"),
            );
        }
        Ok(if report.has_failed() { ExitCode::from(BAD_INPUT) } else { ExitCode::SUCCESS })
    }
}

fn is_over(cell: &BatchCell) -> bool {
    !matches!(cell.state, BatchCellState::Waiting | BatchCellState::Running | BatchCellState::Asking)
}
