//! `strata usage --patterns`: waste that comes back.

use serde::Serialize;
use strata_store::Store;

use super::{VERSION, Watch};
use crate::api::home::{HomePattern, HomeWaste};
use crate::api::usage::UsageSums;
use crate::data_folder::existing_database;
use crate::error::AppError;
use crate::home::{PatternQuestion, patterns_in};
use crate::tables::Tables;

/// The document of `strata usage --patterns`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PatternsReport {
    pub version: u32,
    /// Of all calls, as `strata usage` adds them up.
    pub total: UsageSums,
    /// Of each session the costliest finding: so much at least, as an estimate.
    pub waste: HomeWaste,
    /// The period's days ÷ 7, one at least.
    pub weeks: f64,
    /// The costliest first. They overlap.
    pub patterns: Vec<HomePattern>,
}

/// Reads what agents left on this computer, or files and folders, and says which findings recur over sessions.
pub fn patterns(question: &PatternQuestion, watch: &dyn Watch) -> Result<PatternsReport, AppError> {
    let tables = match existing_database() {
        Some(database) => Tables::of_store(&Store::open_read_only(&database)?)?,
        None => Tables::default(),
    };
    let page = patterns_in(question, &tables, watch)?;
    Ok(PatternsReport {
        version: VERSION,
        total: page.total,
        waste: page.waste,
        weeks: page.weeks,
        patterns: page.patterns,
    })
}
