//! `strata secrets`: what looks like a key in the store.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use strata_app::report::{self, SecretsChoice};

use crate::progress::Progress;
use crate::{output, text};

/// Says what the store keeps that looks like a key, and masks it for good where that is asked for
#[derive(Debug, Args)]
pub(crate) struct Secrets {
    /// Mask it in everything that is stored, and in whatever is stored from now on
    #[arg(long)]
    mask: bool,
    /// Store what comes from now on as it was said
    #[arg(long, conflicts_with = "mask")]
    keep: bool,
    /// The store, instead of the one in the data folder
    #[arg(long = "db", value_name = "FILE")]
    database: Option<PathBuf>,
    /// Print a JSON document
    #[arg(long)]
    json: bool,
}

impl Secrets {
    pub(crate) fn run(self) -> Result<ExitCode> {
        let choice = match (self.mask, self.keep) {
            (true, _) => SecretsChoice::Mask,
            (false, true) => SecretsChoice::Keep,
            (false, false) => SecretsChoice::Tell,
        };
        let progress = Progress::new();
        let report = report::secrets(self.database.as_deref(), choice, &progress)?;
        drop(progress);
        output::print(self.json, &report, &[], |style| text::secrets(&report, style))?;
        Ok(ExitCode::SUCCESS)
    }
}
