//! What an import stored.

use strata_app::report::{FileCounts, FollowedChange, ImportReport, SessionReport};
use strata_app::{counted, cut};

use super::Style;
use super::number::count;
use super::table::{Align, Table};

const TITLE: usize = 60;

pub(crate) fn import(report: &ImportReport, style: Style) -> String {
    let mut text = if report.sessions.is_empty() { String::new() } else { sessions(&report.sessions, style) };
    text += &format!("{}\n", outcome(report));
    if report.has_folder {
        text += &files(&report.files, style);
    }
    text
}

/// A row a session.
pub(super) fn sessions(sessions: &[SessionReport], style: Style) -> String {
    let mut table = Table::new([
        ("id", Align::Left),
        ("format", Align::Left),
        ("events", Align::Right),
        ("calls", Align::Right),
        ("title", Align::Left),
    ]);
    for session in sessions {
        table.row([
            session.id.clone(),
            session.format_name.clone(),
            count(session.events),
            count(session.calls),
            cut(&session.title, TITLE),
        ]);
    }
    table.print(style)
}

/// "a0fbeba449e8edbe  +3 events: 418 events, 170 calls  Title".
pub(crate) fn followed(change: &FollowedChange, style: Style) -> String {
    let FollowedChange { session, session_events_before, after, .. } = change;
    let what = match session_events_before {
        Some(before) if session.session_events > u64::from(*before) => {
            let n = session.session_events - u64::from(*before);
            format!("+{} {}", count(n), if n == 1 { "event" } else { "events" })
        }
        Some(_) => "changed".to_owned(),
        None if after.is_empty() => "new session".to_owned(),
        None => format!("the file was begun anew; {} stays as it was", after.join(", ")),
    };
    let all = format!("{} events, {} calls", count(session.session_events), count(session.calls));
    format!("{}  {what}: {all}  {}", session.id, style.quiet(&cut(&session.title, TITLE)))
}

/// What came of the files of folders, and why some were not read.
fn files(files: &FileCounts, style: Style) -> String {
    let FileCounts { imported, unchanged, without_session, failed } = files;
    let mut text = format!(
        "{} imported, {} unchanged, {} without a session, {} failed\n",
        counted(*imported as usize, "file"),
        count(*unchanged),
        count(*without_session),
        count(failed.len())
    );
    for file in failed {
        text += &format!("  {}  {}\n", file.path, style.quiet(&file.reason));
    }
    text
}

fn outcome(report: &ImportReport) -> String {
    let n = report.sessions.len();
    let sessions = counted(n, "session");
    let database = &report.database;
    let unchanged = match report.unchanged {
        0 => String::new(),
        unchanged if unchanged == n => return format!("{sessions} already in {database}, unchanged."),
        unchanged => format!(", {} of them already there and unchanged", count(unchanged)),
    };
    match (report.stopped, n) {
        (true, 0) => "Stopped. Nothing was imported.".to_owned(),
        (true, _) => format!("Stopped. {sessions} stored in {database} before that stay."),
        (false, 0) => "No session was found. Nothing was imported.".to_owned(),
        (false, _) => format!("{sessions} in {database}{unchanged}."),
    }
}
