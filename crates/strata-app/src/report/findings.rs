//! `strata findings`: what is worth a person's time in a session.

use serde::Serialize;
use strata_engine::findings::{self, Finding};

use super::app::AppReport;
use super::diagnostic::FileDiagnostic;
use super::source::Source;
use super::{VERSION, Watch, origin};
use crate::api::common::{CallRange, DiagnosticSeverity};
use crate::error::AppError;
use crate::open::{Tables, finding_cost};

/// The document of `strata findings`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FindingsReport {
    pub version: u32,
    pub session: String,
    /// Of the session.
    pub title: String,
    pub app: AppReport,
    /// The costliest first, then the gravest. Their prices overlap.
    pub findings: Vec<FindingReport>,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// One finding.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FindingReport {
    pub code: String,
    pub title: String,
    /// `bloat`, `prefix`, `loss` or `trap`.
    pub kind: &'static str,
    pub severity: DiagnosticSeverity,
    /// What happened in this session and why.
    pub message: String,
    /// What to change.
    pub advice: String,
    /// Over the session; 0 where its price cannot be told in tokens.
    pub tokens: u64,
    /// US dollars, if all models have a price.
    pub cost: Option<f64>,
    pub calls: Vec<u32>,
    /// The same calls as ranges, for reading.
    pub call_ranges: Vec<CallRange>,
    pub origins: Vec<String>,
    /// A processor that would help, once there are such.
    pub fix: Option<()>,
}

/// Looks through a source's only session, or the one called `session`.
pub fn findings(
    source: &Source,
    session: Option<&str>,
    watch: &dyn Watch,
) -> Result<FindingsReport, AppError> {
    let (subject, diagnostics) = source.read_one(session, watch)?;
    let tables = Tables::default();
    let analysis = subject.analyse(subject.n_calls(), &tables, watch)?;
    let found = findings::findings(&subject.experiment, &analysis, &tables.counting);
    Ok(FindingsReport {
        version: VERSION,
        session: subject.id.clone(),
        title: subject.title.clone(),
        app: (&subject.app).into(),
        findings: found.iter().map(|finding| report(finding, &tables)).collect(),
        diagnostics,
    })
}

fn report(finding: &Finding, tables: &Tables) -> FindingReport {
    let events = finding.events.iter().map(|event| format!("E{}", event.number()));
    let mut origins: Vec<String> = events.chain(finding.origins.iter().map(origin::text)).collect();
    let mut seen = std::collections::HashSet::new();
    origins.retain(|origin| seen.insert(origin.clone()));
    FindingReport {
        code: finding.code.to_owned(),
        title: finding.title.to_owned(),
        kind: finding.kind.name(),
        severity: finding.severity.into(),
        message: finding.message.clone(),
        advice: finding.advice.to_owned(),
        tokens: finding.tokens(),
        cost: finding_cost(finding, &tables.prices),
        calls: finding.calls.iter().flat_map(|range| range.first..=range.last).collect(),
        call_ranges: finding
            .calls
            .iter()
            .map(|range| CallRange { from: range.first, to: range.last })
            .collect(),
        origins,
        fix: None,
    }
}
