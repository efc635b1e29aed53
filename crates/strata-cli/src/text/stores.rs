//! Stores: state at a call, agents, and what they hand to one another.

use strata_app::counted;
use strata_app::report::{HandOffVia, KeyRow, KeyScope, StatePage, StoresReport, ValueState};

use super::Style;
use super::fields::Fields;
use super::number::{count, dollars, tokens};
use super::table::{Align, Table};

pub(crate) fn stores(report: &StoresReport, limit: usize, style: Style) -> String {
    let mut text = head(report, style);
    let mut section = |title: String, table: &Table| {
        text += &format!("\n{}\n{}", style.strong(&title), table.print(style));
    };
    if let Some(state) = report.state.as_ref().filter(|state| !state.rows.is_empty()) {
        section(format!("State at C{}", state.call), &keys(state, limit));
    }
    if !report.agents.is_empty() {
        section("Agents".to_owned(), &agents(report));
    }
    if !report.hand_offs.is_empty() {
        section("Hand-offs".to_owned(), &hand_offs(report, limit));
    }
    text
}

fn head(report: &StoresReport, style: Style) -> String {
    let heading = report.state.as_ref().map_or_else(
        || "No calls".to_owned(),
        |state| {
            let keys = counted(state.total as usize, "key");
            format!(
                "{keys}, {} with a value at C{}, {} tokens",
                state.set,
                state.call,
                tokens(state.tokens, state.basis)
            )
        },
    );
    let mut fields = Fields::under(&heading, style);
    fields.add("session", &format!("{} ({})", report.title, report.session));
    if let Some(state) = &report.state {
        if state.unread_large > 0 {
            let keys = counted(state.unread_large as usize, "value");
            fields.add(
                "never read",
                &format!("{keys} of more than {} tokens that no prompt holds", count(state.large_tokens)),
            );
        }
        if let Some(gap) = &state.gap {
            fields.add("not recorded", gap);
        }
    }
    if report.app.inferred {
        fields.add(
            "app",
            "inferred from the events; what instructions read is known as far as requests are recorded",
        );
    }
    if report.hand_offs.is_empty() {
        fields.add("hand-offs", if report.agents.len() > 1 { "none" } else { "none: one agent" });
    }
    fields.print()
}

fn keys(state: &StatePage, limit: usize) -> Table {
    let mut table = Table::new([
        ("scope", Align::Left),
        ("key", Align::Left),
        ("tokens", Align::Right),
        ("written", Align::Right),
        ("read in", Align::Right),
        ("losses", Align::Right),
        ("value", Align::Left),
    ]);
    for row in first(&state.rows, limit) {
        table.row([
            scope(row.scope).to_owned(),
            row.key.clone(),
            row.tokens.map_or_else(|| "–".to_owned(), count),
            count(row.writes),
            read_in(row),
            if row.columns.broke.is_empty() { String::new() } else { count(row.columns.broke.len() as u64) },
            value(row),
        ]);
    }
    table
}

fn first<T>(rows: &[T], limit: usize) -> &[T] {
    if limit == 0 { rows } else { &rows[..rows.len().min(limit)] }
}

fn scope(scope: KeyScope) -> &'static str {
    match scope {
        KeyScope::Session => "session",
        KeyScope::User => "user",
        KeyScope::App => "app",
        KeyScope::Temp => "turn",
    }
}

fn read_in(row: &KeyRow) -> String {
    match row.reads {
        0 if row.is_unread_large => "! never".to_owned(),
        0 => "never".to_owned(),
        calls => count(calls),
    }
}

fn value(row: &KeyRow) -> String {
    match row.value_state {
        ValueState::Known => strata_app::cut(&row.value, 60),
        ValueState::Absent | ValueState::NotRecorded | ValueState::Gone => format!("({})", row.value),
    }
}

fn agents(report: &StoresReport) -> Table {
    let mut table = Table::new([
        ("agent", Align::Left),
        ("model", Align::Left),
        ("tools", Align::Right),
        ("calls", Align::Right),
        ("tokens", Align::Right),
        ("cost", Align::Right),
    ]);
    for agent in &report.agents {
        table.row([
            format!("{}{}", "  ".repeat(agent.depth as usize), agent.name),
            agent.model.clone(),
            count(agent.tools),
            count(agent.bill.calls),
            tokens(agent.bill.prompt_tokens, agent.bill.basis),
            dollars(agent.bill.cost),
        ]);
    }
    table
}

fn hand_offs(report: &StoresReport, limit: usize) -> Table {
    let mut table = Table::new([
        ("", Align::Left),
        ("calls", Align::Left),
        ("from, to", Align::Left),
        ("", Align::Left),
        ("had", Align::Right),
        ("saw", Align::Right),
        ("cached", Align::Right),
        ("cost", Align::Right),
        ("cache", Align::Left),
    ]);
    for row in first(&report.hand_offs, limit) {
        let via = match row.via {
            HandOffVia::Transfer => "transfer",
            HandOffVia::Started => "started",
            HandOffVia::Returned => "returned",
            HandOffVia::Flow => "next in the flow",
        };
        table.row([
            format!("H{}", row.number),
            format!("C{} → C{}", row.from_call, row.to_call),
            format!("{} → {}", row.from, row.to),
            via.to_owned(),
            tokens(row.from_tokens, row.basis),
            tokens(row.to_tokens, row.basis),
            if row.is_unpaid { "–".to_owned() } else { count(row.cached_tokens) },
            dollars(row.cost_usd),
            row.note.clone(),
        ]);
    }
    table
}
