//! Budgets and baselines: what was checked, and what broke them.

use strata_app::counted;
use strata_app::report::{Amount, BudgetFailure, BudgetReport, CheckReport, CheckedSession};

use super::fields::Fields;
use super::number::{count, dollars};
use super::table::{Align, Table};
use super::{Style, bill, growth};

pub(crate) fn check(report: &CheckReport, style: Style) -> String {
    let mut text = match &report.sessions[..] {
        [only] => session(report, only, true, style),
        sessions => {
            let mut text = run(report, style);
            for one in sessions {
                text += &format!("\n{}", session(report, one, false, style));
            }
            text
        }
    };
    if let Some(baseline) = &report.baseline {
        text += &format!("\n{}", growth::baseline(baseline, style));
    }
    if let Some(file) = &report.baseline_written {
        let sessions = counted(report.sessions.len(), "session");
        text += &format!("\nThe figures of {sessions} were written to {file}.\n");
    }
    text
}

/// All sessions together.
fn run(report: &CheckReport, style: Style) -> String {
    let mut head = Fields::under(&heading(&report.budgets), style);
    let n_failed = report.sessions.iter().filter(|session| !session.passed).count();
    let sessions = counted(report.sessions.len(), "session");
    let failed = if n_failed == 0 { "all kept".to_owned() } else { format!("{n_failed} not kept") };
    head.add("sessions", &format!("{sessions}, {failed}"));
    head.add("paid", &format!("{}, {}", bill::heading(&report.bill), bill::paid(&report.bill)));
    if report.repeated_calls > 0 {
        let calls = counted(report.repeated_calls as usize, "call");
        head.add(
            "repeated",
            &format!("{calls} that a session before tells of, too: counted once in what was paid"),
        );
    }
    head.print()
}

/// `2 of 9 budgets broken`.
fn heading(budgets: &[BudgetReport]) -> String {
    let n_broken = budgets.iter().filter(|budget| !budget.passed).count();
    match (budgets.len(), n_broken) {
        (0, _) => "No budget was given".to_owned(),
        (n, 0) => format!("{} kept", counted(n, "budget")),
        (n, broken) => format!("{broken} of {} broken", counted(n, "budget")),
    }
}

/// One session, with the heading of the whole where it is the only one.
fn session(report: &CheckReport, session: &CheckedSession, is_only: bool, style: Style) -> String {
    let budgets: Vec<&BudgetReport> =
        report.budgets.iter().filter(|budget| budget.session == session.session).collect();
    let named = format!("{} ({})", session.title, session.session);
    let mut head = if is_only {
        let mut head = Fields::under(&heading(&report.budgets), style);
        head.add("session", &named);
        head
    } else {
        let mut head = Fields::under(&named, style);
        head.add("file", &session.file);
        head
    };
    let paid = bill::paid(&session.bill);
    head.add("paid", &format!("{}, {paid}", bill::heading_of(&session.bill, &session.app)));
    let mut text = head.print();
    if !budgets.is_empty() {
        text += &format!("\n{}", table(&budgets, style));
    }
    for failure in report.failures.iter().filter(|failure| failure.session == session.session) {
        text.push('\n');
        text += &one(failure, style);
    }
    text
}

fn table(budgets: &[&BudgetReport], style: Style) -> String {
    let mut table = Table::new([
        ("", Align::Left),
        ("budget", Align::Left),
        ("of", Align::Left),
        ("limit", Align::Right),
        ("actual", Align::Right),
    ]);
    for budget in budgets {
        table.row([
            if budget.passed { "kept" } else { "BROKEN" }.to_owned(),
            budget.budget.clone(),
            budget.agent.clone().unwrap_or_else(|| rest(budgets, budget).to_owned()),
            number(&budget.limit, &budget.limit),
            number(&budget.actual, &budget.limit),
        ]);
    }
    table.print(style)
}

/// Whose calls a budget of all is about: a limit of single calls is not that of agents with one of their own.
fn rest(budgets: &[&BudgetReport], budget: &BudgetReport) -> &'static str {
    let is_of_one_call = matches!(&*budget.budget, "max_prompt_tokens" | "max_tool_result_tokens");
    let has_own = |other: &&BudgetReport| other.agent.is_some() && other.budget == budget.budget;
    if is_of_one_call && budgets.iter().any(has_own) { "other agents" } else { "all calls" }
}

fn one(failure: &BudgetFailure, style: Style) -> String {
    let of = failure.agent.as_ref().map_or(String::new(), |agent| format!(" of {agent}"));
    let [actual, limit] = [&failure.actual, &failure.limit].map(|amount| number(amount, &failure.limit));
    let heading = format!("{}{of}: {actual}, limit {limit}", failure.budget);
    let mut fields = Fields::under(&heading, style);
    fields.add("what", &failure.message);
    fields.add("call", &failure.call.map_or(String::new(), |call| format!("C{call}")));
    fields.add("stage", failure.stage.as_deref().unwrap_or_default());
    fields.add("from", failure.origin.as_deref().unwrap_or_default());
    fields.add("cost", &failure.cost.map_or(String::new(), |cost| dollars(Some(cost))));
    fields.print()
}

/// Times are a number where the limit is one.
fn number(of: &Amount, limit: &Amount) -> String {
    match (of, limit) {
        (Amount::Times(times), Amount::Times(_)) => count(*times),
        (of, _) => amount(of),
    }
}

fn amount(amount: &Amount) -> String {
    match amount {
        Amount::Tokens(tokens) => count(*tokens),
        Amount::Dollars(cost) => dollars(Some(*cost)),
        Amount::Share(share) => format!("{:.1} %", share * 100.0),
        Amount::Times(1) => "found".to_owned(),
        Amount::Times(times) => format!("{times} found"),
        Amount::Code(code) => code.clone(),
        Amount::Unknown => "not known".to_owned(),
    }
}
