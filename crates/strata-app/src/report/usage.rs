//! `strata usage`: what agents on this computer used.

use serde::Serialize;
use strata_measure::prices::Prices;
use strata_store::Store;

use super::diagnostic::FileDiagnostic;
use super::{VERSION, Watch};
use crate::api::common::{DiagnosticRow, DiagnosticSeverity};
use crate::api::usage::Usage;
use crate::data_folder::existing_database;
use crate::error::AppError;
use crate::own_prices::prices_of;
use crate::usage::{UsageQuestion, usage as add_up};

/// The document of `strata usage`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UsageReport {
    pub version: u32,
    #[serde(flatten)]
    pub usage: Usage,
}

impl UsageReport {
    /// What a person should know about files: those that could not be read, then what is said of others.
    pub fn findings(&self) -> Vec<FileDiagnostic> {
        let failed = self.usage.files.failed.iter().map(|failed| FileDiagnostic {
            severity: DiagnosticSeverity::Error,
            code: "unreadable".to_owned(),
            message: failed.reason.clone(),
            file: failed.path.clone(),
            at: String::new(),
        });
        let others = self.usage.diagnostics.iter().map(|row| FileDiagnostic::new("", row.clone()));
        failed.chain(others).collect()
    }

    /// Paths that were named and have no session.
    pub fn paths_without_session(&self) -> usize {
        self.usage.places.iter().filter(|place| place.tool.is_none() && place.files == 0).count()
    }
}

/// Reads what agents left on this computer, or files and folders, and adds up what their calls used. A person's own prices
/// hold, as the store of the data folder has them.
pub fn usage(question: &UsageQuestion, watch: &dyn Watch) -> Result<UsageReport, AppError> {
    let (prices, problem) = match own_prices() {
        Ok(prices) => (prices, None),
        Err(error) => (Prices::embedded(), Some(error)),
    };
    let mut usage = add_up(question, &prices, watch)?;
    usage.diagnostics.extend(problem.map(|error| DiagnosticRow {
        severity: DiagnosticSeverity::Warning,
        code: "own-prices".to_owned(),
        message: format!("Prices of your own could not be read; listed ones are used. {}", error.message),
        at: String::new(),
    }));
    Ok(UsageReport { version: VERSION, usage })
}

fn own_prices() -> Result<Prices, AppError> {
    let Some(database) = existing_database() else { return Ok(Prices::embedded()) };
    Ok(prices_of(&Store::open_read_only(&database)?)?)
}
