//! A run beside its baseline: what grew, by cause.

use strata_app::report::{AgentGrowth, Amount, BaselineReport, Basis, GrownCause, SessionGrowth};
use strata_app::{counted, listed};

use super::Style;
use super::fields::Fields;
use super::number::{count, difference, dollars, tokens};
use super::table::{Align, Table};

/// Causes of an agent that are shown.
const MAX_CAUSES: usize = 8;

pub(super) fn baseline(report: &BaselineReport, style: Style) -> String {
    let n_failed = report.sessions.iter().filter(|growth| has_failed(growth, report)).count();
    let sessions = counted(report.sessions.len(), "session");
    let allowed = match report.allowed_growth {
        0.0 => String::new(),
        allowed => format!(", {:.1} % more allowed", allowed * 100.0),
    };
    let file = &report.file;
    let heading = match (report.sessions.len(), n_failed) {
        (0, _) => format!("Nothing compared with {file}"),
        (1, 0) => format!("{sessions} is no worse than in {file}{allowed}"),
        (_, 0) => format!("{sessions} are no worse than in {file}{allowed}"),
        (_, 1) => format!("1 of {sessions} is worse than in {file}{allowed}"),
        (_, n) => format!("{n} of {sessions} are worse than in {file}{allowed}"),
    };
    let mut head = Fields::under(&heading, style);
    if !report.is_of_this_version {
        let written_by = &report.written_by;
        head.add(
            "note",
            &format!("It was written by Strata {written_by}, whose prices and counts may be others."),
        );
    }
    head.add("missing", &alone(&report.only_in_baseline, "in the baseline, and not in this run"));
    head.add("new", &alone(&report.only_in_run, "not in the baseline, and compared with nothing"));
    let mut text = head.print();
    for growth in &report.sessions {
        text += &session(growth, has_failed(growth, report), report, style);
    }
    for failure in report.failures.iter().filter(|failure| failure.session.is_none()) {
        text += &format!("\n{} {}\n", style.error("BROKEN"), failure.message);
    }
    text
}

fn has_failed(growth: &SessionGrowth, report: &BaselineReport) -> bool {
    report.failures.iter().any(|failure| failure.session.as_deref() == Some(&*growth.session))
}

fn alone(titles: &[String], what: &str) -> String {
    if titles.is_empty() { String::new() } else { format!("{}: {what}", listed(titles)) }
}

fn session(growth: &SessionGrowth, failed: bool, report: &BaselineReport, style: Style) -> String {
    if !failed && growth.notes.is_empty() && growth.agents.iter().all(|agent| agent.causes.is_empty()) {
        return String::new();
    }
    let mut head = Fields::under(&format!("{} ({})", growth.title, growth.session), style);
    for note in &growth.notes {
        head.add("note", note);
    }
    let mut text = format!("\n{}", head.print());
    if growth.agents.iter().any(|agent| agent.figures.iter().any(|figure| figure.before != figure.after)) {
        text += &format!("\n{}", figures(&growth.agents, style));
    }
    for agent in growth.agents.iter().filter(|agent| !agent.causes.is_empty()) {
        text += &format!("\n{}", causes(agent, style));
    }
    for failure in report
        .failures
        .iter()
        .filter(|failure| failure.session.as_deref() == Some(&*growth.session) && failure.code != "grown")
    {
        let mut fields = Fields::under(&failure_heading(failure.code, failure.agent.as_deref()), style);
        fields.add("what", &failure.message);
        fields.add("call", &failure.call.map_or(String::new(), |call| format!("C{call}")));
        text += &format!("\n{}", fields.print());
    }
    text
}

fn failure_heading(code: &str, agent: Option<&str>) -> String {
    let what = match code {
        "new-break" => "New break",
        "new-finding" => "New finding",
        "not-comparable" => "Not comparable",
        other => other,
    };
    agent.map_or_else(|| what.to_owned(), |agent| format!("{what} of {agent}"))
}

/// Figures that are others now.
fn figures(agents: &[AgentGrowth], style: Style) -> String {
    let mut table = Table::new([
        ("", Align::Left),
        ("agent", Align::Left),
        ("figure", Align::Left),
        ("baseline", Align::Right),
        ("now", Align::Right),
        ("more", Align::Right),
    ]);
    for agent in agents {
        for figure in agent.figures.iter().filter(|figure| figure.before != figure.after) {
            table.row([
                if figure.has_grown { "GREW" } else { "" }.to_owned(),
                agent.agent.clone(),
                figure.name().to_owned(),
                amount(&figure.before, agent.basis),
                amount(&figure.after, agent.basis),
                figure.share().unwrap_or_default(),
            ]);
        }
    }
    table.print(style)
}

fn causes(agent: &AgentGrowth, style: Style) -> String {
    let mut table = Table::new([
        ("cause", Align::Left),
        ("tokens", Align::Right),
        ("in one call", Align::Right),
        ("most in", Align::Left),
    ]);
    let shown = &agent.causes[..agent.causes.len().min(MAX_CAUSES)];
    for cause in shown {
        table.row([
            cause.title.clone(),
            format!("{}{}", agent.basis.mark(), difference(cause.tokens)),
            sizes(cause),
            cause.call.map_or(String::new(), |call| format!("C{call}")),
        ]);
    }
    let more = agent.causes.len() - shown.len();
    if more > 0 {
        table.quiet_line(format!("and {more} more; --json has all"));
    }
    let sum = agent.causes.iter().map(|cause| cause.tokens).sum::<i64>();
    table.row([
        "all causes".to_owned(),
        format!("{}{}", agent.basis.mark(), difference(sum)),
        String::new(),
        String::new(),
    ]);
    format!(
        "{}\n{}",
        style.strong(&format!("What makes the difference for {}", agent.agent)),
        table.print(style)
    )
}

/// `301 → 903`.
fn sizes(cause: &GrownCause) -> String {
    match (cause.largest_before, cause.largest_after) {
        (was, now) if was == now => String::new(),
        (was, now) => format!("{} → {}", count(was), count(now)),
    }
}

fn amount(amount: &Amount, basis: Basis) -> String {
    match amount {
        Amount::Tokens(number) => tokens(*number, basis),
        Amount::Dollars(cost) => dollars(Some(*cost)),
        Amount::Times(times) => count(*times),
        _ => "not known".to_owned(),
    }
}
