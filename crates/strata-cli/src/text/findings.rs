//! Findings, one below the other.

use strata_app::counted;
use strata_app::report::{
    Basis, CacheFixReport, CallRange, DiagnosticSeverity, FindingReport, FindingsReport, FixReport,
};

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
    let helps = helps(report);
    if !helps.is_empty() {
        text += &format!("\n{}\n", style.strong("What would help, tried on all calls"));
    }
    for Help { line, notes, .. } in helps {
        text += &format!("  {line}\n");
        for note in notes {
            text += &format!("    {}\n", style.quiet(&note));
        }
    }
    text
}

/// Something that would help, with what orders it.
struct Help {
    cost: f64,
    tokens: i64,
    line: String,
    notes: Vec<String>,
}

/// Edits and other changes in one ranking: the most money first, then the most tokens.
fn helps(report: &FindingsReport) -> Vec<Help> {
    let of_edits = report.fixes.iter().map(|fix| {
        let remedy = fix.remedy.iter();
        let there = remedy.map(|remedy| format!("{}: {} ({})", remedy.place, remedy.text, remedy.source));
        Help {
            cost: fix.saves_cost.unwrap_or(0.0),
            tokens: fix.saves_tokens,
            line: saving(fix),
            notes: there.chain(fix.warnings.iter().cloned()).collect(),
        }
    });
    let others = report.replayed.iter().map(|fix| Help {
        cost: fix.saves_cost.unwrap_or(0.0),
        tokens: fix.saves_tokens,
        line: replayed(fix),
        notes: Vec::new(),
    });
    let mut helps: Vec<Help> = of_edits.chain(others).collect();
    helps.sort_by(|a, b| b.cost.total_cmp(&a.cost).then(b.tokens.cmp(&a.tokens)));
    helps
}

/// `Declare the tools of desk in the order of their names: 9,204 tokens less in full, $0.02 less (replayed)`.
fn replayed(fix: &CacheFixReport) -> String {
    format!("{}: {} in full{} (replayed)", fix.title, less(fix.saves_tokens), less_money(fix.saves_cost))
}

/// `Cap rows of search_logs at 20: 139,204 tokens less, $0.08 less (exact)`.
fn saving(fix: &FixReport) -> String {
    let (tokens, cost) = (less(fix.saves_tokens), less_money(fix.saves_cost));
    format!("{}: {tokens}{cost} ({})", fix.title, basis(fix.basis))
}

fn less(tokens: i64) -> String {
    let more_or_less = if tokens < 0 { "more" } else { "less" };
    format!("{} tokens {more_or_less}", count(tokens.unsigned_abs()))
}

fn less_money(dollars_less: Option<f64>) -> String {
    match dollars_less {
        Some(cost) if cost >= 0.0 => format!(", {} less", dollars(Some(cost))),
        Some(cost) => format!(", {} more", dollars(Some(-cost))),
        None => String::new(),
    }
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
        fields.add("fix", &replayed(fix));
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
