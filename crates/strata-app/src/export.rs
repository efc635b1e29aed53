//! Experiments in forms for elsewhere.

mod python;
mod subject;

use std::collections::BTreeMap;

use strata_import::marks::RECORDED_REQUESTS;
use strata_model::{FromJson as _, Json, Object, json, secret};
use strata_store::RecordedRequest;

use crate::api::common::{DiagnosticRow, DiagnosticSeverity};
use crate::api::experiment::{ExportFormat, Exported};
use crate::edit_file::{EditFile, is_adk};
use crate::error::AppError;
use crate::show::words;
pub(crate) use subject::Subject;

/// `masks_secrets` puts a mask in place of each secret, and says how many there were.
pub(crate) fn export(
    subject: &Subject<'_>,
    format: ExportFormat,
    masks_secrets: bool,
) -> Result<Exported, AppError> {
    let stem = file_stem(subject.name);
    let (file, text, mut diagnostics): (String, String, Vec<DiagnosticRow>) = match format {
        ExportFormat::Session => {
            (format!("{stem}.session.json"), session(subject), beside_the_session(subject))
        }
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
        ExportFormat::Patch => {
            if !is_adk(subject.experiment.kind()) {
                return Err(AppError::bad_input(
                    "This session is not ADK's: there is no google-adk app whose code could be patched. Export the edits as JSON or YAML.",
                ));
            }
            let stem = module_name(&stem);
            let (text, diagnostics) = python::patch(subject, &stem)?;
            (format!("{stem}.py"), text, diagnostics)
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
    let masked = if masks_secrets { secret::mask(&text) } else { None };
    let text = match masked {
        Some(masked) => {
            diagnostics.push(mask_row(&masked.kinds));
            masked.text
        }
        None => text,
    };
    Ok(Exported { file, text, diagnostics })
}

/// The session as it was recorded, as ADK saves it.
fn session(subject: &Subject<'_>) -> String {
    let mut saved = subject.experiment.session().to_json();
    if let (Json::Object(saved), false) = (&mut saved, subject.requests.is_empty()) {
        saved.push(RECORDED_REQUESTS, subject.requests.iter().map(request).collect::<Vec<_>>());
    }
    json::to_pretty(&saved) + "\n"
}

fn request(request: &RecordedRequest) -> Json {
    let count = |n: u32| Json::Int(n.into());
    let strata_store::Alignment { shared, appended, removed, rewritten } = request.alignment;
    let mut saved = Object::new();
    saved.push("answer", request.answer.map_or(Json::Null, count));
    saved.push("body", request.body.clone());
    for (name, n) in
        [("shared", shared), ("appended", appended), ("removed", removed), ("rewritten", rewritten)]
    {
        saved.push(name, count(n));
    }
    Json::Object(saved)
}

fn beside_the_session(subject: &Subject<'_>) -> Vec<DiagnosticRow> {
    if subject.edits.is_empty() {
        return Vec::new();
    }
    let message =
        "This is the session as it was recorded: the edits are not in it. Export them as JSON or YAML.";
    vec![row("edits-left-out", message.to_owned())]
}

/// How many secrets were masked, and of which kinds.
fn mask_row(kinds: &[&'static str]) -> DiagnosticRow {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for kind in kinds {
        *counts.entry(kind).or_default() += 1;
    }
    let of_kinds: Vec<String> = counts.iter().map(|(kind, count)| format!("{count} × {kind}")).collect();
    let message = format!("{} masked: {}.", words::counted(kinds.len(), "secret"), of_kinds.join(", "));
    row("masked-secrets", message)
}

fn row(code: &str, message: String) -> DiagnosticRow {
    DiagnosticRow { severity: DiagnosticSeverity::Info, code: code.to_owned(), message, at: String::new() }
}

/// A name that Python can import and that is not the app's own.
fn module_name(stem: &str) -> String {
    let is_number = stem.starts_with(|first: char| first.is_ascii_digit());
    format!("{}{stem}_patch", if is_number { "experiment_" } else { "" })
}

fn file_stem(name: &str) -> String {
    let stem: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect();
    let stem = stem.trim_matches('_').to_owned();
    if stem.is_empty() { "experiment".to_owned() } else { stem.chars().take(60).collect() }
}
