//! `strata show`: the sessions of a source in numbers.

use serde::Serialize;
use strata_engine::Call;
use strata_import::marks;

use super::app::AppReport;
use super::compiled::Compiled;
use super::diagnostic::FileDiagnostic;
use super::session::SessionReport;
use super::source::{Read, Source, Subject};
use super::{VERSION, Watch};
use crate::api::common::{Basis, Bill};
use crate::error::AppError;
use crate::show::explanations;
use crate::tables::Tables;

/// The document of `strata show`.
#[derive(Debug, Clone, Serialize)]
pub struct ShowReport {
    pub version: u32,
    pub sessions: Vec<ShownSession>,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// A session with what its prompts come to.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownSession {
    #[serde(flatten)]
    pub session: SessionReport,
    pub app: AppReport,
    /// Absent when the session has no calls.
    pub tokens: Option<SessionTokens>,
    /// Calls of which it is recorded what was really sent.
    pub recorded_requests: u32,
}

/// Our count of all prompts of a session.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionTokens {
    /// C1 to so many. Calls of sub-agents that the file relays are among them.
    pub calls: u32,
    /// Of these, calls of sub-agents that the file repeats from theirs.
    pub relayed_calls: u32,
    /// The agents that made them, in order of appearance.
    pub callers: Vec<String>,
    /// What they come to.
    pub bill: Bill,
    /// Our count of what is known of the prompts.
    pub total: u64,
    pub basis: Basis,
    /// The largest prompt as its provider counts it, and the call that sent it.
    pub largest: u32,
    pub largest_basis: Basis,
    pub largest_call: u32,
    /// What the counts rest on, a sentence for each tokenizer.
    pub explanations: Vec<String>,
}

/// Reads a source and describes its sessions.
pub fn show(source: &Source, watch: &dyn Watch) -> Result<ShowReport, AppError> {
    let Read { subjects, mut diagnostics } = source.read(watch)?;
    let tables = source.tables()?;
    let mut sessions = Vec::with_capacity(subjects.len());
    for subject in subjects {
        let subject = source.laid(subject, Some(&tables), &mut diagnostics)?;
        sessions.push(ShownSession {
            session: (&subject).into(),
            app: (&subject.app).into(),
            tokens: session_tokens(&subject, &tables, watch)?,
            recorded_requests: subject.experiment.n_recorded_requests() as u32,
        });
    }
    Ok(ShowReport { version: VERSION, sessions, diagnostics })
}

fn session_tokens(
    subject: &Subject,
    tables: &Tables,
    watch: &dyn Watch,
) -> Result<Option<SessionTokens>, AppError> {
    let Compiled { analysis, caches, .. } = subject.compiled(subject.n_calls(), tables, watch)?;
    let bill = caches.bill();
    let calls = analysis.calls();
    let mut callers: Vec<String> = Vec::new();
    for call in &caches.calls {
        if callers.iter().all(|known| **known != *call.agent) {
            callers.push(call.agent.to_string());
        }
    }
    let experiment = &subject.experiment;
    let is_relayed = |call: &&Call| {
        let answer = experiment.session().events.get(call.answer.as_usize());
        answer.is_some_and(|answer| marks::is_relayed(answer))
    };
    Ok(caches.largest().map(|largest| SessionTokens {
        calls: calls.len() as u32,
        relayed_calls: experiment.calls().iter().filter(is_relayed).count() as u32,
        callers,
        total: bill.counted_tokens,
        basis: bill.counted_basis.into(),
        bill: bill.into(),
        largest: largest.bill.prompt_tokens,
        largest_basis: largest.bill.basis.into(),
        largest_call: largest.call,
        explanations: explanations(analysis.tokenizers()),
    }))
}
