//! What looks like a key in a store.

use strata_app::report::SecretsReport;
use strata_app::{counted, kinds_in_words};

use super::Style;
use super::table::{Align, Table};

pub(crate) fn secrets(report: &SecretsReport, style: Style) -> String {
    let found = &report.found;
    let comes = if report.masks {
        "What is stored from now on is masked; `strata secrets --keep` ends that.\n"
    } else {
        "`strata secrets --mask` masks it for good, and in what is stored from then on.\n"
    };
    if found.values == 0 {
        let comes = if report.masks { comes } else { "" };
        return format!("Nothing in {} looks like a key.\n{comes}", report.database);
    }
    let was = if report.masked { "Masked" } else { "Stored" };
    let mut table = Table::new([
        ("values", Align::Right),
        ("what they look like", Align::Left),
        ("session", Align::Left),
    ]);
    for session in &found.sessions {
        table.row([session.values.to_string(), kinds_in_words(&session.kinds), session.title.clone()]);
    }
    format!(
        "{was} in {} of {}: {}.\n\n{}\nThe files that were read are as they were. {comes}",
        counted(found.sessions.len(), "session"),
        report.database,
        kinds_in_words(&found.kinds),
        table.print(style)
    )
}
