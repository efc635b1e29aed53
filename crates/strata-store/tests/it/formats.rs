//! `FORMATS.md` describes what is in the file.

use strata_store::{EventKinds, SCHEMA_VERSION};

use crate::Place;

const FORMATS: &str = include_str!("../../FORMATS.md");

#[test]
fn every_table_and_column_is_described() {
    let place = Place::new();
    place.open();
    let connection = place.bare();
    let sql = "SELECT t.name, c.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c
               WHERE t.schema = 'main' AND t.type <> 'shadow' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.cid";
    let mut statement = connection.prepare(sql).unwrap();
    let columns = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    let mut n_columns = 0;
    for column in columns {
        let (table, column): (String, String) = column.unwrap();
        let section = section(&format!("### `{table}`"));
        assert!(section.contains(&format!("| `{column}` |")), "`{column}` of `{table}` is not described");
        n_columns += 1;
    }
    assert!(n_columns > 50);
}

#[test]
fn every_table_described_is_there() {
    let place = Place::new();
    place.open();
    let connection = place.bare();
    for heading in FORMATS.lines().filter(|line| line.starts_with("### `")) {
        let table = heading.trim_start_matches("### `").trim_end_matches('`');
        assert!(connection.table_exists(None, table).unwrap(), "{table} is described and does not exist");
    }
}

#[test]
fn every_version_is_described() {
    for version in 1..=SCHEMA_VERSION {
        assert!(FORMATS.contains(&format!("\n| {version} |")), "version {version} has no row");
    }
    assert!(!FORMATS.contains(&format!("\n| {} |", SCHEMA_VERSION + 1)));
}

#[test]
fn every_kind_of_event_is_described() {
    let section = section("### `events`");
    for (name, kind) in EventKinds::all().iter_names() {
        let described = format!("{} {}", kind.bits(), name.to_lowercase().replace('_', " "));
        assert!(section.contains(&described), "the bit \"{described}\" is not described");
    }
}

/// From a heading to the next of its kind.
#[track_caller]
fn section(heading: &str) -> &'static str {
    let start = FORMATS.find(&format!("{heading}\n"));
    let section = &FORMATS[start.unwrap_or_else(|| panic!("FORMATS.md has no heading {heading}"))..];
    section[3..].split("\n##").next().unwrap()
}
