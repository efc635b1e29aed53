//! Experiments in forms for elsewhere.

mod python;

use strata_engine::{Edit, Experiment};
use strata_model::{FromJson as _, json};

use crate::api::common::DiagnosticRow;
use crate::api::experiment::{ExportFormat, Exported};
use crate::edit_file::{EditFile, is_adk};
use crate::error::AppError;

/// What is exported.
pub(crate) struct Subject<'s> {
    pub name: &'s str,
    pub experiment: &'s Experiment,
    /// Those that are laid over the session.
    pub edits: &'s [Edit],
}

pub(crate) fn export(subject: &Subject<'_>, format: ExportFormat) -> Result<Exported, AppError> {
    let stem = file_stem(subject.name);
    let (file, text, diagnostics): (String, String, Vec<DiagnosticRow>) = match format {
        ExportFormat::Json => {
            (format!("{stem}.edits.json"), EditFile::new(subject.name, subject.edits).to_json()?, Vec::new())
        }
        ExportFormat::Yaml => {
            (format!("{stem}.edits.yaml"), EditFile::new(subject.name, subject.edits).to_yaml()?, Vec::new())
        }
        ExportFormat::AdkJson => {
            let app = subject.experiment.app();
            let text = json::to_pretty(&app.to_json()) + "\n";
            (format!("{stem}.app.json"), text, python::beyond_the_app(subject))
        }
        ExportFormat::AdkPython => {
            if !is_adk(subject.experiment.kind()) {
                return Err(AppError::bad_input(
                    "This session is not ADK's: nobody knows the instructions of its agents, so there is no app to write.",
                ));
            }
            let (text, diagnostics) = python::module(subject);
            (format!("{stem}.py"), text, diagnostics)
        }
    };
    Ok(Exported { file, text, diagnostics })
}

fn file_stem(name: &str) -> String {
    let stem: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    let stem = stem.trim_matches('_').to_owned();
    if stem.is_empty() { "experiment".to_owned() } else { stem.chars().take(60).collect() }
}
