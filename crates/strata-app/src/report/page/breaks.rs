//! Prefixes that broke.

use maud::{Markup, html};

use super::frame;
use super::texts::{Texts, count, dollars};
use crate::report::cache::CacheReport;

const MAX_BREAKS: usize = 60;

pub(super) fn section(cache: &CacheReport, texts: &Texts) -> Markup {
    let breaks = cache.calls.iter().filter_map(|call| Some((call, call.loss.as_ref()?)));
    let mut breaks: Vec<_> = breaks.filter(|(_, loss)| loss.is_break()).collect();
    breaks.sort_by_key(|(call, loss)| (std::cmp::Reverse(loss.rebilled_tokens), call.call));
    let rows: Vec<Vec<String>> = breaks
        .iter()
        .take(MAX_BREAKS)
        .map(|(call, loss)| {
            let fix = loss.remedy.as_ref().map_or("–".to_owned(), |remedy| {
                format!("{} ({})", texts.line(&remedy.text, 300), remedy.place)
            });
            let basis = if loss.is_reported { "reported" } else { "predicted" };
            vec![
                format!("C{}", call.call),
                texts.line(&loss.detail, 300),
                fix,
                basis.to_owned(),
                count(loss.rebilled_tokens),
                dollars(loss.cost),
            ]
        })
        .collect();
    frame::section(
        "Broken prefixes",
        &html! {
            @if rows.is_empty() {
                p { "No prefix broke: every prompt begins with what was sent before." }
            } @else {
                p { "A provider reads what it has seen before from its cache, at a lower price. What differs early is paid in full." }
                (frame::table("Breaks, the most tokens first", &["Call", "Cause", "What to change", "Basis", "Tokens paid again", "Cost"], 2, &rows))
                @if breaks.len() > MAX_BREAKS { p.quiet { "Left out: " (count(breaks.len() - MAX_BREAKS)) " smaller breaks." } }
            }
            @if !cache.fixes.is_empty() {
                h3 { "Changes that would keep more of it in the cache" }
                ul { @for fix in cache.fixes.iter().take(10) {
                    li dir="auto" { (texts.line(&fix.title, 300)) ": " (count(fix.saves_tokens)) " tokens less paid in full"
                        @if fix.saves_cost.is_some() { ", " (dollars(fix.saves_cost)) } }
                } }
            }
        },
    )
}
