//! `strata export`: an experiment in a form for elsewhere.

use super::Watch;
use super::diagnostic::FileDiagnostic;
use super::source::Source;
use crate::api::experiment::ExportFormat;
use crate::error::AppError;
use crate::export::{Subject, export as exported};

/// What an export comes to: a text for a file, and what the form cannot hold.
#[derive(Debug, Clone)]
pub struct ExportReport {
    /// A name for the file.
    pub file: String,
    pub text: String,
    pub diagnostics: Vec<FileDiagnostic>,
}

/// Exports a source's only session, or the one called `session`, with the edits laid over it. `masks_secrets` puts a
/// mask in place of each key, token and password, and says how many there were.
pub fn export(
    source: &Source,
    session: Option<&str>,
    format: ExportFormat,
    masks_secrets: bool,
    watch: &dyn Watch,
) -> Result<ExportReport, AppError> {
    let (subject, mut diagnostics) = source.read_one(session, watch)?;
    let made = exported(
        &Subject {
            name: &subject.title,
            experiment: &subject.experiment,
            is_inferred: subject.app.is_inferred,
            edits: &subject.edits,
            requests: &subject.requests,
        },
        format,
        masks_secrets,
    )?;
    diagnostics.extend(made.diagnostics.into_iter().map(|row| FileDiagnostic::new("", row)));
    Ok(ExportReport { file: made.file, text: made.text, diagnostics })
}
