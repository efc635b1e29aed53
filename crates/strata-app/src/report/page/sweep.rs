//! Settings of compaction, replayed.

use maud::{Markup, html};

use super::frame;
use super::texts::{Texts, count, dollars};
use crate::report::Watch;
use crate::report::opened::OpenedSession;
use crate::report::sweep::{BillReport, SweepChoice, SweepReport, sweep_of};

/// A few settings of each kind: what tells whether the lab is worth opening.
const GRID: &str = "interval=2|5|10,overlap=1;limit=30000|60000|120000,keep=20";
/// Calls below which there is nothing to summarise.
const MIN_CALLS: usize = 4;

pub(super) fn section(opened: &OpenedSession, watch: &dyn Watch, texts: &Texts) -> Markup {
    if opened.compiled.analysis.calls().len() < MIN_CALLS {
        return frame::section(
            "Compaction",
            &html! { p { "Left out: the session is too short to be compacted." } },
        );
    }
    let choice = SweepChoice { grid: GRID.to_owned(), summary_tokens: None };
    let body = match sweep_of(opened, &choice, watch, &|_| ()) {
        Ok(swept) => rows(&swept, texts),
        Err(error) => html! { p { "Left out: " (texts.line(&error.to_string(), 400)) } },
    };
    frame::section("Compaction", &body)
}

fn rows(swept: &SweepReport, texts: &Texts) -> Markup {
    let mut rows = vec![
        row("as recorded", "", &swept.baseline, None),
        row("without any summary", "", &swept.unchanged, None),
    ];
    rows.extend(swept.rows.iter().enumerate().map(|(at, swept_row)| {
        let mark = if swept.recommended == Some(at) {
            "★"
        } else if swept.front.contains(&at) {
            "front"
        } else {
            ""
        };
        row(&texts.line(&swept_row.config, 80), mark, &swept_row.bill, Some(swept_row.regret))
    }));
    html! {
        p { (texts.line(&swept.reason, 600)) }
        p.quiet { "Replayed offline with " code { (GRID) } ". ★ is the setting to take; none beats those of the front in cost, "
            "peak and regret together. Size of summaries: " (texts.line(&swept.summary_size, 200)) ". All numbers are predicted." }
        (frame::table("Settings", &["Setting", "Verdict", "Prompts", "Largest", "Summaries", "Breaks", "Regret, at most", "Cost"], 6, &rows))
    }
}

fn row(name: &str, mark: &str, bill: &BillReport, regret: Option<u32>) -> Vec<String> {
    vec![
        name.to_owned(),
        mark.to_owned(),
        count(bill.prompt_tokens),
        count(bill.peak_tokens),
        count(bill.compactions),
        count(bill.breaks),
        regret.map_or("–".to_owned(), count),
        dollars(bill.cost),
    ]
}
