//! Findings, one below the other.

use strata_app::counted;
use strata_app::report::{CallRange, DiagnosticSeverity, FindingReport, FindingsReport};

use super::Style;
use super::fields::Fields;
use super::number::{count, dollars};

/// Ranges of calls that are named.
const MAX_RANGES: usize = 8;
/// Origins that are named.
const MAX_ORIGINS: usize = 8;

pub(crate) fn findings(report: &FindingsReport, style: Style) -> String {
    let mut head = Fields::under(&counted(report.findings.len(), "finding"), style);
    head.add("session", &format!("{} ({})", report.title, report.session));
    if report.app.inferred {
        head.add("app", "inferred from the events: what only its configuration could tell is not looked for");
    }
    let mut text = head.print();
    for finding in &report.findings {
        text.push('\n');
        text += &one(finding, style);
    }
    text
}

fn one(finding: &FindingReport, style: Style) -> String {
    let price = match finding.tokens {
        0 => String::new(),
        tokens => {
            let cost = finding.cost.map_or(String::new(), |cost| format!(", {}", dollars(Some(cost))));
            format!(": {} tokens{cost}", count(tokens))
        }
    };
    let severity = match finding.severity {
        DiagnosticSeverity::Info => "",
        DiagnosticSeverity::Warning => "warning, ",
        DiagnosticSeverity::Error => "error, ",
    };
    let mut fields = Fields::under(&format!("{}{price}", finding.title), style);
    fields.add("code", &format!("{} ({severity}{})", finding.code, finding.kind));
    fields.add("what", &finding.message);
    fields.add("do", &finding.advice);
    fields.add("calls", &calls(&finding.call_ranges));
    fields.add("from", &named(&finding.origins));
    fields.print()
}

fn calls(ranges: &[CallRange]) -> String {
    let range = |range: &CallRange| match (range.from, range.to) {
        (from, to) if from == to => format!("C{from}"),
        (from, to) => format!("C{from}–C{to}"),
    };
    let mut names: Vec<String> = ranges.iter().take(MAX_RANGES).map(range).collect();
    if ranges.len() > MAX_RANGES {
        names.push(format!("and {} more", counted(ranges.len() - MAX_RANGES, "range")));
    }
    names.join(", ")
}

fn named(origins: &[String]) -> String {
    let mut names: Vec<String> = origins.iter().take(MAX_ORIGINS).cloned().collect();
    if origins.len() > MAX_ORIGINS {
        names.push(format!("and {} more", counted(origins.len() - MAX_ORIGINS, "source")));
    }
    names.join(", ")
}
