//! Databases of other programs, opened for reading only.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use strata_import::{
    Import, SqlValue, Table, TableError, TableSource, import_tables, memory_of_sessions, read_memory_tables,
};
use strata_model::{Diagnostic, GivenMemory};
use tokio_util::sync::CancellationToken;

use crate::watch::Watch;

/// How long a program that is writing may keep us waiting.
const PATIENCE: Duration = Duration::from_secs(5);
/// Rows between two looks at whether to stop.
const ROWS_BETWEEN_LOOKS: u64 = 256;

/// Imports the sessions of a database; `None` when the watcher wanted to stop.
pub(crate) fn import(path: &Path, watch: &dyn Watch) -> Option<Import> {
    let import = match Database::open(path) {
        Ok(database) => {
            let mut import = import_tables(&mut Tables { connection: &database.connection, watch });
            if !import.sessions.is_empty() {
                import.diagnostics.extend(cut_off(path));
            }
            import
        }
        Err(reason) => Import {
            sessions: Vec::new(),
            diagnostics: vec![Diagnostic::error("unreadable-database", "", reason)],
        },
    };
    (!watch.is_cancelled()).then_some(import)
}

/// What a database says was remembered: one of memory, or of sessions that were.
pub(crate) fn read_memory(path: &Path) -> Result<GivenMemory, String> {
    let database = Database::open(path)?;
    let stop = CancellationToken::new();
    let mut tables = Tables { connection: &database.connection, watch: &Unwatched(&stop) };
    if let Some(memory) = read_memory_tables(&mut tables).map_err(|error| error.to_string())? {
        return Ok(memory);
    }
    let import = import_tables(&mut tables);
    match import.diagnostics.first() {
        Some(reason) if import.sessions.is_empty() => Err(reason.message.clone()),
        _ => Ok(memory_of_sessions(import.sessions)),
    }
}

/// Nobody waits to stop it.
struct Unwatched<'s>(&'s CancellationToken);

impl Watch for Unwatched<'_> {
    fn progress(&self, _: u64, _: u64) {}

    fn stop(&self) -> &CancellationToken {
        self.0
    }
}

/// Where a database has what was not written into it yet.
pub(crate) fn log_of(path: &Path) -> PathBuf {
    with_end(path, "-wal")
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// Whether something waits in the log to be written into the database.
fn has_log(path: &Path) -> bool {
    std::fs::metadata(log_of(path)).is_ok_and(|log| log.len() > 0)
}

/// Whether a database is written by way of a log, as its header says.
fn keeps_log(path: &Path) -> bool {
    head_of(path).is_ok_and(|head| head[18..20].contains(&2))
}

/// What a database begins with: <https://www.sqlite.org/fileformat.html#the_database_header>.
fn head_of(path: &Path) -> std::io::Result<[u8; 100]> {
    let mut head = [0; 100];
    File::open(path)?.read_exact(&mut head)?;
    Ok(head)
}

/// The address under which SQLite takes a file for one that nobody changes; `None` for names that are no text.
fn immutable_address(path: &Path) -> Option<String> {
    let path = path.to_str()?.replace('\\', "/");
    let mut address = String::from(if path.starts_with('/') { "file:" } else { "file:/" });
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~:".contains(&byte) {
            address.push(byte.into());
        } else {
            address += &format!("%{byte:02X}");
        }
    }
    Some(address + "?immutable=1")
}

/// A database, or a copy of it that goes when this is dropped.
struct Database {
    connection: Connection,
    _copy: Option<tempfile::TempDir>,
}

