//! What a person chose.

use rusqlite::OptionalExtension;

use crate::credential::holds_credential;
use crate::{Store, StoreError};

impl Store {
    /// The value of a setting; `None` when it was never set.
    pub fn setting(&self, key: &str) -> Result<Option<String>, StoreError> {
        let mut statement = self.connection.prepare_cached("SELECT value FROM settings WHERE key = ?1")?;
        Ok(statement.query_row([key], |row| row.get(0)).optional()?)
    }

    /// Sets a setting. What `value` means is the caller's business, but an API key is refused with
    /// [`StoreError::HoldsCredential`].
    pub fn set_setting(&mut self, key: &str, value: &str) -> Result<(), StoreError> {
        if holds_credential(value.as_bytes()) {
            return Err(StoreError::HoldsCredential { what: format!("setting {key}") });
        }
        self.change(|transaction| {
            transaction.execute(
                "INSERT INTO settings VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                [key, value],
            )?;
            Ok(())
        })
    }
    /// Forgets a setting, if it was ever set.
    pub fn remove_setting(&mut self, key: &str) -> Result<(), StoreError> {
        self.change(|transaction| {
            transaction.execute("DELETE FROM settings WHERE key = ?1", [key])?;
            Ok(())
        })
    }
}
