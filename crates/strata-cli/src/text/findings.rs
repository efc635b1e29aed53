//! Findings, one below the other.

use strata_app::counted;
use strata_app::report::{Basis, CallRange, DiagnosticSeverity, FindingReport, FindingsReport, FixReport};

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
    if !report.fixes.is_empty() {
        text += &format!("\n{}\n", style.strong("What would help, tried on all calls"));
    }
    for fix in &report.fixes {
        text += &format!("  {}\n", saving(fix));
        if let Some(remedy) = &fix.remedy {
            let there = format!("{}: {} ({})", remedy.place, remedy.text, remedy.source);
            text += &format!("    {}\n", style.quiet(&there));
        }
        for warning in &fix.warnings {
            text += &format!("    {}\n", style.quiet(warning));
        }
    }
    text
}

/// `Cap rows of search_logs at 20: 139,204 tokens less, $0.08 less (exact)`.
fn saving(fix: &FixReport) -> String {
    let cost = match fix.saves_cost {
        Some(cost) if cost >= 0.0 => format!(", {} less", dollars(Some(cost))),
        Some(cost) => format!(", {} more", dollars(Some(-cost))),
        None => String::new(),
    };
    let tokens = match u64::try_from(fix.saves_tokens) {
        Ok(less) => format!("{} tokens less", count(less)),
        Err(_) => format!("{} tokens more", count(fix.saves_tokens.unsigned_abs())),
    };
    format!("{}: {tokens}{cost} ({})", fix.title, basis(fix.basis))
}

fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Reported => "reported",
        Basis::Exact => "exact",
        Basis::Calibrated => "calibrated",
        Basis::Estimated => "estimated",
    }
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
    if let Some(remedy) = &finding.remedy {
        fields.add("there", &format!("{}: {} ({})", remedy.place, remedy.text, remedy.source));
    }
    if let Some(fix) = &finding.fix {
        fields.add("fix", &saving(fix));
    }
    if let Some(fix) = &finding.replayed {
        let less = format!("{} tokens less in full", count(fix.saves_tokens.unsigned_abs()));
        let cost = fix.saves_cost.map_or(String::new(), |cost| format!(", {} less", dollars(Some(cost))));
        fields.add("fix", &format!("{}: {less}{cost} (replayed)", fix.title));
    }
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
