//! `strata replay`: a call sent again, beside what was recorded.

use serde::Serialize;
use strata_measure::analysis::CallCache;
use strata_provider::Progress;
use tokio::runtime::Handle;

use super::diagnostic::FileDiagnostic;
use super::model_access::ModelAccess;
use super::source::{Compiled, Source};
use super::{VERSION, Watch};
use crate::api::part::{DiffLine, DiffSign};
use crate::error::AppError;
use crate::lab::SentAgain;
use crate::watch::Step;

/// The document of `strata replay`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplayReport {
    pub version: u32,
    pub session: String,
    pub call: u32,
    pub agent: String,
    pub endpoint: String,
    pub model: String,
    /// Method and address.
    pub target: String,
    /// The request in the provider's form.
    pub body: String,
    /// What the provider is likely to report.
    pub predicted_tokens: u32,
    pub predicted_low: u32,
    pub predicted_high: u32,
    /// "exact", "calibrated" by what it reported before, "estimated".
    pub predicted_basis: &'static str,
    pub predicted_cached_tokens: u32,
    /// US dollars, with a cold cache and an answer as long as the recorded one.
    pub estimated_cost: Option<f64>,
    pub recorded: String,
    /// Absent where it was not sent.
    pub answer: Option<AnswerReport>,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// What came.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerReport {
    pub text: String,
    pub finish: Option<String>,
    pub reported_tokens: Option<f64>,
    pub reported_cached_tokens: Option<f64>,
    pub output_tokens: Option<f64>,
    pub cost: Option<f64>,
    /// It is the recorded answer, word for word.
    pub is_same: bool,
    /// From the recorded answer to this one, line by line; `-` was recorded, `+` came.
    pub difference: Vec<String>,
    /// Answers of this model whose reports are kept, with this one; 0 without `--db`.
    pub measured_calls: u32,
    /// What happened, what was kept, what to do.
    pub failure: Option<String>,
}

/// What is asked of a replay.
#[derive(Debug, Clone)]
pub struct ReplayChoice {
    pub call: u32,
    /// The name of an endpoint.
    pub endpoint: String,
    pub model: Option<String>,
    /// Sends it; otherwise only shows what would be sent.
    pub is_sent: bool,
}

/// Sends a call of a source's only session, or of the one called `session`, again. `before` sees the request with its
/// price before it is sent, `stream` the answer as it comes.
pub fn replay(
    source: &Source,
    session: Option<&str>,
    choice: &ReplayChoice,
    watch: &dyn Watch,
    before: &mut dyn FnMut(&ReplayReport),
    stream: &mut (dyn FnMut(&str) + Send),
    runtime: &Handle,
) -> Result<ReplayReport, AppError> {
    let (subject, diagnostics) = source.read_one(session, watch)?;
    let tables = source.tables()?;
    let Compiled { analysis, caches, .. } = subject.compiled(subject.n_calls(), &tables, watch)?;
    let missing = || {
        let last = subject.n_calls();
        AppError::not_found(format!("C{} is not in this session. Its last call is C{last}.", choice.call))
    };
    let call = analysis.call(choice.call).ok_or_else(missing)?;
    let recorded = subject.experiment.call(choice.call).ok_or_else(missing)?;
    let access = ModelAccess::open(source.database.as_deref(), runtime)?;
    let found = access.find(&choice.endpoint)?;
    let model =
        choice.model.clone().or_else(|| found.model.clone()).unwrap_or_else(|| call.model.to_string());
    let cached = caches.call(choice.call).map_or(0, CallCache::found_of_known);
    let sent = {
        let store = access.locked();
        let asked = (model, &call.request, cached);
        SentAgain::of(&subject.experiment, choice.call, asked, &tables.counting, store.as_deref())
    };
    let sent = sent.ok_or_else(missing)?;
    let (target, body) = sent.as_sent(&found.server);
    let mut report = ReplayReport {
        version: VERSION,
        session: subject.id.clone(),
        call: choice.call,
        agent: recorded.invocation.agent.to_string(),
        endpoint: found.server.name.clone(),
        target,
        body,
        predicted_tokens: sent.predicted.tokens,
        predicted_low: sent.predicted.low,
        predicted_high: sent.predicted.high,
        predicted_basis: sent.predicted.basis.name(),
        predicted_cached_tokens: cached,
        estimated_cost: sent.estimated_cost(&tables.prices),
        model: sent.model.clone(),
        recorded: sent.recorded.clone(),
        answer: None,
        diagnostics,
    };
    before(&report);
    if !choice.is_sent {
        return Ok(report);
    }
    let mut shown = sent.begun();
    watch.begins(Step::Asking(&found.server.name));
    watch.progress(0, 1);
    let connections = &access.models.connections;
    let asked =
        connections.ask(&found.server, &sent.model, &sent.request, None, watch.stop(), &mut |progress| {
            if let Progress::Delta(strata_wire::Delta::Text(text)) = &progress {
                stream(text);
            }
            shown.take(progress);
        });
    let asked = asked.map_err(|error| access.with_hint(error))?;
    match asked {
        Ok(answer) => {
            shown.end(&answer, &sent, &tables.prices);
            if let Some(mut store) = access.locked() {
                shown.measured_calls = sent.measured(&answer, &mut store);
            }
        }
        Err(error) => {
            if let Some(partial) = error.partial.as_deref() {
                shown.end(partial, &sent, &tables.prices);
            }
            shown.failure = Some(error.message);
        }
    }
    report.answer = Some(AnswerReport {
        is_same: shown.failure.is_none() && shown.answer.trim() == report.recorded.trim(),
        difference: shown.difference.iter().map(signed).collect(),
        measured_calls: shown.measured_calls,
        text: shown.answer,
        finish: shown.finish,
        reported_tokens: shown.reported_tokens,
        reported_cached_tokens: shown.reported_cached_tokens,
        output_tokens: shown.output_tokens,
        cost: shown.cost_usd,
        failure: shown.failure,
    });
    Ok(report)
}

fn signed(line: &DiffLine) -> String {
    let sign = match line.sign {
        DiffSign::Same => ' ',
        DiffSign::Added => '+',
        DiffSign::Removed => '-',
    };
    let text: String = line.runs.iter().map(|run| &*run.text).collect();
    format!("{sign} {text}")
}
