//! Token counts that were made before.

use rusqlite::OptionalExtension;
use strata_model::Fingerprint;

use crate::column::fingerprint_bytes;
use crate::{Store, StoreError};

impl Store {
    /// The tokens of each content under a vocabulary, in the order of `contents`; `None` where it was not counted
    /// yet.
    pub fn token_counts(
        &self,
        vocabulary: &str,
        contents: &[Fingerprint],
    ) -> Result<Vec<Option<u32>>, StoreError> {
        // One transaction, so that the file is locked once and not for each content.
        let transaction = self.connection.unchecked_transaction()?;
        let mut statement = transaction
            .prepare_cached("SELECT tokens FROM token_counts WHERE vocabulary = ?1 AND content = ?2")?;
        let mut counts = Vec::with_capacity(contents.len());
        for content in contents {
            let key = (vocabulary, fingerprint_bytes(*content));
            counts.push(statement.query_row(key, |row| row.get(0)).optional()?);
        }
        Ok(counts)
    }

    /// Remembers counts. A count that is there already is replaced.
    pub fn put_token_counts(
        &mut self,
        vocabulary: &str,
        counts: &[(Fingerprint, u32)],
    ) -> Result<(), StoreError> {
        // In the order of the table: neighbours go to the same page.
        let mut counts = counts.to_vec();
        counts.sort_unstable();
        self.change_unseen(|transaction| {
            let mut insert = transaction.prepare_cached(
                "INSERT INTO token_counts VALUES (?1, ?2, ?3)
                 ON CONFLICT (vocabulary, content) DO UPDATE SET tokens = excluded.tokens",
            )?;
            for (content, tokens) in counts {
                insert.execute((vocabulary, fingerprint_bytes(content), tokens))?;
            }
            Ok(())
        })
    }
}
