//! `strata findings`: what is worth a person's time in a session.

use serde::Serialize;
use strata_engine::{Edit, FlowEdit};
use strata_measure::findings::{self, Finding};
use strata_measure::fixes::{self, Fix};
use strata_measure::remedies::{Aim, Writer, remedy};
use strata_model::Object;
use strata_wire::CacheRules;

use super::app::AppReport;
use super::cache::{CacheFixReport, cache_fix};
use super::diagnostic::FileDiagnostic;
use super::opened::OpenedSession;
use super::source::Source;
use super::{VERSION, Watch, origin};
use crate::api::common::{Basis, CallRange, DiagnosticSeverity, Remedy};
use crate::error::AppError;
use crate::open::finding_cost;
use crate::tables::Tables;

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
    /// All fixes that save something, the most saving first. Their savings overlap.
    pub fixes: Vec<FixReport>,
    /// Changes that are no edits, as `strata cache` ranks them: what the requests' code or the app's does otherwise, and
    /// what the provider is asked for. The most saving first, and beside the fixes as they are to each other.
    pub replayed: Vec<CacheFixReport>,
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
    /// The same in the tool that wrote the session; null where it has no setting for it.
    pub remedy: Option<Remedy>,
    /// Over the session; 0 where its price cannot be told in tokens.
    pub tokens: u64,
    /// US dollars, if all models have a price.
    pub cost: Option<f64>,
    pub calls: Vec<u32>,
    /// The same calls as ranges, for reading.
    pub call_ranges: Vec<CallRange>,
    pub origins: Vec<String>,
    /// The edit that saves most, tried on all calls; null where none of Strata's helps.
    pub fix: Option<FixReport>,
    /// Where there is no such edit: the change of the requests that `strata cache` has replayed for it.
    pub replayed: Option<CacheFixReport>,
}

/// Edits that would help, tried on all calls.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FixReport {
    pub title: String,
    /// The kind of the inserted processor, or the name of the edit.
    pub processor: String,
    /// Of the inserted processor; else the edit's fields.
    pub params: Object,
    pub saves_tokens: i64,
    /// US dollars, if all models have a price.
    pub saves_cost: Option<f64>,
    pub basis: Basis,
    /// For a file of edits.
    pub edits: Vec<Edit>,
    /// What to change in the tool that wrote the session instead; null where it has no setting for it.
    pub remedy: Option<Remedy>,
    /// That cached tokens are lost, or that it drops what an answer uses later.
    pub warnings: Vec<String>,
}

/// Looks through a source's only session, or the one called `session`.
pub fn findings(
    source: &Source,
    session: Option<&str>,
    watch: &dyn Watch,
) -> Result<FindingsReport, AppError> {
    Ok(findings_of(&OpenedSession::read(source, session, watch)?))
}

/// Looks through a session that is open.
pub fn findings_of(opened: &OpenedSession) -> FindingsReport {
    let OpenedSession { subject, tables, compiled, diagnostics } = opened;
    let analysis = &compiled.analysis;
    let found = findings::findings(&subject.experiment, compiled.billed(), &tables.counting);
    let with = (&*tables.counting, &tables.prices, &tables.catalog);
    let mut fixes: Vec<Fix> = fixes::candidates(&subject.experiment, analysis)
        .into_iter()
        .filter_map(|candidate| fixes::try_fix(candidate, &subject.experiment, compiled.billed(), with))
        .collect();
    fixes.sort_by(Fix::by_worth);
    let writer = Writer::of(&subject.format_name, &subject.experiment);
    let (experiment, rules) = (&subject.experiment, CacheRules::embedded());
    let replayed = compiled.caches.fixes(experiment, analysis, &tables.counting, &rules, &tables.prices);
    let told = |finding: &Finding| {
        let own = report(finding, &fixes, writer, tables);
        let found = fixes::replayed(&replayed, finding, &subject.experiment).filter(|_| own.fix.is_none());
        FindingReport { replayed: found.map(cache_fix), ..own }
    };
    FindingsReport {
        version: VERSION,
        session: subject.id.clone(),
        title: subject.title.clone(),
        app: (&subject.app).into(),
        findings: found.iter().map(told).collect(),
        fixes: fixes.iter().map(|fix| fix_report(fix, writer)).collect(),
        replayed: replayed.iter().map(cache_fix).collect(),
        diagnostics: diagnostics.clone(),
    }
}

fn report(finding: &Finding, fixes: &[Fix], writer: Writer, tables: &Tables) -> FindingReport {
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
        advice: finding.advice_for(writer).to_owned(),
        remedy: finding.remedy_in(writer).map(Into::into),
        tokens: finding.tokens(),
        cost: finding_cost(finding, &tables.prices),
        calls: finding.calls.iter().flat_map(|range| range.first..=range.last).collect(),
        call_ranges: finding
            .calls
            .iter()
            .map(|range| CallRange { from: range.first, to: range.last })
            .collect(),
        origins,
        fix: fixes::helping(fixes, finding).first().map(|fix| fix_report(fix, writer)),
        replayed: None,
    }
}

fn fix_report(fix: &Fix, writer: Writer) -> FixReport {
    let effect = &fix.effect;
    let edits = &fix.candidate.edits;
    let (processor, params) = match edits.first() {
        Some(Edit::Flow(FlowEdit::Insert { kind, params, .. })) => (kind.to_string(), params.clone()),
        Some(edit) => (edit.name().to_owned(), Object::new()),
        None => (String::new(), Object::new()),
    };
    FixReport {
        title: fix.candidate.title.clone(),
        processor,
        params,
        saves_tokens: effect.saved_tokens(),
        saves_cost: effect.saved_cost(),
        basis: fix.basis.into(),
        edits: edits.clone(),
        remedy: Aim::of_edits(edits).and_then(|aim| remedy(writer, &aim)).map(Into::into),
        warnings: fix.warnings.clone(),
    }
}
