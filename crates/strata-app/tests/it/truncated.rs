//! Databases that were cut while they were copied: what is there or a reason, and never nothing at all.

use std::path::Path;

use strata_app::report::{self, DiagnosticSeverity};

use crate::samples::{self, Unwatched};

/// Bytes between two cuts; every page ends at one of them.
const STEP: usize = 256;

/// Events of all sessions, and what was said about the file.
struct Seen {
    events: u64,
    said: Vec<(DiagnosticSeverity, String)>,
}

fn see(path: &Path) -> Seen {
    let source = samples::source(path);
    let report = report::show(&source, &Unwatched::default()).expect("a file that is there is read");
    Seen {
        events: report.sessions.iter().map(|shown| shown.session.session_events).sum(),
        said: report.diagnostics.into_iter().map(|found| (found.severity, found.message)).collect(),
    }
}

#[test]
fn a_database_cut_anywhere_gives_what_is_there_or_a_reason() {
    let scratch = tempfile::tempdir().expect("a folder");
    let databases = samples::databases(scratch.path());
    assert_eq!(databases.len(), 15, "databases among the samples");
    std::thread::scope(|threads| {
        for database in &databases {
            threads.spawn(|| check_cuts(database));
        }
    });
}

fn check_cuts(database: &Path) {
    let whole = see(database);
    assert!(whole.events > 0, "{}", database.display());
    let bytes = std::fs::read(database).expect("a database");
    let cut = database.with_extension("cut.db");
    for end in (0..bytes.len()).step_by(STEP) {
        std::fs::write(&cut, &bytes[..end]).expect("a file");
        let seen = see(&cut);
        let what = format!("{} cut at {end}: {} events, {:?}", database.display(), seen.events, seen.said);
        let has_error = seen.said.iter().any(|(severity, _)| *severity == DiagnosticSeverity::Error);
        assert!(seen.events > 0 || has_error, "{what}");
        assert!(seen.events == whole.events || !seen.said.is_empty(), "{what}");
        assert!(seen.said.iter().all(|(_, message)| !message.is_empty()), "{what}");
    }
}
