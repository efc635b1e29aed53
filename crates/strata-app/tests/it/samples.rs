//! Files to import: the samples of every format, with databases made of their tables.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rusqlite::Connection;
use rusqlite::types::Value as SqlValue;
use serde_json::Value;
use strata_app::report::{Source, Watch};
use strata_testkit::samples::files_below;
pub(crate) use strata_testkit::samples::of_formats;
use tokio_util::sync::CancellationToken;

/// Nothing stops it.
#[derive(Default)]
pub(crate) struct Unwatched(CancellationToken);

impl Watch for Unwatched {
    fn progress(&self, _: u64, _: u64) {}

    fn stop(&self) -> &CancellationToken {
        &self.0
    }
}

/// A file that is read and not stored.
pub(crate) fn source(path: &Path) -> Source {
    let name = path.display().to_string();
    Source { name, ..Source::default() }
}

/// Every committed sample, databases made of their tables in `scratch`.
pub(crate) fn committed(scratch: &Path) -> Vec<PathBuf> {
    let files = files_below(&of_formats()).into_iter();
    files.map(|file| if is_tables(&file) { database(&file, scratch) } else { file }).collect()
}

/// The databases that are committed as their tables, made in `scratch`.
pub(crate) fn databases(scratch: &Path) -> Vec<PathBuf> {
    let files = files_below(&of_formats()).into_iter().filter(|file| is_tables(file));
    files.map(|file| database(&file, scratch)).collect()
}

fn is_tables(file: &Path) -> bool {
    file.to_string_lossy().ends_with(".tables.json")
}

/// A database of the tables that are written down as `{table: {columns, rows}}`.
fn database(tables: &Path, scratch: &Path) -> PathBuf {
    let path = scratch.join(tables.with_extension("").with_extension("db").file_name().expect("a name"));
    let text = std::fs::read(tables).expect("a sample");
    let tables: Value = serde_json::from_slice(&text).expect("JSON");
    let mut connection = Connection::open(&path).expect("a database");
    let transaction = connection.transaction().expect("a transaction");
    for (name, table) in tables.as_object().expect("tables") {
        let list = |what: &str| table[what].as_array().expect("a list").clone();
        let columns = list("columns");
        let names: Vec<String> =
            columns.iter().map(|column| format!("\"{}\"", column.as_str().expect("a name"))).collect();
        let sql = format!("CREATE TABLE \"{name}\" ({})", names.join(", "));
        transaction.execute(&sql, []).expect("a table");
        let places = vec!["?"; columns.len()].join(", ");
        for row in list("rows") {
            let values = row.as_array().expect("a row").iter().map(sql_value);
            let sql = format!("INSERT INTO \"{name}\" VALUES ({places})");
            transaction.execute(&sql, rusqlite::params_from_iter(values)).expect("a row");
        }
    }
    transaction.commit().expect("it is written");
    path
}

fn sql_value(value: &Value) -> SqlValue {
    match value {
        Value::Null => SqlValue::Null,
        Value::String(text) => SqlValue::Text(text.clone()),
        Value::Number(number) => number
            .as_i64()
            .map_or_else(|| SqlValue::Real(number.as_f64().expect("a number")), SqlValue::Integer),
        Value::Object(blob) => {
            let text = blob["base64"].as_str().expect("bytes in base64");
            SqlValue::Blob(STANDARD.decode(text).expect("base64"))
        }
        other => panic!("no value of a row: {other}"),
    }
}
