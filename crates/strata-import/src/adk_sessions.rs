//! Databases of `DatabaseSessionService` on a server: which sessions there are, and each of them read alone.
//!
//! The rows of one session become a session by the same code that reads an SQLite file: [`OneSession`] is a database with
//! nothing else in it.

use std::collections::BTreeMap;

use strata_model::{Fingerprint, FingerprintBuilder, Str};

use crate::adk::{
    is_database, is_pickle_database, is_sqlite, key_of, read_database, read_pickle_database, read_sqlite,
    seconds,
};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::{Import, ImportedSession};
use crate::rows::text_of;
use crate::tables::{KeyedTables, OwnedValue, SqlValue, Table, TableError, TableSource};

/// A session that a database lists.
#[derive(Debug, Clone, PartialEq)]
pub struct ListedSession {
    pub app_name: Str,
    pub user_id: Str,
    pub id: Str,
    /// When it was written to last: epoch seconds by the clock of whoever wrote, which releases of google-adk before 2 told
    /// in their local time. It only says whether something changed.
    pub update_time: Option<f64>,
}

/// A session as it was read alone.
#[derive(Debug)]
pub struct SessionRows {
    pub import: Import,
    /// Of everything that was read for it.
    pub content: Fingerprint,
    /// Of texts and pickles in its rows, and of the states that it shares with others.
    pub size_bytes: u64,
    /// Whether its rows could be read to their end.
    pub is_whole: bool,
}

/// Makes sessions of the tables of a database.
type ReadTables = fn(&mut dyn TableSource, Format, &mut Findings) -> Vec<ImportedSession>;

/// The sessions of a database of google-adk.
pub struct AdkSessions<'t> {
    tables: &'t mut dyn KeyedTables,
    format: Format,
    read: ReadTables,
    /// Rows that many sessions share, as they were read last: by their table, with the values that were asked for.
    shared: BTreeMap<String, SharedRows>,
}

#[derive(Debug, Clone, Default)]
struct SharedRows {
    only: Vec<String>,
    rows: Vec<Vec<OwnedValue>>,
}

impl<'t> AdkSessions<'t> {
    /// `None` where no tables of google-adk are in it.
    pub fn of(tables: &'t mut dyn KeyedTables) -> Result<Option<Self>, TableError> {
        let all = tables.tables()?;
        let (format, read): (Format, ReadTables) = if is_database(&all) {
            (Format::ADK_DATABASE, read_database)
        } else if is_sqlite(&all) {
            (Format::ADK_SQLITE, read_sqlite)
        } else if is_pickle_database(&all) {
            (Format::ADK_PICKLE_DATABASE, read_pickle_database)
        } else {
            return Ok(None);
        };
        Ok(Some(Self { tables, format, read, shared: BTreeMap::new() }))
    }

    /// The keys of all sessions, in their order. Nothing else of them is read.
    pub fn list(&mut self) -> Result<Vec<ListedSession>, TableError> {
        let mut listed = Vec::new();
        let columns = ["app_name", "user_id", "id", "update_time"];
        self.tables.rows("sessions", &columns, &columns[..3], &mut |row| {
            let (app_name, user_id, id) = key_of(row);
            listed.push(ListedSession { app_name, user_id, id, update_time: seconds(row.get(3)) });
        })?;
        Ok(listed)
    }

    /// Reads one session, and no row of another.
    pub fn read(&mut self, listed: &ListedSession) -> SessionRows {
        let key = [&*listed.app_name, &*listed.user_id, &*listed.id];
        let (tables, shared) = (&mut *self.tables, &mut self.shared);
        let mut one = OneSession { tables, shared, key, noted: Noted::default(), is_whole: true };
        let mut findings = Findings::default();
        let sessions = (self.read)(&mut one, self.format, &mut findings);
        let OneSession { noted, is_whole, .. } = one;
        let (content, size_bytes) = (noted.content.finish(), noted.size_bytes);
        SessionRows { import: Import::of(sessions, findings), content, size_bytes, is_whole }
    }
}

/// A database in which there is one session.
struct OneSession<'o> {
    tables: &'o mut dyn KeyedTables,
    shared: &'o mut BTreeMap<String, SharedRows>,
    /// App, user and id.
    key: [&'o str; 3],
    noted: Noted,
    is_whole: bool,
}

/// What rows come to.
#[derive(Default)]
struct Noted {
    content: FingerprintBuilder,
    size_bytes: u64,
}

impl Noted {
    fn row(&mut self, row: &[SqlValue<'_>]) {
        for value in row {
            match value {
                SqlValue::Blob(bytes) => self.content.fingerprint(Fingerprint::of(bytes)),
                value => self.content.optional(text_of(Some(value)).as_deref()),
            };
            self.size_bytes += match value {
                SqlValue::Text(text) => text.len() as u64,
                SqlValue::Blob(bytes) => bytes.len() as u64,
                _ => 0,
            };
        }
    }
}

/// The columns of a table that say whose a row is, as far as the key has them.
fn key_columns(table: &str) -> &'static [&'static str] {
    match table {
        "events" => &["app_name", "user_id", "session_id"],
        "sessions" => &["app_name", "user_id", "id"],
        "user_states" => &["app_name", "user_id"],
        "app_states" => &["app_name"],
        _ => &[],
    }
}

impl OneSession<'_> {
    /// The rows of a table that other sessions have, too.
    fn shared_rows(
        &mut self,
        table: &str,
        columns: &[&str],
        only: &[(&str, &str)],
        order: &[&str],
    ) -> Result<Vec<Vec<OwnedValue>>, TableError> {
        let values: Vec<String> = only.iter().map(|(_, value)| (*value).to_owned()).collect();
        if let Some(known) = self.shared.get(table).filter(|known| known.only == values) {
            return Ok(known.rows.clone());
        }
        let mut rows = Vec::new();
        self.tables.rows_of(table, columns, only, order, &mut |row| {
            rows.push(row.iter().map(|value| OwnedValue::from(*value)).collect());
        })?;
        self.shared.insert(table.to_owned(), SharedRows { only: values, rows: rows.clone() });
        Ok(rows)
    }
}

impl TableSource for OneSession<'_> {
    fn tables(&mut self) -> Result<Vec<Table>, TableError> {
        self.tables.tables()
    }

    fn rows(
        &mut self,
        table: &str,
        columns: &[&str],
        order: &[&str],
        sink: &mut dyn FnMut(&[SqlValue<'_>]),
    ) -> Result<(), TableError> {
        let only: Vec<(&str, &str)> = key_columns(table).iter().copied().zip(self.key).collect();
        let read = if only.len() < self.key.len() {
            self.shared_rows(table, columns, &only, order).map(|rows| {
                for row in rows {
                    let row: Vec<SqlValue<'_>> = row.iter().map(OwnedValue::as_value).collect();
                    self.noted.row(&row);
                    sink(&row);
                }
            })
        } else {
            let noted = &mut self.noted;
            self.tables.rows_of(table, columns, &only, order, &mut |row| {
                noted.row(row);
                sink(row);
            })
        };
        self.is_whole &= read.is_ok();
        read
    }
}
