//! `strata replay`: a call sent again, beside what was recorded.

use serde::Serialize;
use strata_provider::{CallErrorKind, Progress};
use tokio::runtime::Handle;

use super::compiled::Compiled;
use super::diagnostic::FileDiagnostic;
use super::model_access::ModelAccess;
use super::source::Source;
use super::{VERSION, Watch};
use crate::api::part::{DiffLine, DiffSign};
use crate::error::AppError;
use crate::lab::{SendingAgain, SentAgain};
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
    /// The server itself counted them.
    pub is_counted_by_server: bool,
    /// By what was sent to this server from here, and its rule.
    pub predicted_cached_tokens: u32,
    /// "exact" in the server's own tokens, "estimated" by our count.
    pub predicted_cached_basis: &'static str,
    /// Seconds until the first token, by how fast this server was; absent as long as it was not asked.
    pub predicted_first_token_s: Option<f64>,
    /// The rule, and on what it rests, in a sentence.
    pub cache_said: String,
    /// The longest prompt with its answer that the model takes, where that is known.
    pub context_tokens: Option<u32>,
    /// Why it is not sent as it is, and what to do.
    pub problem: Option<String>,
    /// Pictures and files in the prompt.
    pub pictures: u32,
    /// US dollars, with an answer as long as the recorded one.
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
    /// Seconds until the first token.
    pub first_token_s: Option<f64>,
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
    /// Pictures and files give way to a word.
    pub without_pictures: bool,
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
    let Compiled { analysis, .. } = subject.compiled(subject.n_calls(), &tables, watch)?;
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
    let sending = SendingAgain {
        found: &found,
        models: &access.models,
        counting: &tables.counting,
        prices: &tables.prices,
        store: access.store.as_ref(),
        without_pictures: choice.without_pictures,
        stop: watch.stop(),
    };
    let sent = SentAgain::of(&subject.experiment, choice.call, (model, &call.request), &sending)?;
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
        is_counted_by_server: sent.is_counted_by_server(),
        predicted_cached_tokens: sent.foreseen.cached.tokens,
        predicted_cached_basis: sent.foreseen.cached.basis.name(),
        predicted_first_token_s: sent.first_token_s(),
        cache_said: sent.cache_said(),
        context_tokens: sent.known.context_tokens,
        problem: sent.problem(),
        pictures: sent.pictures,
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
    if let Some(problem) = &report.problem {
        return Err(AppError::bad_input(problem.clone()));
    }
    let mut shown = sent.begun();
    watch.begins(Step::Asking(&found.server.name));
    watch.progress(0, 1);
    let asker = access.asker(&found, &tables, watch.stop());
    let asked = asker.ask((&sent.model, &sent.known), sent.shaped(), None, &mut |progress| {
        if let Progress::Delta(strata_wire::Delta::Text(text)) = &progress {
            stream(text);
        }
        shown.take(progress);
    });
    let (asked, _) = asked.map_err(|error| access.with_hint(error))?;
    shown.first_token_s = asked.first_token.map(|took| took.as_secs_f64());
    match asked.answer {
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
            let hint = match error.kind {
                CallErrorKind::PictureRefused => {
                    " With --without-pictures it is sent with a word in place of each."
                }
                _ => "",
            };
            shown.failure = Some(error.message + hint);
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
        first_token_s: shown.first_token_s,
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
