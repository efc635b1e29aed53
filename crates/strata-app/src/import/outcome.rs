//! What came of an import, in words and numbers.

use strata_model::Severity;

use super::imported::{Files, Finding, Imported};
use crate::api::common::DiagnosticRow;
use crate::api::job::{FailedFile, FileCounts, JobState};
use crate::error::sentence;
use crate::show::words::{counted, whole};

/// How an import ended, and what came of it in one line.
pub(crate) fn outcome(imported: &Imported) -> (JobState, String) {
    if imported.is_of_files() && !imported.sessions.is_empty() {
        let counts = in_words(&imported.files);
        return if imported.is_stopped {
            (JobState::Cancelled, format!("Stopped: {counts}. What is stored stays."))
        } else {
            (JobState::Done, format!("{}: {counts}.", sessions_text(imported.sessions.len())))
        };
    }
    let has_failed = !imported.files.failed.is_empty();
    if imported.is_of_files() && has_failed && !imported.is_stopped {
        return (JobState::Failed, format!("No session was found: {}.", in_words(&imported.files)));
    }
    match (imported.is_stopped, imported.sessions.len(), imported.n_errors()) {
        (true, 0, _) => (JobState::Cancelled, "Stopped. Nothing was imported.".to_owned()),
        (true, n, _) => {
            (JobState::Cancelled, format!("Stopped. {} stored before that stay.", sessions_text(n)))
        }
        (false, 0, 1) => (JobState::Failed, first_error(&imported.findings)),
        (false, 0, _) => (JobState::Failed, "No session was found. Nothing was imported.".to_owned()),
        (false, n, 0) if n == imported.n_unchanged => {
            (JobState::Done, format!("{} already here, unchanged.", sessions_text(n)))
        }
        (false, n, 0) => (JobState::Done, format!("{} imported.", sessions_text(n))),
        (false, n, errors) => {
            let problems = if errors == 1 { "problem" } else { "problems" };
            (JobState::Done, format!("{} imported, {errors} {problems}.", sessions_text(n)))
        }
    }
}

/// "312 files imported, 180 unchanged, 7 without a session, 1 failed".
fn in_words(files: &Files) -> String {
    let Files { n_imported, n_unchanged, left_out, failed } = files;
    let counts = [
        (*n_imported, "imported"),
        (*n_unchanged, "unchanged"),
        (left_out.len(), "without a session"),
        (failed.len(), "failed"),
    ];
    let mut counts = counts.into_iter().filter(|(n, _)| *n > 0);
    let first = counts.next().map(|(n, what)| format!("{} {what}", counted(n, "file")));
    let others = counts.map(|(n, what)| format!("{} {what}", whole(n as i64)));
    first.into_iter().chain(others).collect::<Vec<_>>().join(", ")
}

impl From<&Files> for FileCounts {
    fn from(files: &Files) -> Self {
        let failed = files
            .failed
            .iter()
            .map(|(path, reason)| FailedFile { path: path.display().to_string(), reason: sentence(reason) });
        Self {
            imported: files.n_imported as u32,
            unchanged: files.n_unchanged as u32,
            without_session: files.left_out.len() as u32,
            failed: failed.collect(),
        }
    }
}

fn first_error(findings: &[Finding]) -> String {
    let error = findings.iter().find(|finding| finding.severity == Severity::Error);
    error.map_or(String::new(), |error| format!("{}: {}", error.name, sentence(&error.message)))
}

fn sessions_text(n: usize) -> String {
    if n == 1 { "1 session".to_owned() } else { format!("{n} sessions") }
}

impl From<&Finding> for DiagnosticRow {
    fn from(finding: &Finding) -> Self {
        let Finding { severity, code, message, name, at, .. } = finding;
        Self {
            severity: (*severity).into(),
            code: code.clone(),
            message: message.clone(),
            at: if at.is_empty() { name.clone() } else { format!("{name}: {at}") },
        }
    }
}
