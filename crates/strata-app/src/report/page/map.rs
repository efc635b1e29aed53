//! Which part of the prompts was sent in which calls.

use std::collections::BTreeMap;

use maud::{Markup, html};
use strata_measure::analysis::Kind;

use super::frame;
use super::texts::{Texts, count};
use crate::report::opened::OpenedSession;
use crate::report::origin;

/// Parts that get a row.
const MAX_PARTS: usize = 40;
const WIDTH: f64 = 1000.0;
const ROW: f64 = 11.0;

/// Everything of one kind that has one source, as the ledger of `strata tokens` has it.
#[derive(Default)]
struct Part {
    lifetime: u64,
    /// First and last calls of runs, both included.
    runs: Vec<(u32, u32)>,
}

pub(super) fn section(opened: &OpenedSession, texts: &Texts) -> Markup {
    let parts = parts(opened);
    let n_calls = opened.compiled.analysis.calls().len();
    if parts.is_empty() {
        return html! {};
    }
    let shown = &parts[..parts.len().min(MAX_PARTS)];
    let rest = &parts[shown.len()..];
    let rows: Vec<Vec<String>> = shown
        .iter()
        .map(|((from, kind, _), part)| {
            vec![texts.line(from, 80), kind.name().to_owned(), calls_of(part), count(part.lifetime)]
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
                        (count(rest.iter().map(|(_, part)| part.lifetime).sum::<u64>())) " tokens over all calls."
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

type Key = (String, Kind, String);

fn parts(opened: &OpenedSession) -> Vec<(Key, Part)> {
    let log = opened.subject.experiment.log();
    let mut parts: BTreeMap<Key, Part> = BTreeMap::new();
    for together in opened.compiled.analysis.ledger().sent() {
        let n_calls: u64 =
            together.runs.iter().map(|run| u64::from(run.last_call - run.first_call + 1)).sum();
        for sent in &together.pieces {
            let piece = sent.piece;
            let key = (origin::from(&piece.origin, log), piece.kind, origin::text(&piece.origin));
            let part = parts.entry(key).or_default();
            part.lifetime += u64::from(piece.tokens) * n_calls;
            part.runs.extend(together.runs.iter().map(|run| (run.first_call, run.last_call)));
        }
    }
    let mut parts: Vec<(Key, Part)> = parts.into_iter().filter(|(_, part)| part.lifetime > 0).collect();
    for (_, part) in &mut parts {
        part.runs = joined(std::mem::take(&mut part.runs));
    }
    parts.sort_by_key(|(_, part)| std::cmp::Reverse(part.lifetime));
    parts
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

fn calls_of(part: &Part) -> String {
    let run = |(first, last): &(u32, u32)| {
        if first == last { format!("C{first}") } else { format!("C{first}–C{last}") }
    };
    let mut said: Vec<String> = part.runs.iter().take(6).map(run).collect();
    if part.runs.len() > 6 {
        said.push(format!("and {} more runs", part.runs.len() - 6));
    }
    said.join(", ")
}

fn picture(parts: &[(Key, Part)], n_calls: usize, texts: &Texts) -> Markup {
    let step = WIDTH / n_calls.max(1) as f64;
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {}", ROW * parts.len() as f64)) role="img" aria-label="Which part was sent in which calls; the table below says the same" {
            @for (at, ((from, kind, _), part)) in parts.iter().enumerate() {
                g class=(kind.name()) {
                    title { (texts.line(from, 80)) ": " (count(part.lifetime)) " tokens over all calls" }
                    @for (first, last) in &part.runs {
                        rect x=(format!("{:.2}", f64::from(first.saturating_sub(1)) * step)) y=(format!("{:.1}", at as f64 * ROW + 1.0))
                            width=(format!("{:.2}", f64::from(last - first + 1) * step)) height=(ROW - 2.0) {}
                    }
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
