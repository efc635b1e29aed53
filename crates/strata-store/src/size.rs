//! How much space the file takes, and for what.

use crate::{Store, StoreError};

/// Bytes of a database, by what they hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sizes {
    /// Of the whole file, without its write-ahead log.
    pub bytes: u64,
    /// Of pages that hold nothing and are filled first.
    pub free_bytes: u64,
    /// Of each table with its indexes, by name. With `free_bytes` they add up to `bytes`.
    pub tables: Vec<(String, u64)>,
    pub sessions: u32,
    /// Of all sessions.
    pub events: u64,
}

impl Store {
    /// What is in the file. It looks at every page of it.
    pub fn sizes(&self) -> Result<Sizes, StoreError> {
        let snapshot = self.connection.unchecked_transaction()?;
        let number = |sql: &str| snapshot.query_row(sql, [], |row| row.get::<_, i64>(0));
        let page_bytes = number("PRAGMA page_size")? as u64;
        let mut statement = snapshot.prepare(
            "SELECT coalesce(m.tbl_name, s.name), sum(s.pgsize)
            FROM dbstat s LEFT JOIN sqlite_schema m ON m.name = s.name
            WHERE s.aggregate = 1 GROUP BY 1 ORDER BY 1",
        )?;
        let tables = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, i64>(1)? as u64)))?;
        Ok(Sizes {
            bytes: number("PRAGMA page_count")? as u64 * page_bytes,
            free_bytes: number("PRAGMA freelist_count")? as u64 * page_bytes,
            tables: tables.collect::<Result<_, _>>()?,
            sessions: number("SELECT count(*) FROM sessions")? as u32,
            events: number(
                "SELECT coalesce(sum(r.events), 0) FROM sessions s JOIN recordings r ON r.id = s.recording",
            )? as u64,
        })
    }
}
