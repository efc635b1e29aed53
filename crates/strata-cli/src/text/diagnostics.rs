//! Findings, one a line.

use strata_app::report::{DiagnosticSeverity, FileDiagnostic};

use super::Style;

/// `warning: what happened (file, line 12)`.
pub(crate) fn diagnostics(diagnostics: &[FileDiagnostic], style: Style) -> String {
    let mut text = String::new();
    for FileDiagnostic { severity, message, file, at, .. } in diagnostics {
        let severity = match severity {
            DiagnosticSeverity::Error => style.error("error:"),
            DiagnosticSeverity::Warning => style.warning("warning:"),
            DiagnosticSeverity::Info => style.quiet("note:"),
        };
        let places: Vec<&str> = [&**file, &**at].into_iter().filter(|place| !place.is_empty()).collect();
        text += &format!("{severity} {message}");
        if !places.is_empty() {
            text += &style.quiet(&format!(" ({})", places.join(", ")));
        }
        text.push('\n');
    }
    text
}
