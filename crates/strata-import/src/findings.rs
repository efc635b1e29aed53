//! Collecting diagnostics so that a file with a hundred thousand odd lines gives a handful of them.

use std::collections::BTreeMap;

use strata_model::{Decoder, Diagnostic, Severity};

use crate::format::Format;

/// Different messages of one code that are kept; more are only counted.
const MAX_MESSAGES: usize = 20;

/// Diagnostics of one import, equal ones folded into the first with a count.
#[derive(Debug, Clone, Default)]
pub(crate) struct Findings {
    found: Vec<Finding>,
    by_code: BTreeMap<&'static str, Code>,
}

#[derive(Debug, Clone)]
struct Finding {
    diagnostic: Diagnostic,
    count: usize,
}

#[derive(Debug, Clone, Default)]
struct Code {
    /// Indices into `found`.
    kept: Vec<usize>,
    left_out: usize,
    worst_left_out: Option<Severity>,
}

/// How messages say that a source was read as far as it could be.
const KEPT: [&str; 3] =
    ["everything before it was kept", "what is complete before that was kept", "what was read was kept"];

impl Findings {
    /// Takes back, of a source that gave no session, that something of it was kept. That it breaks off is why, then.
    pub(crate) fn nothing_was_kept(&mut self) {
        if self.by_code.contains_key("truncated") {
            self.found.retain(|finding| finding.diagnostic.code != "no-session");
            self.by_code.values_mut().for_each(|code| code.kept.clear());
        }
        for finding in &mut self.found {
            if finding.diagnostic.code == "truncated" {
                finding.diagnostic.severity = Severity::Error;
            }
            let message = &mut finding.diagnostic.message;
            for claim in KEPT {
                *message = message.replace(claim, "nothing before it is a session, so nothing was kept");
            }
        }
    }

    /// Says of the conversations of a source how many are empty.
    pub(crate) fn empty_sessions(&mut self, n_empty: u64) {
        if n_empty > 0 {
            let message = format!("{n_empty} conversations hold no messages; they were left out");
            self.info("empty-session", "", message);
        }
    }

    /// Says that there is nothing to show of a source of this format.
    pub(crate) fn no_session(&mut self, format: Format) {
        let message = format!("this {} holds no messages; there is no session to show", format.name());
        self.error("no-session", "", message);
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.report_all(Finding { diagnostic, count: 1 });
    }

    fn report_all(&mut self, finding: Finding) {
        let Finding { diagnostic, count } = &finding;
        let code = self.by_code.entry(diagnostic.code).or_default();
        let known = code.kept.iter().find(|at| self.found[**at].diagnostic.message == diagnostic.message);
        if let Some(at) = known {
            self.found[*at].count += count;
        } else if code.kept.len() < MAX_MESSAGES {
            code.kept.push(self.found.len());
            self.found.push(finding);
        } else {
            code.left_out += count;
            code.worst_left_out = code.worst_left_out.max(Some(diagnostic.severity));
        }
    }

    /// Takes over what was found elsewhere, as if it had been reported here.
    pub(crate) fn append(&mut self, other: Self) {
        for finding in other.found {
            self.report_all(finding);
        }
        for (code, more) in other.by_code {
            let code = self.by_code.entry(code).or_default();
            code.left_out += more.left_out;
            code.worst_left_out = code.worst_left_out.max(more.worst_left_out);
        }
    }

    /// Where each finding points.
    pub(crate) fn places_mut(&mut self) -> impl Iterator<Item = &mut String> {
        self.found.iter_mut().map(|finding| &mut finding.diagnostic.at)
    }

    pub(crate) fn error(&mut self, code: &'static str, at: impl Into<String>, message: impl Into<String>) {
        self.report(Diagnostic::error(code, at, message));
    }

    pub(crate) fn warning(&mut self, code: &'static str, at: impl Into<String>, message: impl Into<String>) {
        self.report(Diagnostic::warning(code, at, message));
    }

    pub(crate) fn info(&mut self, code: &'static str, at: impl Into<String>, message: impl Into<String>) {
        self.report(Diagnostic::info(code, at, message));
    }

    /// Takes over what a decoder found, with `place` before each path.
    pub(crate) fn take_from(&mut self, decoder: &mut Decoder, place: &str) {
        for mut diagnostic in decoder.take_diagnostics() {
            if !place.is_empty() {
                diagnostic.at = format!("{place}: {}", diagnostic.at);
            }
            self.report(diagnostic);
        }
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.found.iter().any(|finding| finding.diagnostic.severity == Severity::Error)
    }

    /// In the order they were first seen.
    pub(crate) fn into_diagnostics(self) -> Vec<Diagnostic> {
        let mut diagnostics: Vec<_> = self.found.into_iter().map(Finding::told).collect();
        for (code, more) in self.by_code {
            if let Some(severity) = more.worst_left_out {
                let message = format!("{} more findings of this kind are not listed", more.left_out);
                diagnostics.push(Diagnostic { severity, code, message, at: String::new() });
            }
        }
        diagnostics
    }
}

impl Finding {
    fn told(mut self) -> Diagnostic {
        if self.count > 1 {
            self.diagnostic.message += &format!(" ({} times; the place is that of the first)", self.count);
        }
        self.diagnostic
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_findings_are_folded_and_endless_ones_counted() {
        let mut findings = Findings::default();
        for line in 1..=1000 {
            findings.warning("same", format!("line {line}"), "a broken line");
            findings.warning("other", format!("line {line}"), format!("message {line}"));
        }
        let diagnostics = findings.into_diagnostics();
        assert_eq!(diagnostics.len(), 1 + MAX_MESSAGES + 1);
        assert_eq!(diagnostics[0].message, "a broken line (1000 times; the place is that of the first)");
        assert_eq!(diagnostics[0].at, "line 1");
        assert_eq!(diagnostics.last().unwrap().message, "980 more findings of this kind are not listed");
    }
}
