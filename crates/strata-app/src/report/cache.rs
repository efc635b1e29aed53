//! `strata cache`: what a provider finds again of each prompt, what kept it from finding more, and what would help.

use serde::Serialize;
use strata_measure::analysis::{CacheFix, CallCache, Cause, Comparison, Loss, SessionAnalysis, TextChange};
use strata_measure::remedies::{Aim, Writer, remedy};
use strata_wire::CacheRules;

use super::app::AppReport;
use super::compiled::Compiled;
use super::diagnostic::FileDiagnostic;
use super::evidence::EvidenceReport;
use super::opened::OpenedSession;
use super::source::{Source, Subject};
use super::{VERSION, Watch, origin};
use crate::api::common::{Basis, Bill, Remedy, RequestBasis};
use crate::error::AppError;

/// The document of `strata cache`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CacheReport {
    pub version: u32,
    pub session: String,
    /// Of the session.
    pub title: String,
    pub app: AppReport,
    /// The rules that were applied, by name.
    pub provider: String,
    /// Whether each of them is one for the models of this session.
    pub is_rule_known: bool,
    /// What all calls come to.
    pub bill: Bill,
    pub prompt_tokens: u64,
    /// As the rules have it, whatever was reported.
    pub predicted_cached_tokens: u64,
    pub predicted_written_tokens: u64,
    /// Tokens that were paid in full and could have been found, and of these the avoidable ones.
    pub lost_tokens: u64,
    pub avoidable_tokens: u64,
    pub calls: Vec<CallCacheReport>,
    /// What would help, replayed over all calls, the most useful first.
    pub fixes: Vec<CacheFixReport>,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// One call.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CallCacheReport {
    pub call: u32,
    pub agent: String,
    pub model: String,
    /// The number of the first call of its lineage.
    pub lineage: u32,
    /// As its provider counts it: reported, or predicted where it is not; `promptBasis` says which.
    pub prompt_tokens: u32,
    pub prompt_basis: Basis,
    /// Of these, read from the cache: reported, or predicted where it is not.
    pub cached_tokens: u32,
    /// Whether anybody is known to have paid for it: not for a call that failed without a report, or whose answer is not
    /// recorded.
    pub paid: bool,
    /// Whether the prompt is what was really sent or what was compiled.
    pub request_basis: RequestBasis,
    /// What that is known from; absent for a call that was not compiled.
    pub evidence: Option<EvidenceReport>,
    /// Seconds for which what it stores is kept: as its client asked where that is known, else by the rule.
    pub lifetime_seconds: Option<f64>,
    pub predicted_cached_tokens: u32,
    /// What could be found however long ago it was sent.
    pub ceiling_tokens: u32,
    pub predicted_written_tokens: u32,
    pub reported_cached_tokens: Option<u32>,
    /// Why the report is not what was predicted; absent where it is.
    pub difference: Option<&'static str>,
    /// What the provider says by itself of why a prefix was missed; only where the request asked for it.
    pub provider_verdict: Option<VerdictReport>,
    pub zones: Vec<ZoneReport>,
    #[serde(rename = "break")]
    pub loss: Option<BreakReport>,
    /// US dollars of the call, its answer included.
    pub cost: Option<f64>,
}

/// A provider's own word on a missed prefix.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerdictReport {
    /// As the provider calls it: `tools_changed`, `system_changed`.
    pub reason: String,
    /// Tokens that it counts behind what changed.
    pub missed_tokens: Option<u64>,
}

/// Tokens `from..to` of a prompt.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ZoneReport {
    /// `stable`, `variable`, `below_minimum`, `unmarked`, `expired` or `evicted`.
    pub zone: &'static str,
    pub from: u32,
    pub to: u32,
}

/// Why less was found than the prompt before held.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BreakReport {
    pub at_token: u32,
    /// Empty where the prompts do not differ.
    pub path: String,
    pub cause: &'static str,
    /// The processor whose result differs first.
    pub stage: Option<String>,
    pub origin: Option<String>,
    /// In a sentence.
    pub detail: String,
    /// How a text differs first, where the cause is one that does.
    pub change: Option<TextChangeReport>,
    /// What to change in the tool that wrote the session; null where it has no setting for it.
    pub remedy: Option<Remedy>,
    pub is_avoidable: bool,
    pub previous_call: u32,
    /// Paid in full though it could have been found: by the report where there is one, else as predicted.
    pub rebilled_tokens: u32,
    pub is_reported: bool,
    /// The same as it is predicted.
    pub predicted_tokens: u32,
    pub cost: Option<f64>,
}

/// How two texts in one place differ first.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TextChangeReport {
    /// `time`, `random_id`, `counter`, `number`, `order`, `grown`, `shrunk`, `shortened`, `white_space`,
    /// `media` or `words`.
    pub kind: &'static str,
    /// What stands before the value on its line.
    pub label: String,
    /// The value, at most 60 characters of it; empty where it is in one of the texts only.
    pub before: String,
    pub after: String,
}

