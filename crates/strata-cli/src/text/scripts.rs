//! The list of saved scripts.

use strata_app::counted;
use strata_app::report::ScriptsReport;

use super::Style;
use super::number::{count, date};
use super::table::{Align, Table};

pub(crate) fn scripts(report: &ScriptsReport, style: Style) -> String {
    if report.scripts.is_empty() {
        return format!(
            "No script is saved in {}. The Code tab of a script saves it there, and so does copying a .js file.\n",
            report.folder
        );
    }
    let mut table = Table::new([
        ("name", Align::Left),
        ("changed (UTC)", Align::Left),
        ("bytes", Align::Right),
        ("what it does", Align::Left),
    ]);
    for script in &report.scripts {
        table.row([
            script.name.clone(),
            date(script.changed_ms as i64),
            count(script.bytes as u64),
            script.summary.clone(),
        ]);
    }
    format!("{}{} in {}\n", table.print(style), counted(report.scripts.len(), "script"), report.folder)
}