impl Database {
    /// Opens it so that nothing is written beside it. SQLite makes files for the readers of a log that nobody keeps open
    /// (`-shm`), even where they only read, and leaves them there.
    fn open(path: &Path) -> Result<Self, String> {
        let is_kept_open = with_end(path, "-shm").exists();
        let opened = if is_kept_open || !keeps_log(path) {
            Self::open_in_place(path)
        } else if has_log(path) {
            return Self::open_copy(path).map_err(|error| explain_copy(&*error));
        } else {
            Self::open_immutable(path)
        };
        match opened {
            Ok(connection) => Ok(Self { connection, _copy: None }),
            // A database that another program keeps a log for cannot be read where one may not write.
            Err(rusqlite::Error::SqliteFailure(error, _))
                if matches!(error.code, ErrorCode::CannotOpen | ErrorCode::ReadOnly) =>
            {
                Self::open_copy(path).map_err(|error| explain_copy(&*error))
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

    /// Without locks and without a log: all that was written stands in the file itself.
    fn open_immutable(path: &Path) -> rusqlite::Result<Connection> {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let Some(address) = immutable_address(&absolute) else { return Self::open_in_place(path) };
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(address, flags)?;
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok(connection)
    }

    fn open_copy(path: &Path) -> Result<Self, Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let copy = folder.path().join("copy.db");
        std::fs::copy(path, &copy)?;
        if has_log(path) {
            std::fs::copy(log_of(path), log_of(&copy))?;
        }
        let connection = Connection::open(&copy)?;
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok(Self { connection, _copy: Some(folder) })
    }
}

/// SQLite reads the rest of a page that was cut as zeros, which are rows that hold nothing. How long the file was says
/// its head, unless a log says otherwise.
fn cut_off(path: &Path) -> Option<Diagnostic> {
    let head = head_of(path).ok()?;
    let number =
        |at: usize| u64::from(u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]));
    let page_bytes = match u16::from_be_bytes([head[16], head[17]]) {
        1 => 65_536,
        bytes => u64::from(bytes),
    };
    let (changes, n_pages, changes_then) = (number(24), number(28), number(92));
    let (whole, there) = (n_pages * page_bytes, path.metadata().ok()?.len());
    let is_cut = changes == changes_then && there < whole && !has_log(path);
    is_cut.then(|| {
        let message = format!(
            "the database ends in the middle: {there} of its {whole} bytes are there; what could be read was kept. Copy \
             it again"
        );
        Diagnostic::error("truncated", "", message)
    })
}

fn explain_copy(error: &dyn std::error::Error) -> String {
    format!("the database cannot be opened: {error}")
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn names(folder: &Path) -> BTreeSet<std::ffi::OsString> {
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    }

    /// A database of goose in WAL mode, still open: what was written last is in its log only.
    fn written(path: &Path) -> Connection {
        let connection = Connection::open(path).unwrap();
        let tables = "PRAGMA journal_mode = WAL;
            CREATE TABLE sessions (id TEXT, description TEXT);
            CREATE TABLE messages (id INTEGER, session_id TEXT, role TEXT, content_json TEXT, created_timestamp INTEGER);
            INSERT INTO sessions VALUES ('s1', 'T');";
        connection.execute_batch(tables).unwrap();
        let content = r#"[{"type":"text","text":"hello"}]"#;
        connection
            .execute("INSERT INTO messages VALUES (1, 's1', 'user', ?1, 1718000000)", [content])
            .unwrap();
        connection
    }

    #[track_caller]
    fn check_leaves_nothing(folder: &Path, database: &Path) {
        let before = names(folder);
        let import = import(database, &Unwatched(&CancellationToken::new())).unwrap();
        assert_eq!(import.sessions.len(), 1, "{:?}", import.diagnostics);
        assert_eq!(names(folder), before);
    }

    #[test]
    fn nothing_is_left_beside_a_database_with_a_log() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("a % b?.db");
        let connection = written(&database);
        check_leaves_nothing(folder.path(), &database);
        // As a copy that somebody made: the log without the index that its readers share.
        let copied = tempfile::tempdir().unwrap();
        let copy = copied.path().join("copy.db");
        std::fs::copy(&database, &copy).unwrap();
        std::fs::copy(log_of(&database), log_of(&copy)).unwrap();
        check_leaves_nothing(copied.path(), &copy);
        // Closed: all is in the file, whose header says that it had a log.
        drop(connection);
        assert_eq!(names(folder.path()).len(), 1);
        check_leaves_nothing(folder.path(), &database);
    }
}
