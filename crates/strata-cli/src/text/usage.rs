//! What agents used.

use strata_app::report::{
    ApartReason, Basis, UnpricedModel, Usage, UsageApart, UsageBy, UsageRow, UsageSums,
};
use strata_app::{counted, cut, listed};

use super::Style;
use super::number::{count, dollars, share};
use super::table::{Align, Table};

/// Characters of a title.
const TITLE: usize = 40;
/// Models that are named.
const MODELS: usize = 6;

pub(crate) fn usage(usage: &Usage, style: Style) -> String {
    if usage.files.read == 0 {
        return nothing(usage);
    }
    let what = match usage.by {
        UsageBy::Day => "day",
        UsageBy::Project => "project",
        UsageBy::Model => "model",
        UsageBy::Tool => "tool",
        UsageBy::Session => "session",
    };
    let mut table = Table::new([
        (what, Align::Left),
        ("sessions", Align::Right),
        ("calls", Align::Right),
        ("input", Align::Right),
        ("cache read", Align::Right),
        ("cache write", Align::Right),
        ("output", Align::Right),
        ("cached", Align::Right),
        ("cost", Align::Right),
    ]);
    for row in &usage.rows {
        table.row(cells(name(row), &row.sums));
    }
    table.quiet_row(cells("all".to_owned(), &usage.total));
    let notes = notes(usage).into_iter().map(|note| format!("{note}\n"));
    table.print(style) + &notes.collect::<String>()
}

fn nothing(usage: &Usage) -> String {
    if usage.places.iter().any(|place| place.tool.is_none()) {
        return "No session was found there.\n".to_owned();
    }
    "No sessions of known tools were found here. `strata usage PATH` reads any file or folder.\n".to_owned()
}

fn name(row: &UsageRow) -> String {
    let key = row.key.as_deref().unwrap_or("not known");
    match &row.title {
        Some(title) => format!("{key}  {}", cut(title, TITLE)),
        None => key.to_owned(),
    }
}

fn cells(name: String, sums: &UsageSums) -> [String; 9] {
    [
        name,
        count(sums.sessions),
        count(sums.calls),
        count(sums.uncached_tokens as i64),
        count(sums.cached_tokens as i64),
        count(sums.cache_write_tokens as i64),
        count(sums.output_tokens as i64),
        share(sums.cached_tokens, sums.input_tokens),
        cost(sums),
    ]
}

/// `$1.23`; `≈$1.23` where it is estimated, `$1.23 +` where some of it has no price.
fn cost(sums: &UsageSums) -> String {
    let mark = if sums.cost_basis == Basis::Estimated && sums.cost.is_some() { "≈" } else { "" };
    let more = if sums.unpriced_calls > 0 && sums.cost.is_some() { " +" } else { "" };
    format!("{mark}{}{more}", dollars(sums.cost))
}

/// What has to be known about the numbers.
fn notes(usage: &Usage) -> Vec<String> {
    let total = &usage.total;
    let mut notes = Vec::new();
    if total.unreported_calls > 0 {
        let calls = counted(total.unreported_calls as usize, "call");
        notes.push(format!("{calls} without a report of tokens: nothing of their prompts is in these sums."));
    }
    if total.combined_reports > 0 {
        let reports = counted(total.combined_reports as usize, "report");
        notes.push(format!("{reports} on several calls together: the number of these calls is not known."));
    }
    if usage.unpaid_calls > 0 {
        let calls = counted(usage.unpaid_calls as usize, "call");
        notes
            .push(format!("{calls} that failed or without a recorded answer: nobody is known to have paid."));
    }
    notes.extend(usage.apart.iter().map(apart));
    if usage.repeated_calls > 0 {
        let calls = counted(usage.repeated_calls as usize, "record");
        notes.push(format!("{calls} of calls that are told of more than once: each call counts once."));
    }
    if usage.undated_calls > 0 {
        let calls = counted(usage.undated_calls as usize, "call");
        let left_out = if usage.since.is_some() || usage.until.is_some() { ": left out" } else { "" };
        notes.push(format!("{calls} without a time{left_out}."));
    }
    notes.extend(prices(usage));
    notes
}

/// `Not in these sums: 12 calls of sub-agents …`.
fn apart(apart: &UsageApart) -> String {
    let UsageApart { why, sums } = apart;
    let what = match why {
        ApartReason::Relayed => format!(
            "{} of sub-agents that only their parents’ files repeat",
            counted(sums.calls as usize, "call")
        ),
        ApartReason::Summaries => {
            format!("{} that only a counter of the client tells of", counted(sums.calls as usize, "summary"))
        }
    };
    format!(
        "Not in these sums: {what}, with {} tokens of prompts and {} of output ({}).",
        count(sums.input_tokens as i64),
        count(sums.output_tokens as i64),
        cost(sums)
    )
}

fn prices(usage: &Usage) -> Vec<String> {
    let mut notes = Vec::new();
    if !usage.unpriced.is_empty() {
        let mut models: Vec<String> = usage.unpriced.iter().take(MODELS).map(unpriced).collect();
        if usage.unpriced.len() > MODELS {
            models.push(counted(usage.unpriced.len() - MODELS, "other model"));
        }
        notes.push(format!("No price is known for {}: it is not in the cost.", listed(&models)));
    }
    let days = usage.prices.iter().map(|price| &*price.seen_on).filter(|day| !day.is_empty());
    if let Some((first, last)) = days.clone().min().zip(days.max()) {
        let when = if first == last { first.to_owned() } else { format!("{first} to {last}") };
        notes.push(format!(
            "Costs are by the prices that makers list, as read on {when}; other tools may go by other prices."
        ));
    }
    notes
}

fn unpriced(model: &UnpricedModel) -> String {
    let name = model.model.as_deref().unwrap_or("calls that name no model");
    format!("{name} ({}, {} tokens)", counted(model.calls as usize, "call"), count(model.tokens as i64))
}