impl From<&TextChange> for TextChangeReport {
    fn from(change: &TextChange) -> Self {
        let TextChange { kind, label, before, after, .. } = change.clone();
        Self { kind: kind.code(), label, before, after }
    }
}

/// A change that would keep more of the prompts in the cache.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CacheFixReport {
    pub kind: &'static str,
    pub agent: String,
    pub title: String,
    /// Tokens less that are paid in full, over all calls.
    pub saves_tokens: i64,
    pub saves_cost: Option<f64>,
    /// Prompts that would be sent differently.
    pub changes: usize,
}

/// Predicts the caches of a source's only session, or of the one called `session`.
pub fn cache(source: &Source, session: Option<&str>, watch: &dyn Watch) -> Result<CacheReport, AppError> {
    Ok(cache_of(&OpenedSession::read(source, session, watch)?))
}

/// Predicts the caches of a session that is open.
pub fn cache_of(opened: &OpenedSession) -> CacheReport {
    let OpenedSession { subject, tables, compiled, diagnostics } = opened;
    let rules = CacheRules::embedded();
    let Compiled { analysis, caches, .. } = compiled;
    let fixes = caches.fixes(&subject.experiment, analysis, &tables.counting, &rules, &tables.prices);
    let totals = caches.totals();
    CacheReport {
        version: VERSION,
        session: subject.id.clone(),
        title: subject.title.clone(),
        app: (&subject.app).into(),
        provider: caches.rule_names().join("; "),
        is_rule_known: caches.is_rule_known(),
        bill: caches.bill().into(),
        prompt_tokens: totals.prompt_tokens,
        predicted_cached_tokens: totals.cached_tokens,
        predicted_written_tokens: totals.written_tokens,
        lost_tokens: totals.lost_tokens,
        avoidable_tokens: totals.avoidable_tokens,
        calls: caches.calls.iter().map(|call| call_report(subject, analysis, call)).collect(),
        fixes: fixes.iter().map(cache_fix).collect(),
        diagnostics: diagnostics.clone(),
    }
}

fn call_report(subject: &Subject, analysis: &SessionAnalysis, call: &CallCache) -> CallCacheReport {
    let analysed = analysis.call(call.call);
    let difference =
        |comparison: &Comparison| comparison.difference.map(strata_measure::analysis::Difference::name);
    CallCacheReport {
        call: call.call,
        agent: call.agent.to_string(),
        model: call.model.to_string(),
        lineage: call.lineage,
        prompt_tokens: call.bill.prompt_tokens,
        prompt_basis: call.bill.basis.into(),
        cached_tokens: call.bill.cached_tokens,
        paid: !call.bill.is_unpaid,
        request_basis: analysed
            .map_or(RequestBasis::Recompiled, |analysed| RequestBasis::of(&subject.experiment, analysed)),
        evidence: analysed.map(|analysed| subject.evidence(analysed)),
        lifetime_seconds: call.lifetime_s,
        predicted_cached_tokens: call.prediction.expected,
        ceiling_tokens: call.prediction.ceiling,
        predicted_written_tokens: call.prediction.written,
        reported_cached_tokens: call.reported.and_then(|reported| reported.cached),
        difference: call.comparison.as_ref().and_then(difference),
        provider_verdict: call.verdict.as_ref().map(|verdict| VerdictReport {
            reason: verdict.reason.to_string(),
            missed_tokens: verdict.missed_tokens,
        }),
        zones: call
            .zones
            .iter()
            .map(|span| ZoneReport { zone: span.zone.name(), from: span.from, to: span.to })
            .collect(),
        loss: call.loss.as_ref().map(|loss| break_report(subject, loss)),
        cost: call.bill.cost_usd(),
    }
}

fn break_report(subject: &Subject, loss: &Loss) -> BreakReport {
    BreakReport {
        at_token: loss.at_token,
        path: loss.path.clone(),
        cause: loss.cause.code(),
        stage: loss.stage.as_ref().map(ToString::to_string),
        origin: loss.origin.as_ref().map(origin::text),
        detail: loss.cause.sentence(&subject.experiment),
        change: loss.cause.change().map(Into::into),
        remedy: Aim::of_cause(&loss.cause)
            .and_then(|aim| remedy(Writer::of(&subject.format_name, &subject.experiment), &aim))
            .map(Into::into),
        is_avoidable: loss.cause.is_avoidable(),
        previous_call: loss.against,
        rebilled_tokens: loss.tokens,
        is_reported: loss.is_reported,
        predicted_tokens: loss.predicted_tokens,
        cost: loss.cost_usd,
    }
}

impl BreakReport {
    /// Whether the prefix broke: a prompt that is only too short to be cached at all has nothing to lose.
    pub fn is_break(&self) -> bool {
        self.cause != Cause::BELOW_MINIMUM
    }
}

pub(super) fn cache_fix(fix: &CacheFix) -> CacheFixReport {
    CacheFixReport {
        kind: fix.kind.code(),
        agent: fix.agent.to_string(),
        title: fix.title.clone(),
        saves_tokens: fix.saves_tokens,
        saves_cost: fix.saves_cost,
        changes: fix.changes,
    }
}
