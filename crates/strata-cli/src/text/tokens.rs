//! The ledger of a session.

use strata_app::cut;
use strata_app::report::{CalibrationUsed, CallTokens, PartTokens, TokensReport};

use super::calibration::calibrated_from;
use super::fields::Fields;
use super::number::{count, difference, dollars, share, tokens as marked};
use super::table::{Align, Table};
use super::{Style, bill};

/// Characters of a line of text.
const TEXT: usize = 56;
const FROM: usize = 36;
/// Characters of the longest bar.
const BAR: u64 = 24;

pub(crate) fn tokens(report: &TokensReport, limit: usize, style: Style) -> String {
    let mut text = head(report, style);
    let mut section = |title: &str, table: &Table| {
        text += &format!("\n{}\n{}", style.strong(title), table.print(style));
    };
    if report.calls.is_empty() {
        return text;
    }
    section("By kind", &kinds(report));
    section("By agent", &agents(report));
    if !report.tools.is_empty() {
        section("By tool", &tools(report, limit));
    }
    let n_parts = report.parts.len();
    section(&shown("Parts by lifetime tokens", n_parts, limit), &parts(report, limit));
    section(&shown("Calls", report.calls.len(), limit), &calls(report, limit));
    text
}

/// `Calls, the 20 largest of 169`.
fn shown(title: &str, n_rows: usize, limit: usize) -> String {
    if limit == 0 || n_rows <= limit {
        return title.to_owned();
    }
    format!("{title}, the {limit} largest of {}", count(n_rows))
}

fn rows(n_rows: usize, limit: usize) -> usize {
    if limit == 0 { n_rows } else { limit.min(n_rows) }
}

fn head(report: &TokensReport, style: Style) -> String {
    let mut fields = Fields::under(&bill::heading_of(&report.bill, &report.app), style);
    fields.add("session", &format!("{} ({})", report.title, report.session));
    let stable: u64 = report.calls.iter().map(|call| u64::from(call.stable_prefix)).sum();
    let stable_share = share(stable, report.total);
    let stable = marked(stable, report.basis);
    fields.add("paid", &bill::paid(&report.bill));
    fields.add("of these", &bill::made_of(&report.bill).unwrap_or_default());
    let known = marked(report.total, report.basis);
    if report.total > 0 {
        fields.add(
            "prefix match",
            &format!(
                "{stable} of {known} counted tokens ({stable_share}) were sent before in the same lineage"
            ),
        );
    }
    fields.add("model", bill::no_model(&report.app).unwrap_or_default());
    for used in &report.calibrations {
        let CalibrationUsed { model, growths, learned, error } = used;
        let from = calibrated_from(*growths, *learned);
        fields.add("calibrated", &format!("{model}: counts ± {:.1} % held out, from {from}", error * 100.0));
    }
    if report.app.inferred {
        fields.add("app", "inferred from the events; what they do not tell is missing from our count");
    }
    fields.print()
}

fn kinds(report: &TokensReport) -> Table {
    let mut table =
        Table::new([("kind", Align::Left), ("tokens", Align::Right), ("", Align::Right), ("", Align::Left)]);
    let hidden = report.hidden.map_or(0, |hidden| hidden.lifetime_tokens);
    let of_kinds = report.kinds.iter().map(|kind| kind.lifetime_tokens);
    let largest = of_kinds.chain([report.overhead, hidden]).fold(1, u64::max);
    let whole = report.total + hidden;
    let bar = |tokens: u64| "█".repeat((tokens * BAR).div_ceil(largest) as usize);
    let mut row = |name: String, tokens: u64| {
        table.row([name, count(tokens), share(tokens, whole), bar(tokens)]);
    };
    for kind_total in &report.kinds {
        row(kind_total.kind.name().to_owned(), kind_total.lifetime_tokens);
    }
    if report.overhead > 0 {
        row("framing".to_owned(), report.overhead);
    }
    if let Some(hidden) = report.hidden.filter(|hidden| hidden.calls > 0) {
        table.row([
            "hidden context".to_owned(),
            marked(hidden.lifetime_tokens, hidden.basis),
            share(hidden.lifetime_tokens, whole),
            "░".repeat((hidden.lifetime_tokens * BAR).div_ceil(largest) as usize),
        ]);
    }
    table
}

fn agents(report: &TokensReport) -> Table {
    let mut table = Table::new([
        ("agent", Align::Left),
        ("calls", Align::Right),
        ("tokens", Align::Right),
        ("", Align::Right),
        ("prefix", Align::Right),
        ("reported", Align::Right),
        ("residual", Align::Right),
    ]);
    for agent in &report.agents {
        table.row([
            agent.agent.clone(),
            count(agent.calls),
            marked(agent.tokens, report.basis),
            share(agent.tokens, report.total),
            share(agent.stable_prefix, agent.tokens),
            agent.reported.map_or("–".to_owned(), count),
            agent.residual.map_or("–".to_owned(), difference),
        ]);
    }
    table
}

fn tools(report: &TokensReport, limit: usize) -> Table {
    let mut table = Table::new([
        ("tool", Align::Left),
        ("declaration", Align::Right),
        ("arguments", Align::Right),
        ("results", Align::Right),
        ("all tokens", Align::Right),
        ("", Align::Right),
        ("cost", Align::Right),
    ]);
    for tool in report.tools.iter().take(rows(report.tools.len(), limit)) {
        table.row([
            tool.tool.clone(),
            count(tool.declaration_tokens),
            count(tool.call_tokens),
            count(tool.result_tokens),
            count(tool.lifetime_tokens),
            share(tool.lifetime_tokens, report.total),
            dollars(tool.cost),
        ]);
    }
    table
}

fn parts(report: &TokensReport, limit: usize) -> Table {
    let mut table = Table::new([
        ("lifetime", Align::Right),
        ("", Align::Right),
        ("fresh", Align::Right),
        ("size", Align::Right),
        ("calls", Align::Right),
        ("cost", Align::Right),
        ("kind", Align::Left),
        ("from", Align::Left),
        ("", Align::Left),
    ]);
    for part in report.parts.iter().take(rows(report.parts.len(), limit)) {
        let PartTokens { lifetime_tokens, fresh_tokens, tokens, .. } = part;
        table.row([
            count(*lifetime_tokens),
            share(*lifetime_tokens, report.total),
            count(*fresh_tokens),
            count(*tokens),
            count(part.calls),
            dollars(part.cost),
            part.kind.name().to_owned(),
            cut(&part.from, FROM),
            cut(&part.text, TEXT),
        ]);
    }
    table
}

/// The largest calls, in their order.
fn calls(report: &TokensReport, limit: usize) -> Table {
    let mut table = Table::new([
        ("call", Align::Left),
        ("agent", Align::Left),
        ("model", Align::Left),
        ("tokens", Align::Right),
        ("prefix", Align::Right),
        ("reported", Align::Right),
        ("residual", Align::Right),
        ("", Align::Left),
    ]);
    let mut largest: Vec<&CallTokens> = report.calls.iter().collect();
    largest.sort_by_key(|call| std::cmp::Reverse(call.tokens));
    largest.truncate(rows(report.calls.len(), limit));
    largest.sort_by_key(|call| call.call);
    for call in largest {
        table.row([
            format!("C{}", call.call),
            call.agent.clone(),
            call.model.clone(),
            marked(call.tokens, call.basis),
            share(call.stable_prefix.into(), call.tokens.into()),
            call.reported.map_or("–".to_owned(), count),
            call.residual.map_or("–".to_owned(), difference),
            if call.answered { String::new() } else { "no answer recorded".to_owned() },
        ]);
    }
    table
}
