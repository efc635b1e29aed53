//! Databases of other programs, opened for reading only.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use strata_import::{Import, SqlValue, Table, TableError, TableSource, import_tables};
use strata_model::Diagnostic;

use crate::watch::Watch;

/// How long a program that is writing may keep us waiting.
const PATIENCE: Duration = Duration::from_secs(5);
/// Rows between two looks at whether to stop.
const ROWS_BETWEEN_LOOKS: u64 = 256;

/// Imports the sessions of a database; `None` when the watcher wanted to stop.
pub(crate) fn import(path: &Path, watch: &dyn Watch) -> Option<Import> {
    let import = match Database::open(path) {
        Ok(database) => import_tables(&mut Tables { connection: &database.connection, watch }),
        Err(reason) => Import {
            sessions: Vec::new(),
            diagnostics: vec![Diagnostic::error("unreadable-database", "", reason)],
        },
    };
    (!watch.is_cancelled()).then_some(import)
}

/// Where a database has what was not written into it yet.
pub(super) fn log_of(path: &Path) -> PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

/// A database, or a copy of it that goes when this is dropped.
struct Database {
    connection: Connection,
    _copy: Option<tempfile::TempDir>,
}

impl Database {
    fn open(path: &Path) -> Result<Self, String> {
        match Self::open_in_place(path) {
            Ok(connection) => Ok(Self { connection, _copy: None }),
            // A database that another program keeps a log for cannot be read where one may not write.
            Err(rusqlite::Error::SqliteFailure(error, _))
                if matches!(error.code, ErrorCode::CannotOpen | ErrorCode::ReadOnly) =>
            {
                Self::open_copy(path).map_err(|error| format!("the database cannot be opened: {error}"))
            }
            Err(error) => Err(explain(&error)),
        }
    }

    fn open_in_place(path: &Path) -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        connection.busy_timeout(PATIENCE)?;
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok(connection)
    }

    fn open_copy(path: &Path) -> Result<Self, Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let copy = folder.path().join("copy.db");
        std::fs::copy(path, &copy)?;
        if log_of(path).exists() {
            std::fs::copy(log_of(path), log_of(&copy))?;
        }
        let connection = Connection::open(&copy)?;
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok(Self { connection, _copy: Some(folder) })
    }
}

fn explain(error: &rusqlite::Error) -> String {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "another program is writing to this database and did not finish in time; nothing was imported. Stop it, or \
             try again"
                .to_owned()
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            format!("this SQLite database is damaged ({error}); nothing was imported")
        }
        _ => format!("this SQLite database cannot be read: {error}; nothing was imported"),
    }
}

struct Tables<'t> {
    connection: &'t Connection,
    watch: &'t dyn Watch,
}

impl TableSource for Tables<'_> {
    fn tables(&mut self) -> Result<Vec<Table>, TableError> {
        let names = || -> rusqlite::Result<Vec<String>> {
            let mut statement = self
                .connection
                .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")?;
            statement.query_map([], |row| row.get(0))?.collect()
        };
        let columns = |table: &str| -> rusqlite::Result<Vec<String>> {
            let mut statement = self.connection.prepare("SELECT name FROM pragma_table_info(?1)")?;
            statement.query_map([table], |row| row.get(0))?.collect()
        };
        let tables = names().and_then(|names| {
            names
                .into_iter()
                .map(|name| Ok(Table { columns: columns(&name)?, name }))
                .collect::<Result<_, _>>()
        });
        tables.map_err(|error| TableError(explain(&error)))
    }

    fn rows(
        &mut self,
        table: &str,
        columns: &[&str],
        order: &[&str],
        sink: &mut dyn FnMut(&[SqlValue<'_>]),
    ) -> Result<(), TableError> {
        let list = |names: &[&str]| names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
        let mut sql = format!("SELECT {} FROM {}", list(columns), quoted(table));
        if !order.is_empty() {
            sql += &format!(" ORDER BY {}", list(order));
        }
        let mut read = || -> rusqlite::Result<()> {
            let mut statement = self.connection.prepare(&sql)?;
            let mut rows = statement.query([])?;
            let mut n_rows: u64 = 0;
            while let Some(row) = rows.next()? {
                let values: Vec<SqlValue<'_>> =
                    (0..columns.len()).map(|at| row.get_ref(at).map(value)).collect::<Result<_, _>>()?;
                sink(&values);
                n_rows += 1;
                if n_rows.is_multiple_of(ROWS_BETWEEN_LOOKS) && self.watch.is_cancelled() {
                    break;
                }
            }
            Ok(())
        };
        read().map_err(|error| TableError(explain(&error)))
    }
}

/// An identifier, whatever is in it. `rowid` is no column and must stay as it is.
fn quoted(name: &str) -> String {
    if name == "rowid" { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// Text that is not UTF-8 is passed on as bytes.
fn value(value: ValueRef<'_>) -> SqlValue<'_> {
    match value {
        ValueRef::Null => SqlValue::Null,
        ValueRef::Integer(number) => SqlValue::Integer(number),
        ValueRef::Real(number) => SqlValue::Real(number),
        ValueRef::Text(bytes) => std::str::from_utf8(bytes).map_or(SqlValue::Blob(bytes), SqlValue::Text),
        ValueRef::Blob(bytes) => SqlValue::Blob(bytes),
    }
}
