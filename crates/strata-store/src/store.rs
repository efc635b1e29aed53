//! The open database.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::StoreError;
use crate::growing_pieces::GrowingPieces;

/// An open database. Calls block; a handle belongs to one thread at a time, and any number of handles, in any number
/// of processes, may have the same file open.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    /// `None` in memory.
    pub(crate) path: Option<PathBuf>,
    /// Of recordings that grow.
    pub(crate) growing_pieces: GrowingPieces,
}

impl Store {
    /// Where the file is; `None` in memory.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// A number that grows with every change that a reader can notice, made by whichever process: compare it to know
    /// whether to read again. Events of an import that has not committed do not move it.
    pub fn change_counter(&self) -> Result<u64, StoreError> {
        let mut statement = self.connection.prepare_cached("SELECT counter FROM changes")?;
        let counter: i64 = statement.query_row([], |row| row.get(0))?;
        Ok(counter as u64)
    }

    /// Runs `work` as one transaction that readers can notice, if it changes anything. It is on disk when this returns.
    pub(crate) fn change<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.transact("FULL", |transaction| {
            let n_changed = transaction.total_changes();
            let result = work(transaction)?;
            if transaction.total_changes() > n_changed {
                transaction.prepare_cached("UPDATE changes SET counter = counter + 1")?.execute([])?;
            }
            Ok(result)
        })
    }

    /// Runs `work` as one transaction that no reader notices and that losing to a power cut costs nothing: staged
    /// events before their import commits, clearing away.
    pub(crate) fn change_unseen<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.transact("NORMAL", work)
    }

    /// Takes the write lock at once, so that a transaction waits for its turn before it has read anything.
    fn transact<T>(
        &mut self,
        synchronous: &str,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.connection.pragma_update(None, "synchronous", synchronous)?;
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let result = work(&transaction)?;
        transaction.commit()?;
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_reported_and_costs_nothing_that_was_stored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("strata.db");
        let mut store = Store::open(&path).unwrap();
        store.set_setting("theme", "dark").unwrap();
        // SQLite answers the same to a limit of pages as to a disk without room.
        let n_pages: u32 = store.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
        store.connection.pragma_update(None, "max_page_count", n_pages).unwrap();
        let error = store.set_setting("long", &"many words ".repeat(10_000)).unwrap_err();
        assert!(matches!(error, StoreError::Full(_)));
        assert_eq!(
            error.to_string(),
            "the disk that holds the Strata database is full. Nothing of this was stored, and everything stored \
             before is as it was. Make room and try again."
        );
        drop(store);
        let mut store = Store::open(&path).unwrap();
        assert_eq!(store.setting("theme").unwrap().as_deref(), Some("dark"));
        assert_eq!(store.setting("long").unwrap(), None);
        store.set_setting("long", &"many words ".repeat(10_000)).unwrap();
    }
}
