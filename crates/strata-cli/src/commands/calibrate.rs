//! `strata calibrate`: what all sessions of a store tell of how providers count.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use strata_app::report;

use crate::progress::Progress;
use crate::{output, text};

/// Learns from all sessions in the store how providers count, and counts stored sessions by it from then on
#[derive(Debug, Args)]
pub(crate) struct Calibrate {
    /// The store, instead of the one in the data folder
    #[arg(long = "db", value_name = "FILE")]
    database: Option<PathBuf>,
    /// Only say what was learned last
    #[arg(long)]
    show: bool,
    /// Count as if nothing had been learned
    #[arg(long, conflicts_with = "show")]
    forget: bool,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Calibrate {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let database = self.database.as_deref();
        let report = if self.forget {
            report::forget_learned(database)?
        } else if self.show {
            report::learned(database)?
        } else {
            report::learn(database, &Progress::new())?
        };
        output::print(self.json, &report, &[], |style| text::calibrate(&report, style))?;
        Ok(ExitCode::SUCCESS)
    }
}
