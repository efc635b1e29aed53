//! From a path to an open database: what the file is, whether it may be used, how SQLite is to treat it.

use std::fs::OpenOptions;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::growing_pieces::GrowingPieces;
use crate::migration::{APPLICATION_ID, SCHEMA_VERSION, migrate};
use crate::{Store, StoreError, sweep};

/// How long a call waits for another program to finish writing, with growing pauses between its attempts.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Bytes. Events average 0.5 to 2 KB with some far larger; measured from 4 to 32 KB, larger pages waste less space
/// behind them (a file of 1.16 times the JSON at 32 KB, 1.37 at 4 KB) and take more rows a second.
const PAGE_SIZE: u32 = 32 * 1024;

/// KiB of pages each connection may hold. The default of 2 MB is 64 pages of ours.
const CACHE_KIB: i32 = 16 * 1024;

/// Bytes of write-ahead log kept on disk after a large import.
const LOG_LIMIT: u32 = 64 * 1024 * 1024;

impl Store {
    /// Opens the database at `path`. Creates it when there is none, brings an older one up to date, and clears away
    /// what a killed import left.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_with_timeout(path, BUSY_TIMEOUT)
    }

    /// [`Self::open`] with another patience than [`BUSY_TIMEOUT`], for this and all later calls.
    pub fn open_with_timeout(path: &Path, busy_timeout: Duration) -> Result<Self, StoreError> {
        let connection = open_file(path, busy_timeout)?;
        let mut store = Self::of(connection, Some(path));
        sweep::clear_after_opening(&mut store);
        Ok(store)
    }

    /// Opens the database at `path`, which has to be there, for reading only: every call that writes fails with
    /// [`StoreError::ReadOnly`].
    pub fn open_read_only(path: &Path) -> Result<Self, StoreError> {
        Ok(Self::of(open_file_read_only(path, BUSY_TIMEOUT)?, Some(path)))
    }

    /// A database that lives as long as this handle.
    pub fn in_memory() -> Result<Self, StoreError> {
        Ok(Self::of(open_in_memory()?, None))
    }

    fn of(connection: Connection, path: Option<&Path>) -> Self {
        Self { connection, path: path.map(Into::into), growing_pieces: GrowingPieces::default() }
    }
}

/// Opens `path` for reading and writing; creates or upgrades it where needed.
fn open_file(path: &Path, busy_timeout: Duration) -> Result<Connection, StoreError> {
    create_private(path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let mut connection = connect(path, flags, busy_timeout)?;
    if connection.is_readonly("main").map_err(|error| cannot_open(path, error))? {
        return Err(StoreError::CannotOpen { path: path.into(), reason: "the file may only be read".into() });
    }
    let version = identify(path, &connection)?;
    connection.pragma_update(None, "page_size", PAGE_SIZE).map_err(|error| cannot_open(path, error))?;
    use_write_ahead_log(&connection, busy_timeout).map_err(|error| cannot_open(path, error))?;
    configure(&connection)?;
    if version < SCHEMA_VERSION {
        upgrade(path, &mut connection)?;
    }
    Ok(connection)
}

/// Opens `path`, which must be a database of this very version, for reading only.
fn open_file_read_only(path: &Path, busy_timeout: Duration) -> Result<Connection, StoreError> {
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY, busy_timeout)?;
    match identify(path, &connection)? {
        SCHEMA_VERSION => configure(&connection)?,
        0 => return Err(StoreError::NotAStore { path: path.into(), reason: "it is empty" }),
        found => return Err(StoreError::Older { path: path.into(), found, known: SCHEMA_VERSION }),
    }
    Ok(connection)
}

fn open_in_memory() -> Result<Connection, StoreError> {
    let mut connection = Connection::open_in_memory()?;
    configure(&connection)?;
    upgrade(Path::new(":memory:"), &mut connection)?;
    Ok(connection)
}

/// Recorded sessions are nobody else's business. Where this fails, opening the file fails too, and says why.
fn create_private(path: &Path) {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _ = options.open(path);
}

fn connect(path: &Path, flags: OpenFlags, busy_timeout: Duration) -> Result<Connection, StoreError> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(|error| cannot_open(path, error))?;
    connection.busy_timeout(busy_timeout)?;
    Ok(connection)
}

/// The version of the file, 0 for an empty one. Changes nothing, so that a file that is refused stays as it is.
fn identify(path: &Path, connection: &Connection) -> Result<u32, StoreError> {
    let not_a_store = |reason| StoreError::NotAStore { path: path.into(), reason };
    let header: rusqlite::Result<(i32, u32, bool)> = connection.query_row(
        "SELECT application_id, user_version, EXISTS (SELECT 1 FROM sqlite_schema)
         FROM pragma_application_id, pragma_user_version",
        [],
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
    );
    match header {
        Ok((APPLICATION_ID, found, _)) if found > SCHEMA_VERSION => {
            Err(StoreError::Newer { path: path.into(), found, known: SCHEMA_VERSION })
        }
        Ok((APPLICATION_ID, found, _)) => Ok(found),
        Ok((0, 0, false)) => Ok(0),
        Ok(_) => Err(not_a_store("it is a database of another program")),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => {
            Err(not_a_store("it is not an SQLite file"))
        }
        Err(error) => Err(cannot_open(path, error)),
    }
}

/// Readers and one writer at a time do not wait for each other.
///
/// Two processes that create the same file at once meet here, and SQLite reports that without waiting.
fn use_write_ahead_log(connection: &Connection, busy_timeout: Duration) -> rusqlite::Result<()> {
    let deadline = Instant::now() + busy_timeout;
    loop {
        match connection.pragma_update(None, "journal_mode", "wal") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && Instant::now() < deadline =>
            {
                thread::sleep(Duration::from_millis(2));
            }
            outcome => return outcome,
        }
    }
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(64);
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    connection.pragma_update(None, "journal_size_limit", LOG_LIMIT)?;
    // The file may come from someone else: find damage early, and run no function its schema might name.
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "trusted_schema", false)
}

fn upgrade(path: &Path, connection: &mut Connection) -> Result<(), StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Asked again under the lock: another process may have been faster.
    let version = identify(path, &transaction)?;
    migrate(&transaction, version)?;
    Ok(transaction.commit()?)
}

/// An error met while opening: the one place where the path is part of what went wrong.
fn cannot_open(path: &Path, error: rusqlite::Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
            StoreError::CannotOpen { path: path.into(), reason: error.to_string() }
        }
        _ => error.into(),
    }
}
