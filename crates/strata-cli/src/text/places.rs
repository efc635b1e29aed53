//! Where agents leave their sessions.

use strata_app::report::{PlaceChoice, PlaceRow, PlacesReport};

use super::Style;
use super::number::{count, date};
use super::table::{Align, Table};

pub(crate) fn places(report: &PlacesReport, style: Style) -> String {
    if report.places.is_empty() {
        return "No sessions of known tools were found here. `strata import PATH` reads any file or folder.\n"
            .to_owned();
    }
    let mut table = Table::new([
        ("tool", Align::Left),
        ("files", Align::Right),
        ("written (UTC)", Align::Left),
        ("Home", Align::Left),
        ("path", Align::Left),
    ]);
    for place in &report.places {
        let more = if place.is_capped { "+" } else { "" };
        table.row([
            place.tool.clone(),
            format!("{}{more}", count(place.files)),
            place.newest_ms.map_or("–".to_owned(), |ms| date(ms as i64)),
            home(place).to_owned(),
            place.path.clone(),
        ]);
    }
    table.print(style) + "`strata import PATH` reads them; `--allow PATH` lets Home read a place.\n"
}

fn home(place: &PlaceRow) -> &'static str {
    match place.choice {
        _ if place.is_rendered => "leaves it out",
        PlaceChoice::Read => "reads it",
        PlaceChoice::Leave => "never",
        PlaceChoice::Open => "asks",
    }
}
