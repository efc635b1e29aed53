//! Which part of the prompts was sent in which calls.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::frame;
use super::texts::{Texts, count};
use crate::api::common::Kind;
use crate::report::opened::OpenedSession;
use crate::report::origin;
use crate::report::tokens::{PartTokens, TokensReport};

/// Parts that get a row.
pub(super) const MAX_PARTS: usize = 40;
const WIDTH: f64 = 1000.0;
const ROW: f64 = 11.0;

/// A part of the ledger, and in which calls it was sent.
pub(super) struct Row<'l> {
    pub part: &'l PartTokens,
    /// First and last calls of runs, both included.
    runs: Vec<(u32, u32)>,
}

pub(super) fn section(opened: &OpenedSession, ledger: &TokensReport, texts: &Texts) -> Markup {
    let parts = rows(opened, ledger);
    let n_calls = opened.compiled.analysis.calls().len();
    if parts.is_empty() {
        return html! {};
    }
    let shown = &parts[..parts.len().min(MAX_PARTS)];
    let rest = &parts[shown.len()..];
    let rows: Vec<Vec<String>> = shown
        .iter()
        .map(|Row { part, runs }| {
            vec![
                texts.line(&part.from, 80),
                part.kind.name().to_owned(),
                calls_of(runs),
                count(part.lifetime_tokens),
            ]
        })
        .collect();
    frame::section(
        "Map: parts of the prompts",
        &html! {
            figure {
                (picture(shown, n_calls, texts))
                figcaption {
                    "One row a part, the heaviest over the session first; calls from left to right."
                    @if !rest.is_empty() {
                        " Left out: " (count(rest.len())) " lighter parts, "
                        (count(rest.iter().map(|row| row.part.lifetime_tokens).sum::<u64>())) " tokens over all calls."
                    }
                }
            }
            details {
                summary { "The same as a table" }
                (frame::table(
                    "Parts of prompts; tokens by our count, summed over the calls that carried them",
                    &["Part", "Kind", "Calls", "Tokens over all calls"], 1, &rows))
            }
        },
    )
}

/// The heaviest over the session first.
pub(super) fn rows<'l>(opened: &OpenedSession, ledger: &'l TokensReport) -> Vec<Row<'l>> {
    let mut runs: BTreeMap<(String, Kind), Vec<(u32, u32)>> = BTreeMap::new();
    for together in opened.compiled.analysis.ledger().sent() {
        for sent in &together.pieces {
            let key = (origin::text(&sent.piece.origin), sent.piece.kind.into());
            let of_part = runs.entry(key).or_default();
            of_part.extend(together.runs.iter().map(|run| (run.first_call, run.last_call)));
        }
    }
    let mut parts: Vec<&PartTokens> = ledger.parts.iter().filter(|part| part.lifetime_tokens > 0).collect();
    parts.sort_by_key(|part| std::cmp::Reverse(part.lifetime_tokens));
    let rows = parts.into_iter().map(|part| {
        let runs = runs.get(&(part.origin.clone(), part.kind)).cloned().unwrap_or_default();
        Row { part, runs: joined(runs) }
    });
    rows.collect()
}

/// Runs that touch or overlap are one.
fn joined(mut runs: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    runs.sort_unstable();
    let mut joined: Vec<(u32, u32)> = Vec::new();
    for (first, last) in runs {
        match joined.last_mut() {
            Some(before) if first <= before.1.saturating_add(1) => before.1 = before.1.max(last),
            _ => joined.push((first, last)),
        }
    }
    joined
}

fn calls_of(runs: &[(u32, u32)]) -> String {
    let run = |(first, last): &(u32, u32)| {
        if first == last { format!("C{first}") } else { format!("C{first}–C{last}") }
    };
    let mut said: Vec<String> = runs.iter().take(6).map(run).collect();
    if runs.len() > 6 {
        said.push(format!("and {} more runs", runs.len() - 6));
    }
    said.join(", ")
}

fn picture(rows: &[Row<'_>], n_calls: usize, texts: &Texts) -> Markup {
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {}", ROW * rows.len() as f64)) role="img" aria-label="Which part was sent in which calls; the table below says the same" {
            (bars(rows, n_calls, WIDTH, ROW, texts))
        }
    }
}

/// A bar for each run of calls that carried a part, one row a part.
pub(super) fn bars(rows: &[Row<'_>], n_calls: usize, width: f64, height: f64, texts: &Texts) -> Markup {
    let step = width / n_calls.max(1) as f64;
    html! {
        @for (at, Row { part, runs }) in rows.iter().enumerate() {
            g class=(part.kind.name()) {
                title { (texts.line(&part.from, 80)) ": " (count(part.lifetime_tokens)) " tokens over all calls" }
                @for (first, last) in runs {
                    rect x=(format!("{:.2}", f64::from(first.saturating_sub(1)) * step)) y=(format!("{:.1}", at as f64 * height + 1.0))
                        width=(format!("{:.2}", f64::from(last - first + 1) * step)) height=(height - 2.0) {}
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::joined;

    #[test]
    fn runs_that_touch_are_one() {
        assert_eq!(joined(vec![(5, 6), (1, 2), (3, 3), (9, 9)]), [(1, 3), (5, 6), (9, 9)]);
    }
}
