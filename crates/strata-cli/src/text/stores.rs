//! Stores: state at a call, agents, and what they hand to one another.

use strata_app::report::{
    ArtifactsPage, Carried, HandOffVia, KeyRow, KeyScope, MemoryPage, NodeState, NodesPage, StatePage,
    StoresReport, ValueState,
};
use strata_app::{counted, cut, size};

use super::Style;
use super::contexts::seen_contexts;
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
    if !report.artifacts.rows.is_empty() {
        section("Artifacts".to_owned(), &files(&report.artifacts, limit));
    }
    if !report.memory.rows.is_empty() {
        section("Memory".to_owned(), &searches(&report.memory, limit));
    }
    if !report.nodes.rows.is_empty() {
        section("Nodes".to_owned(), &nodes(&report.nodes, limit));
    }
    if !report.contexts.is_empty() {
        section("Contexts".to_owned(), &seen_contexts(first(&report.contexts, limit)));
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
    for (name, gap) in [("artifacts", &report.artifacts.gap), ("memory", &report.memory.gap)] {
        // Whoever records no state has none of these, either.
        if let Some(gap) =
            gap.as_ref().filter(|_| report.state.as_ref().is_none_or(|state| state.gap.is_none()))
        {
            fields.add(name, gap);
        }
    }
    if let Some(gap) = &report.contexts_gap {
        fields.add("contexts", gap);
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
        ValueState::Known => cut(&row.value, 60),
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

fn files(page: &ArtifactsPage, limit: usize) -> Table {
    let mut table = Table::new([
        ("file", Align::Left),
        ("versions", Align::Right),
        ("size", Align::Right),
        ("saved by", Align::Left),
        ("in calls", Align::Right),
        ("tokens", Align::Right),
        ("cost", Align::Right),
        ("left at", Align::Left),
    ]);
    for row in first(&page.rows, limit) {
        let last = row.versions.last();
        let saved = last.and_then(|last| last.event.map(|event| format!("{} (E{event})", last.agent)));
        table.row([
            row.name.clone(),
            count(row.versions.len() as u64),
            last.and_then(|last| last.bytes).map_or_else(|| "?".to_owned(), |bytes| size(bytes as usize)),
            saved.unwrap_or_else(|| "–".to_owned()),
            in_calls(&row.carried),
            at_least(&row.carried, count(row.carried.lifetime_tokens as u64)),
            at_least(&row.carried, dollars(row.carried.cost_usd)),
            row.carried.left_at.map_or_else(|| "–".to_owned(), |call| format!("C{call}")),
        ]);
    }
    table
}

fn in_calls(carried: &Carried) -> String {
    let is_never = carried.calls == 0 && carried.unknown_calls == 0;
    if is_never { "never".to_owned() } else { at_least(carried, count(carried.calls)) }
}

/// A number of where something stood, as far as it is known.
fn at_least(carried: &Carried, number: String) -> String {
    match (carried.unknown_calls, carried.calls) {
        (0, _) => number,
        (_, 0) => "?".to_owned(),
        _ => format!("≥{number}"),
    }
}

fn searches(page: &MemoryPage, limit: usize) -> Table {
    let mut table = Table::new([
        ("call", Align::Left),
        ("by", Align::Left),
        ("tool", Align::Left),
        ("found", Align::Right),
        ("not used", Align::Right),
        ("in calls", Align::Right),
        ("tokens", Align::Right),
        ("cost", Align::Right),
        ("query", Align::Left),
    ]);
    for row in first(&page.rows, limit) {
        let unused = row.found.iter().filter(|memory| !memory.is_used).count();
        table.row([
            format!("C{}", row.call),
            row.agent.clone(),
            row.tool.clone(),
            count(row.found.len() as u64),
            count(unused as u64),
            in_calls(&row.carried),
            at_least(&row.carried, count(row.carried.lifetime_tokens as u64)),
            at_least(&row.carried, dollars(row.carried.cost_usd)),
            cut(&row.query, 60),
        ]);
    }
    table
}

fn nodes(page: &NodesPage, limit: usize) -> Table {
    let mut table = Table::new([
        ("node", Align::Left),
        ("turn", Align::Right),
        ("events", Align::Left),
        ("calls", Align::Right),
        ("state", Align::Left),
        ("route", Align::Left),
        ("output", Align::Left),
    ]);
    for row in first(&page.rows, limit) {
        let state = match row.state {
            NodeState::Done => "done".to_owned(),
            NodeState::Waits => format!("waits for {}", row.interrupts.join(", ")),
            NodeState::Failed => "! failed".to_owned(),
        };
        table.row([
            format!("{}{}@{}", "  ".repeat(row.depth as usize), row.name, row.run),
            row.turn.map_or_else(|| "–".to_owned(), count),
            format!("E{}..E{}", row.first_event, row.last_event),
            count(row.n_calls),
            state,
            row.route.clone().unwrap_or_default(),
            cut(row.output.as_deref().unwrap_or_default(), 60),
        ]);
    }
    table
}
