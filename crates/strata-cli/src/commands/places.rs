//! `strata places`: where agents leave their sessions.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use strata_app::report::{self, PlaceChoice};

use crate::{output, text};

/// Lists where agents leave sessions on this computer
///
/// Looks where Claude Code, Codex, Gemini CLI, Copilot, Cursor and the other coding agents keep them, and for stores of
/// google-adk below the present folder. No session is read: `strata import PATH` does that.
///
/// Home, the first view of the window, reads places that it is allowed to and no others. --allow and --forbid say so here.
#[derive(Debug, Args)]
pub(crate) struct Places {
    /// Let Home read this place; any file or folder can be one
    #[arg(long, value_name = "PATH")]
    allow: Vec<PathBuf>,
    /// Never read this place, and ask no more
    #[arg(long, value_name = "PATH")]
    forbid: Vec<PathBuf>,
    /// Forget what was said of this place: it is not read, and Home asks again
    #[arg(long, value_name = "PATH")]
    ask: Vec<PathBuf>,
    /// The store, instead of the one in the data folder
    #[arg(long = "db", value_name = "FILE")]
    database: Option<PathBuf>,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Places {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let Self { allow, forbid, ask, database, json } = self;
        let with = |paths: Vec<PathBuf>, choice| paths.into_iter().map(move |path| (whole(path), choice));
        let allowed = with(allow, PlaceChoice::Read);
        let choices: Vec<_> =
            allowed.chain(with(forbid, PlaceChoice::Leave)).chain(with(ask, PlaceChoice::Open)).collect();
        let database = database.as_deref();
        let report = match &*choices {
            [] => report::places(database)?,
            choices => report::choose_places(choices, database)?,
        };
        output::print(json, &report, &[], |style| text::places(&report, style))?;
        Ok(ExitCode::SUCCESS)
    }
}

/// As the list names it, wherever one stands.
fn whole(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}
