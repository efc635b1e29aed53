//! What looks like a key in contexts: told, and masked.

use rusqlite::params;

use crate::{FoundSecrets, Store, StoreError};

/// Tables with texts of contexts, and the columns that hold them.
const TEXTS: [(&str, &str); 5] = [
    ("contexts", "document"),
    ("archived_contexts", "document"),
    ("context_messages", "message"),
    ("context_tasks", "document"),
    ("context_artifacts", "value"),
];

impl Store {
    /// What looks like a key in contexts, archived ones included; masked in the transaction that finds it, where that is
    /// asked for.
    pub fn secrets_in_contexts(&mut self, masks: bool) -> Result<FoundSecrets, StoreError> {
        self.change(|transaction| {
            let mut found = FoundSecrets::default();
            for (table, column) in TEXTS {
                let sql = format!("SELECT {column} FROM {table} WHERE {column} IS NOT NULL");
                let mut select = transaction.prepare_cached(&sql)?;
                let texts = select.query_map([], |row| row.get::<_, String>(0))?;
                let texts: Vec<String> = texts.collect::<Result<_, _>>()?;
                let mut update = transaction
                    .prepare_cached(&format!("UPDATE {table} SET {column} = ?2 WHERE {column} = ?1"))?;
                for text in texts {
                    if let Some(masked) = found.masked(&text)
                        && masks
                    {
                        update.execute(params![text, masked])?;
                    }
                }
            }
            Ok(found)
        })
    }
}
