//! What a person should know about a file.

use serde::Serialize;

use crate::api::common::{DiagnosticRow, DiagnosticSeverity};
use crate::error::sentence;
use crate::import::Finding;

/// Something about a file, and what was done about it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileDiagnostic {
    pub severity: DiagnosticSeverity,
    pub code: String,
    pub message: String,
    /// As it was named.
    pub file: String,
    /// Line, byte or field in the file, if it is about a place.
    pub at: String,
}

impl FileDiagnostic {
    pub(crate) fn new(file: &str, row: DiagnosticRow) -> Self {
        let DiagnosticRow { severity, code, message, at } = row;
        Self { severity, code, message: sentence(&message), file: file.to_owned(), at }
    }
}

impl From<FileDiagnostic> for DiagnosticRow {
    fn from(diagnostic: FileDiagnostic) -> Self {
        let FileDiagnostic { severity, code, message, at, .. } = diagnostic;
        Self { severity, code, message, at }
    }
}

impl From<&Finding> for FileDiagnostic {
    fn from(finding: &Finding) -> Self {
        let file = finding.path.display().to_string();
        // The name of a file keeps its own first letter.
        let is_sentence = finding.message.starts_with(&file);
        Self {
            severity: finding.severity.into(),
            code: finding.code.clone(),
            message: if is_sentence { finding.message.clone() } else { sentence(&finding.message) },
            file,
            at: finding.at.clone(),
        }
    }
}
