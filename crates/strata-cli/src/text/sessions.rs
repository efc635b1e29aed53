//! The list of stored sessions.

use strata_app::report::ListReport;
use strata_app::{counted, cut};

use super::Style;
use super::number::{count, date};
use super::table::{Align, Table};

const TITLE: usize = 60;

pub(crate) fn sessions(report: &ListReport, style: Style) -> String {
    if report.sessions.is_empty() && !report.filter.is_empty() {
        let ListReport { filter, database, .. } = report;
        return format!(
            "No session in {database} has \"{filter}\" in its title, id, file, format, app or user.\n"
        );
    }
    if report.sessions.is_empty() {
        return format!("No session is stored in {}. `strata import FILE` adds some.\n", report.database);
    }
    let mut table = Table::new([
        ("id", Align::Left),
        ("last event (UTC)", Align::Left),
        ("format", Align::Left),
        ("events", Align::Right),
        ("calls", Align::Right),
        ("reported input", Align::Right),
        ("title", Align::Left),
    ]);
    for listed in &report.sessions {
        let session = &listed.session;
        table.row([
            session.id.clone(),
            listed.last_event_ms.map_or("–".to_owned(), date),
            session.format_name.clone(),
            count(session.events),
            count(session.calls),
            session.reported_usage.map_or("–".to_owned(), |usage| count(usage.input_tokens)),
            cut(&session.title, TITLE),
        ]);
    }
    let sessions = counted(report.sessions.len(), "session");
    format!("{}{sessions} in {}\n", table.print(style), report.database)
}
