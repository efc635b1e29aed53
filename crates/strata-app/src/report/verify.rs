//! `strata tokens --verify`: our counts beside those of another implementation.

use serde::Serialize;
use strata_measure::tokens::{Tokenizer, Verification};

use super::diagnostic::FileDiagnostic;
use super::source::Source;
use super::{VERSION, Watch};
use crate::api::verification;
use crate::error::AppError;
use crate::show;

/// The document of `strata tokens --verify`.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VerifyReport {
    pub version: u32,
    pub session: String,
    /// Of the session.
    pub title: String,
    /// In the order of their first calls.
    pub models: Vec<ModelVerification>,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// All prompts to one model.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelVerification {
    pub model: String,
    #[serde(flatten)]
    pub verification: verification::Verification,
}

/// Asks about every text of every prompt, each once.
pub fn verify(source: &Source, session: Option<&str>, watch: &dyn Watch) -> Result<VerifyReport, AppError> {
    let (subject, diagnostics) = source.read_one(session, watch)?;
    let tables = source.tables()?;
    let compiled = subject.compiled(subject.n_calls(), &tables, watch)?;
    let mut asked: Vec<(String, Tokenizer, Verification)> = Vec::new();
    for call in compiled.analysis.calls() {
        let Some(scale) = compiled.analysis.scale(&subject.experiment, &tables.counting, &call.model) else {
            continue;
        };
        let at = asked.iter().position(|(model, ..)| **model == *call.model).unwrap_or_else(|| {
            let tokenizer = compiled.analysis.tokenizer(&call.model).cloned();
            let tokenizer = tokenizer.unwrap_or_else(|| tables.counting.tokenizer(&call.model));
            let verification = Verification::new(tokenizer.vocabulary());
            asked.push((call.model.to_string(), tokenizer, verification));
            asked.len() - 1
        });
        let verification = &mut asked[at].2;
        if verification.has_referee {
            verification.add(&scale.weigher(), call.number, &call.request);
        }
    }
    let models = asked.into_iter().map(|(model, tokenizer, verification)| ModelVerification {
        model,
        verification: show::verification(&verification, &tokenizer),
    });
    Ok(VerifyReport {
        version: VERSION,
        session: subject.id.clone(),
        title: subject.title.clone(),
        models: models.collect(),
        diagnostics,
    })
}
