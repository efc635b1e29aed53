//! What was written for other engines.

use strata_app::counted;
use strata_app::report::TablesReport;

use super::Style;
use super::number::count;
use super::table::{Align, Table};

pub(crate) fn tables(report: &TablesReport, style: Style) -> String {
    let mut table = Table::new([("file", Align::Left), ("rows", Align::Right)]);
    for written in &report.tables {
        table.row([written.file.clone(), count(written.rows)]);
    }
    let sessions = counted(report.sessions as usize, "session");
    format!("{}{sessions} in {}.\n", table.print(style), report.folder)
}
