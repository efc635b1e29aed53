//! Budgets: what was checked, and what broke them.

use strata_app::counted;
use strata_app::report::{Amount, BudgetFailure, BudgetReport, CheckReport};

use super::fields::Fields;
use super::number::{count, dollars};
use super::table::{Align, Table};
use super::{Style, bill};

pub(crate) fn check(report: &CheckReport, style: Style) -> String {
    let n_broken = report.budgets.iter().filter(|budget| !budget.passed).count();
    let all = counted(report.budgets.len(), "budget");
    let heading = match n_broken {
        0 => format!("{all} kept"),
        n => format!("{n} of {all} broken"),
    };
    let mut head = Fields::under(&heading, style);
    head.add("session", &format!("{} ({})", report.title, report.session));
    head.add(
        "paid",
        &format!("{}, {}", bill::heading_of(&report.bill, &report.app), bill::paid(&report.bill)),
    );
    let mut text = head.print();
    let mut table = Table::new([
        ("", Align::Left),
        ("budget", Align::Left),
        ("of", Align::Left),
        ("limit", Align::Right),
        ("actual", Align::Right),
    ]);
    for budget in &report.budgets {
        table.row([
            if budget.passed { "kept" } else { "BROKEN" }.to_owned(),
            budget.budget.to_owned(),
            budget.agent.clone().unwrap_or_else(|| rest(report, budget).to_owned()),
            amount(&budget.limit),
            amount(&budget.actual),
        ]);
    }
    text += &format!("\n{}", table.print(style));
    for failure in &report.failures {
        text.push('\n');
        text += &one(failure, style);
    }
    text
}

/// Whose calls a budget of all is about: a limit of single calls is not that of agents with one of their own.
fn rest(report: &CheckReport, budget: &BudgetReport) -> &'static str {
    let is_of_one_call = matches!(budget.budget, "max_prompt_tokens" | "max_tool_result_tokens");
    let has_own = |other: &BudgetReport| other.agent.is_some() && other.budget == budget.budget;
    if is_of_one_call && report.budgets.iter().any(has_own) { "other agents" } else { "all calls" }
}

fn one(failure: &BudgetFailure, style: Style) -> String {
    let of = failure.agent.as_ref().map_or(String::new(), |agent| format!(" of {agent}"));
    let heading =
        format!("{}{of}: {}, limit {}", failure.budget, amount(&failure.actual), amount(&failure.limit));
    let mut fields = Fields::under(&heading, style);
    fields.add("what", &failure.message);
    fields.add("call", &failure.call.map_or(String::new(), |call| format!("C{call}")));
    fields.add("stage", failure.stage.as_deref().unwrap_or_default());
    fields.add("from", failure.origin.as_deref().unwrap_or_default());
    fields.add("cost", &failure.cost.map_or(String::new(), |cost| dollars(Some(cost))));
    fields.print()
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
