//! What the page is of, and what it comes to.

use maud::{Markup, html};

use super::frame;
use super::texts::{Texts, basis, count, dollars, tokens};
use crate::api::common::Bill;
use crate::report::cache::CacheReport;
use crate::report::findings::FindingsReport;
use crate::report::opened::OpenedSession;
use crate::report::times::utc_minute;
use crate::report::tokens::TokensReport;
use crate::show::{explanations, numbers, words};

pub(super) fn section(
    opened: &OpenedSession,
    ledger: &TokensReport,
    cache: &CacheReport,
    found: &FindingsReport,
    texts: &Texts,
) -> Markup {
    let session = opened.session();
    let bill = &ledger.bill;
    let breaks = cache.calls.iter().filter_map(|call| call.loss.as_ref()).filter(|loss| loss.is_break());
    let mut models: Vec<&str> = ledger.calls.iter().map(|call| &*call.model).collect();
    models.sort_unstable();
    models.dedup();
    let agents: Vec<&str> = ledger.agents.iter().map(|agent| &*agent.agent).collect();
    let largest = opened.compiled.caches.largest();
    let row = |name: &str, value: String| html! { dt { (name) } dd dir="auto" { (value) } };
    html! {
        p.quiet { "A report of Strata " (env!("CARGO_PKG_VERSION")) ", with everything it needs in this file." }
        dl {
            (row("Written by", texts.line(&session.format_name, 80)))
            (row("Read from", texts.line(&session.source, 200)))
            (row("Session", texts.line(&session.id, 120)))
            @if let Some(when) = when(opened) { (row("When", when)) }
            (row("Models", texts.line(&models.join(", "), 300)))
            (row("Agents", texts.line(&agents.join(", "), 300)))
        }
        (frame::section("Summary", &html! {
            dl {
                (row("Calls", count(bill.calls)))
                (row("Prompts", format!("{} tokens ({})", tokens(bill.prompt_tokens, bill.basis), basis(bill.basis))))
                (row("Of these, from a cache", cached(bill)))
                @if bill.hidden_tokens > 0 {
                    (row("Of these, hidden context", format!("{} tokens", tokens(bill.hidden_tokens, bill.counted_basis))))
                }
                (row("Answers", answers(bill)))
                (row("Cost", cost(bill)))
                @if let Some(largest) = largest {
                    (row("Largest prompt", format!(
                        "{} tokens ({}), C{}",
                        tokens(largest.bill.prompt_tokens, largest.bill.basis.into()),
                        basis(largest.bill.basis.into()),
                        largest.call
                    )))
                }
                (row("Broken prefixes", count(breaks.count())))
                (row("Findings", count(found.findings.len())))
            }
            @if bill.unpaid_calls > 0 {
                p.quiet { (words::counted(bill.unpaid_calls as usize, "call")) " failed or without a recorded answer: "
                    (count(bill.unpaid_tokens)) " tokens of these prompts are in no cost." }
            }
        }))
    }
}

/// What answers came to is known by reports alone.
fn answers(bill: &Bill) -> String {
    match bill.output_tokens {
        0 => "not reported, and in no cost".to_owned(),
        n => format!("{} tokens", count(n)),
    }
}

fn cost(bill: &Bill) -> String {
    match bill.partial_cost.filter(|_| bill.cost.is_none()) {
        Some(known) => {
            let calls = words::counted(bill.unpriced_calls as usize, "call");
            format!("{}, and {calls} without a known price", dollars(Some(known)))
        }
        None => dollars(bill.cost),
    }
}

fn when(opened: &OpenedSession) -> Option<String> {
    let events = &opened.subject.experiment.session().events;
    let ms = |seconds: f64| (seconds * 1000.0) as i64;
    let mut times: Vec<i64> =
        events.iter().map(|event| ms(event.timestamp)).filter(|time| *time > 0).collect();
    times.sort_unstable();
    let (first, last) = (*times.first()?, *times.last()?);
    Some(format!("{} to {}", utc_minute(first), utc_minute(last)))
}

/// `12,345 tokens, 96 % (reported)`.
pub(super) fn cached(bill: &Bill) -> String {
    let paid = bill.prompt_tokens.saturating_sub(bill.unpaid_tokens);
    let share = if paid == 0 { "–".to_owned() } else { numbers::share(bill.cached_tokens, paid) };
    format!("{} tokens, {share} ({})", count(bill.cached_tokens), numbers::cache_basis(bill))
}

/// What the numbers rest on, and what a reader should know of how the session was read.
pub(super) fn notes(opened: &OpenedSession, texts: &Texts) -> Markup {
    let explained = explanations(opened.compiled.analysis.tokenizers());
    let found = opened.diagnostics();
    frame::section(
        "What the numbers rest on",
        &html! {
            p { "Reported: the provider said so. Exact: vocabulary and format are known. Calibrated (≈): our count, corrected by "
                "reports of the same model. Estimated (≈): our count with a vocabulary that is not the model's." }
            ul { @for said in &explained { li { (texts.line(said, 400)) } }
                @for note in &opened.subject.app.notes { li { (texts.line(note, 400)) } }
                @for row in found.iter().take(20) { li dir="auto" { (texts.line(&row.message, 400)) } }
                @if found.len() > 20 { li { "and " (count(found.len() - 20)) " more that `strata show` says" } }
            }
            p.quiet { "To look further: " code { "strata serve" } " shows session " code { (texts.line(&opened.subject.id, 120)) }
                " call by call, where it is stored." }
        },
    )
}
