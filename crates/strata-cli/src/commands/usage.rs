//! `strata usage`: what agents on this computer used.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, ValueEnum};
use strata_app::report::{self, PatternQuestion, UsageBy, UsageQuestion};
use tokio_util::sync::CancellationToken;

use crate::failure::BAD_INPUT;
use crate::progress::Progress;
use crate::{output, text};

/// Adds up what agents on this computer used
///
/// Reads the sessions that Claude Code, Codex and the other tools of `strata places` left, or the files and folders that
/// are named, and adds up the tokens that providers reported of their calls. Sub-agents count. A call that several files
/// tell of, as resumed and copied sessions do, counts once. No conversation is stored; what was added up of a file is
/// kept in the cache folder until the file changes.
#[derive(Debug, Args)]
pub(crate) struct Usage {
    /// Files and folders, instead of all places where agents leave sessions
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// What a row is of
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = By::Day)]
    by: By,
    /// From this day on, as 2026-11-20
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Until the end of this day
    #[arg(long, value_name = "DATE")]
    until: Option<String>,
    /// The zone whose days are meant, as Europe/Oslo, instead of that of this computer
    #[arg(long, value_name = "ZONE")]
    timezone: Option<String>,
    /// Waste that comes back, instead of sums: findings that several sessions of a tool have, and what they cost a week
    #[arg(long, conflicts_with = "by")]
    patterns: bool,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum By {
    Day,
    Project,
    Model,
    Tool,
    Session,
}

impl Usage {
    pub(crate) fn run(self, stop: CancellationToken) -> Result<ExitCode> {
        let Self { paths, by, since, until, timezone, patterns, json } = self;
        if patterns {
            let progress = Progress::until(stop);
            let question = PatternQuestion { paths, since, until, timezone };
            let report = report::patterns(&question, &progress)?;
            drop(progress);
            output::print(json, &report, &[], |style| text::patterns(&report, style))?;
            return Ok(ExitCode::SUCCESS);
        }
        let by = match by {
            By::Day => UsageBy::Day,
            By::Project => UsageBy::Project,
            By::Model => UsageBy::Model,
            By::Tool => UsageBy::Tool,
            By::Session => UsageBy::Session,
        };
        let progress = Progress::until(stop);
        let report = report::usage(&UsageQuestion { paths, by, since, until, timezone }, &progress)?;
        drop(progress);
        output::print(json, &report, &report.findings(), |style| text::usage(&report.usage, style))?;
        Ok(if report.paths_without_session() > 0 { ExitCode::from(BAD_INPUT) } else { ExitCode::SUCCESS })
    }
}
