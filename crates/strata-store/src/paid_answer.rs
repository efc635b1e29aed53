//! Answers of models that were paid for.

use rusqlite::{OptionalExtension, params};
use strata_model::Fingerprint;

use crate::column::fingerprint_bytes;
use crate::credential::holds_credential;
use crate::{Store, StoreError};

impl Store {
    /// The answer to a question that was paid for before.
    pub fn paid_answer(&self, question: Fingerprint) -> Result<Option<String>, StoreError> {
        let mut statement =
            self.connection.prepare_cached("SELECT answer FROM paid_answers WHERE question = ?1")?;
        Ok(statement.query_row([fingerprint_bytes(question)], |row| row.get(0)).optional()?)
    }

    /// Keeps an answer, in place of an earlier one to the same question. What `answer` means is the caller's business,
    /// but one in which there seems to be an API key is refused with [`StoreError::HoldsCredential`].
    pub fn keep_paid_answer(&mut self, question: Fingerprint, answer: &str) -> Result<(), StoreError> {
        if holds_credential(answer.as_bytes()) {
            return Err(StoreError::HoldsCredential { what: "answer of a model".to_owned() });
        }
        self.change(|transaction| {
            transaction.execute(
                "INSERT INTO paid_answers VALUES (?1, ?2)
                 ON CONFLICT (question) DO UPDATE SET answer = excluded.answer",
                params![fingerprint_bytes(question), answer],
            )?;
            Ok(())
        })
    }
}
