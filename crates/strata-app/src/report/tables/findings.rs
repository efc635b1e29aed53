//! The table of findings.

use strata_parquet::Form::{Integer, Number, Text};
use strata_parquet::{Column, ParquetError, TableFile};

use super::super::findings::FindingsReport;
use super::said::{Of, Said};
use crate::api::common::DiagnosticSeverity;

pub(super) const COLUMNS: &[Column] = &[
    Column::new("source", Text, "as in `calls`"),
    Column::new("session_id", Text, "as in `calls`"),
    Column::new("code", Text, "what was found, as in the list of findings"),
    Column::new("kind", Text, "`bloat`, `prefix`, `loss` or `trap`"),
    Column::new("severity", Text, "`info`, `warning` or `error`"),
    Column::new("title", Text, "the same in words"),
    Column::new("message", Text, "what happened in this session and why"),
    Column::new("advice", Text, "what to change"),
    Column::new("tokens", Integer, "what it came to over the session; 0 where that cannot be told in tokens"),
    Column::optional("cost_usd", Number, "US dollars; those of several findings may overlap"),
    Column::new("n_calls", Integer, "calls it is about"),
    Column::optional("first_call", Integer, "the first of them"),
    Column::optional("last_call", Integer, "the last of them"),
    Column::new("origins", Text, "the parts it is about, one behind the other with a space between"),
    Column::optional("fix", Text, "the edit that saves most, tried on all calls"),
    Column::optional("fix_saves_tokens", Integer, "tokens that it would save over the session"),
    Column::optional("fix_saves_usd", Number, "US dollars that it would save"),
    Column::optional("fix_basis", Text, "what these rest on"),
];

pub(super) fn write(
    file: &mut TableFile,
    of: &Of,
    found: &FindingsReport,
    said: &Said,
) -> Result<(), ParquetError> {
    for finding in &found.findings {
        let fix = finding.fix.as_ref();
        let severity = match finding.severity {
            DiagnosticSeverity::Info => "info",
            DiagnosticSeverity::Warning => "warning",
            DiagnosticSeverity::Error => "error",
        };
        file.row([
            of.source.clone().into(),
            of.session_id.clone().into(),
            finding.code.clone().into(),
            finding.kind.into(),
            severity.into(),
            said.text(&finding.title).into(),
            said.text(&finding.message).into(),
            said.text(&finding.advice).into(),
            finding.tokens.into(),
            finding.cost.into(),
            (finding.calls.len() as u64).into(),
            finding.calls.first().copied().into(),
            finding.calls.last().copied().into(),
            said.text(&finding.origins.join(" ")).into(),
            said.optional(fix.map(|fix| &*fix.title)).into(),
            fix.map(|fix| fix.saves_tokens).into(),
            fix.and_then(|fix| fix.saves_cost).into(),
            fix.map(|fix| fix.basis.name()).into(),
        ])?;
    }
    Ok(())
}
