//! The page around the sections.

use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Nothing is loaded and nothing runs.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

const STYLE: &str = include_str!("../../../assets/report.css");

/// A whole page.
pub(super) fn page(title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) " · Strata" }
                style { (PreEscaped(STYLE)) }
            }
            body { main { h1 dir="auto" { (title) } (body) } }
        }
    }
}

/// A part of the page with a heading.
pub(super) fn section(heading: &str, body: &Markup) -> Markup {
    html! { section { h2 { (heading) } (body) } }
}

/// A table that scrolls by itself where the page is narrow. `numbers` is how many of the last columns are numbers.
pub(super) fn table(caption: &str, columns: &[&str], numbers: usize, rows: &[Vec<String>]) -> Markup {
    let is_number = |at: usize| at + numbers >= columns.len();
    html! {
        div.wide tabindex="0" role="region" aria-label=(caption) {
            table {
                caption { (caption) }
                thead { tr { @for (at, column) in columns.iter().enumerate() {
                    th scope="col" class=[is_number(at).then_some("number")] { (column) }
                } } }
                tbody { @for row in rows { tr { @for (at, cell) in row.iter().enumerate() {
                    td class=[is_number(at).then_some("number")] dir="auto" { (cell) }
                } } } }
            }
        }
    }
}
