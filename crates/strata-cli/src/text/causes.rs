//! What makes a difference, as a table.

use strata_app::report::{Basis, CauseBreak, DifferenceCause, SideName};

use super::Style;
use super::number::{billionths, count, difference, dollars_more};
use super::table::{Align, Table};

/// The first causes under a headline, with the sums of all.
pub(super) fn causes(causes: &[DifferenceCause], limit: usize, style: Style) -> String {
    let mut table = Table::new([
        ("cause", Align::Left),
        ("tokens", Align::Right),
        ("cached", Align::Right),
        ("answers", Align::Right),
        ("cost", Align::Right),
        ("most of it", Align::Left),
    ]);
    let n_shown = if limit == 0 { causes.len() } else { limit.min(causes.len()) };
    for cause in &causes[..n_shown] {
        table.row([
            cause.title.clone(),
            estimated(cause.tokens, cause.basis),
            some(cause.cached_tokens),
            some(cause.output_tokens),
            dollars_more(cause.cost),
            place(cause.side, cause.call),
        ]);
    }
    if n_shown < causes.len() {
        table.quiet_line(format!("and {} more; --limit 0 shows all", causes.len() - n_shown));
    }
    let sum = |of: fn(&DifferenceCause) -> i64| causes.iter().map(of).sum::<i64>();
    table.row([
        "all causes".to_owned(),
        difference(sum(|cause| cause.tokens)),
        some(sum(|cause| cause.cached_tokens)),
        some(sum(|cause| cause.output_tokens)),
        dollars_more(causes.iter().map(|cause| cause.cost).sum::<Option<f64>>().map(billionths)),
        String::new(),
    ]);
    let mut text = format!("\n{}\n{}", style.strong("What makes the difference"), table.print(style));
    let broken: Vec<&DifferenceCause> =
        causes[..n_shown].iter().filter(|cause| cause.total_breaks > 0).collect();
    for cause in broken {
        text += &format!("\n{}\n", style.strong(&format!("Breaks, {}", cause.title)));
        for CauseBreak { side, call, cause, tokens, cost } in &cause.breaks {
            let cost = cost.map_or(String::new(), |cost| format!(", {}", dollars_more(Some(cost))));
            text += &format!("{}  {} tokens{cost}: {cause}\n", place(*side, *call), count(*tokens));
        }
        let n_more = cause.total_breaks as usize - cause.breaks.len();
        if n_more > 0 {
            text += &format!("and {}; `strata cache` shows all\n", count(n_more as i64));
        }
    }
    text
}

/// `B C7`.
fn place(side: SideName, call: u32) -> String {
    let side = match side {
        SideName::A => "A",
        SideName::B => "B",
    };
    format!("{side} C{call}")
}

fn estimated(tokens: i64, basis: Basis) -> String {
    match basis {
        _ if tokens == 0 => "0".to_owned(),
        Basis::Exact | Basis::Reported => difference(tokens),
        Basis::Calibrated | Basis::Estimated => format!("≈{}", difference(tokens)),
    }
}

/// Nothing for nothing.
fn some(tokens: i64) -> String {
    if tokens == 0 { String::new() } else { difference(tokens) }
}
