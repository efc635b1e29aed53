//! Databases, as importers need them.

use std::collections::BTreeMap;

/// A table and its columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    pub name: String,
    pub columns: Vec<String>,
}

impl Table {
    pub fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|name| name == column)
    }
}

/// Whether there is a table of this name.
pub(crate) fn has(tables: &[Table], name: &str) -> bool {
    tables.iter().any(|table| table.name == name)
}

/// Whether there is a table of this name with this column.
pub(crate) fn has_column(tables: &[Table], name: &str, column: &str) -> bool {
    tables.iter().any(|table| table.name == name && table.has(column))
}

/// One value of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SqlValue<'r> {
    Null,
    Integer(i64),
    Real(f64),
    Text(&'r str),
    Blob(&'r [u8]),
}

/// Why rows could not be read, in the words of the database. Reading stops with it, also when the caller wants to stop.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TableError(pub String);

/// A database that can list its tables and read a table's rows in an order.
///
/// `strata-app` implements it over SQLite, opened read-only; [`MemoryTables`] holds the rows itself.
pub trait TableSource {
    fn tables(&mut self) -> Result<Vec<Table>, TableError>;

    /// Hands every row of `table` to `sink`, with the values of `columns`, ascending by the columns of `order`.
    /// `rowid` may be one of them.
    fn rows(
        &mut self,
        table: &str,
        columns: &[&str],
        order: &[&str],
        sink: &mut dyn FnMut(&[SqlValue<'_>]),
    ) -> Result<(), TableError>;
}

/// A database whose rows can be asked for by the values of some columns: one on a server, of which nobody reads whole
/// tables.
pub trait KeyedTables: TableSource {
    /// As [`TableSource::rows`], of those rows that have these texts in these columns.
    fn rows_of(
        &mut self,
        table: &str,
        columns: &[&str],
        only: &[(&str, &str)],
        order: &[&str],
        sink: &mut dyn FnMut(&[SqlValue<'_>]),
    ) -> Result<(), TableError>;
}

/// A value that is kept: of [`MemoryTables`], or of a row that several sessions share.
#[derive(Debug, Clone, PartialEq)]
pub enum OwnedValue {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}

impl From<SqlValue<'_>> for OwnedValue {
    fn from(value: SqlValue<'_>) -> Self {
        match value {
            SqlValue::Null => Self::Null,
            SqlValue::Integer(value) => Self::Integer(value),
            SqlValue::Real(value) => Self::Real(value),
            SqlValue::Text(value) => Self::Text(value.to_owned()),
            SqlValue::Blob(value) => Self::Blob(value.to_owned()),
        }
    }
}

impl OwnedValue {
    pub fn as_value(&self) -> SqlValue<'_> {
        match self {
            Self::Null => SqlValue::Null,
            Self::Integer(value) => SqlValue::Integer(*value),
            Self::Real(value) => SqlValue::Real(*value),
            Self::Text(value) => SqlValue::Text(value),
            Self::Blob(value) => SqlValue::Blob(value),
        }
    }

    /// The order in which SQLite sorts values of different kinds: null, numbers, text, blobs.
    fn compare(&self, other: &Self) -> std::cmp::Ordering {
        let number = |value: &Self| match value {
            Self::Integer(value) => Some(*value as f64),
            Self::Real(value) => Some(*value),
            Self::Null | Self::Text(_) | Self::Blob(_) => None,
        };
        let rank = |value: &Self| match value {
            Self::Null => 0,
            Self::Integer(_) | Self::Real(_) => 1,
            Self::Text(_) => 2,
            Self::Blob(_) => 3,
        };
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => a.as_bytes().cmp(b.as_bytes()),
            (Self::Blob(a), Self::Blob(b)) => a.cmp(b),
            _ => match (number(self), number(other)) {
                (Some(a), Some(b)) => a.total_cmp(&b),
                _ => rank(self).cmp(&rank(other)),
            },
        }
    }
}

/// Tables held in memory.
#[derive(Debug, Clone, Default)]
pub struct MemoryTables {
    tables: BTreeMap<String, Rows>,
}

#[derive(Debug, Clone)]
struct Rows {
    columns: Vec<String>,
    rows: Vec<Vec<OwnedValue>>,
}

impl MemoryTables {
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a table; `rows` are in the order of their row ids.
    pub fn add(&mut self, name: &str, columns: &[&str], rows: Vec<Vec<OwnedValue>>) {
        let columns = columns.iter().map(|column| (*column).to_owned()).collect();
        self.tables.insert(name.to_owned(), Rows { columns, rows });
    }
}

impl KeyedTables for MemoryTables {
    fn rows_of(
        &mut self,
        table: &str,
        columns: &[&str],
        only: &[(&str, &str)],
        order: &[&str],
        sink: &mut dyn FnMut(&[SqlValue<'_>]),
    ) -> Result<(), TableError> {
        let asked: Vec<&str> =
            columns.iter().copied().chain(only.iter().map(|(column, _)| *column)).collect();
        self.rows(table, &asked, order, &mut |row| {
            let (row, key) = row.split_at(columns.len());
            if key.iter().zip(only).all(|(value, (_, wanted))| *value == SqlValue::Text(wanted)) {
                sink(row);
            }
        })
    }
}

impl TableSource for MemoryTables {
    fn tables(&mut self) -> Result<Vec<Table>, TableError> {
        let tables = self.tables.iter();
        Ok(tables.map(|(name, rows)| Table { name: name.clone(), columns: rows.columns.clone() }).collect())
    }

    fn rows(
        &mut self,
        table: &str,
        columns: &[&str],
        order: &[&str],
        sink: &mut dyn FnMut(&[SqlValue<'_>]),
    ) -> Result<(), TableError> {
        let rows = self.tables.get(table).ok_or_else(|| TableError(format!("no such table: {table}")))?;
        let place = |column: &str| {
            let place = rows.columns.iter().position(|name| name == column);
            place.ok_or_else(|| TableError(format!("no such column: {table}.{column}")))
        };
        let columns = columns.iter().map(|column| place(column)).collect::<Result<Vec<_>, _>>()?;
        // Sorting is stable, so rows that are equal in all other columns stay in the order of their row ids.
        let order = order.iter().filter(|column| **column != "rowid");
        let order = order.map(|column| place(column)).collect::<Result<Vec<_>, _>>()?;
        let mut sorted: Vec<_> = rows.rows.iter().collect();
        sorted.sort_by(|a, b| {
            let differences = order.iter().map(|at| a[*at].compare(&b[*at]));
            differences.fold(std::cmp::Ordering::Equal, std::cmp::Ordering::then)
        });
        for row in sorted {
            let values: Vec<_> = columns.iter().map(|at| row[*at].as_value()).collect();
            sink(&values);
        }
        Ok(())
    }
}
