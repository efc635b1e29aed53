//! `strata import`: files, and databases on servers, into the store.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use strata_app::report::{self, FollowUpdate};
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

use crate::failure::BAD_INPUT;
use crate::interrupt::{STOPPED, interrupted};
use crate::progress::Progress;
use crate::{output, text};

/// Reads recorded sessions into the store
///
/// Formats are recognised by content. A folder imports what is in it. A file that was imported before and has not
/// changed is left alone; one that has changed replaces what it showed. Ctrl-C stops: what is stored by then stays, and
/// importing the same folder again goes on.
///
/// A database of google-adk's DatabaseSessionService on a server is named by its address, as postgresql://user@host/database
/// or mysql://user@host/database, with SQLAlchemy's spellings. It is only read, session by session. The password can be in
/// the address, in PGPASSWORD or ~/.pgpass (PostgreSQL) or in MYSQL_PWD (MySQL); it is never stored or shown.
///
/// With --follow, files are read again whenever they change, until Ctrl-C. A file that is begun anew, emptied, rotated or
/// written over with another conversation, is a new session; what was recorded of it before stays.
#[derive(Debug, Args)]
pub(crate) struct Import {
    /// Files, folders, and addresses of databases
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// The store, instead of the one in the data folder
    #[arg(long = "db", value_name = "FILE")]
    database: Option<PathBuf>,
    /// Go on reading what is added, until Ctrl-C
    #[arg(long)]
    follow: bool,
    /// Print a JSON document; with --follow, one more for each change, on a line of its own
    #[arg(long)]
    json: bool,
}

impl Import {
    pub(crate) fn run(self, runtime: &Handle) -> Result<ExitCode> {
        let stop = interrupted(runtime);
        let progress = Progress::until(stop.clone());
        let report = report::import(&self.paths, self.database.as_deref(), self.follow, &progress)?;
        drop(progress);
        output::print(self.json, &report, &report.diagnostics, |style| text::import(&report, style))?;
        if self.follow && !report.stopped {
            return self.follow(stop);
        }
        Ok(match &report {
            report if report.stopped => ExitCode::from(STOPPED),
            report if report.paths_without_session > 0 => ExitCode::from(BAD_INPUT),
            _ => ExitCode::SUCCESS,
        })
    }

    fn follow(&self, stop: CancellationToken) -> Result<ExitCode> {
        let progress = Progress::until(stop);
        output::note("Following. Ctrl-C ends it; what is stored stays.");
        let mut written = Ok(());
        report::follow(&self.paths, self.database.as_deref(), &progress, |followed| match followed {
            FollowUpdate::Changed(change) => {
                let line = output::line(self.json, &change, |style| text::followed(&change, style));
                line.unwrap_or_else(|error| {
                    written = Err(error);
                    ControlFlow::Break(())
                })
            }
            FollowUpdate::Problem(problem) => {
                output::diagnostics(std::slice::from_ref(problem));
                ControlFlow::Continue(())
            }
        })?;
        written?;
        Ok(ExitCode::SUCCESS)
    }
}
