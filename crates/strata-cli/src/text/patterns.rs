//! Waste that comes back.

use strata_app::counted;
use strata_app::report::PatternsReport;

use super::Style;
use super::number::{count, dollars};
use super::table::{Align, Table};

pub(crate) fn patterns(report: &PatternsReport, style: Style) -> String {
    let examined = counted(report.waste.examined_sessions as usize, "session");
    if report.patterns.is_empty() {
        return format!("No finding comes back in {examined}.\n");
    }
    let mut table = Table::new([
        ("finding", Align::Left),
        ("tool", Align::Left),
        ("sessions", Align::Right),
        ("tokens", Align::Right),
        ("a week", Align::Right),
        ("what to change", Align::Left),
    ]);
    for pattern in &report.patterns {
        table.row([
            pattern.title.clone(),
            pattern.tool.clone(),
            format!("{} of {}", count(pattern.sessions), count(pattern.of_sessions)),
            count(pattern.tokens as i64),
            dollars(pattern.cost_per_week),
            pattern.remedy.as_ref().map_or_else(
                || pattern.advice.clone(),
                |remedy| format!("{} ({})", remedy.text, remedy.place),
            ),
        ]);
    }
    let weeks = format!("{:.1}", report.weeks);
    table.print(style)
        + &format!(
            "Estimates over {examined}, a week of {weeks}. Findings overlap: their sums are not a total.\n"
        )
}
