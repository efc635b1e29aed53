//! `strata search`: words in everything that is stored.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use strata_app::report::{self, SearchChoice};
use tokio_util::sync::CancellationToken;

use crate::progress::Progress;
use crate::{output, text};

/// Finds words in the stored sessions
///
/// Looks through what was said, tool calls and results, names of tools, agents, files and artifacts, and titles. All
/// words have to be there, the last one may be the beginning of one, and words in double quotes stand together.
#[derive(Debug, Args)]
pub(crate) struct Search {
    /// Words to find
    #[arg(value_name = "QUERY", required = true)]
    query: Vec<String>,
    /// Only in this session
    #[arg(long, value_name = "S")]
    session: Option<String>,
    /// Only events of this agent, or `user`
    #[arg(long, value_name = "NAME")]
    agent: Option<String>,
    /// Only calls and results of this tool
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// Hits on a page
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: u32,
    /// Go on behind an earlier page: what it names as next
    #[arg(long, value_name = "NEXT")]
    after: Option<String>,
    /// The store, instead of the one in the data folder
    #[arg(long = "db", value_name = "FILE")]
    database: Option<PathBuf>,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Search {
    pub(crate) fn run(self, stop: CancellationToken) -> Result<ExitCode> {
        let Self { query, session, agent, tool, limit, after, database, json } = self;
        let progress = Progress::until(stop);
        let query = query.join(" ");
        let choice = SearchChoice { query, session, agent, tool, after, limit, database };
        let report = report::search(choice, &progress)?;
        drop(progress);
        output::print(json, &report, &[], |style| text::search(&report, style))?;
        Ok(ExitCode::SUCCESS)
    }
}
