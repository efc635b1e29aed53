//! What providers reported for requests that were sent, beside what was expected.

use rusqlite::{Row, params};
use strata_model::Fingerprint;

use crate::column::fingerprint_bytes;
use crate::{Store, StoreError};

/// Calls of a model and shape that are kept; the oldest go first.
const MAX_KEPT: i64 = 256;

/// What a prompt is made of. Providers count tools and turns by rules of their own, so that a report for one shape says
/// little of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PromptShape {
    /// One message of text.
    Text,
    /// Everything else: instructions, tools, turns.
    Conversation,
}

impl PromptShape {
    fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Conversation => "conversation",
        }
    }
}

/// One request that was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeasuredCall {
    /// What was sent: the same request again says nothing new.
    pub request: Fingerprint,
    /// Our count of the prompt, in tokens, and what was reported for it.
    pub counted: u32,
    pub reported: u32,
    /// Tokens of it that were expected in the provider's cache, and those that were found there, where these are known.
    pub expected_cached: Option<u32>,
    pub reported_cached: Option<u32>,
    /// Epoch milliseconds.
    pub at_ms: i64,
}

impl Store {
    /// Requests of a shape to a model that were answered, the oldest first.
    pub fn measured_calls(&self, model: &str, shape: PromptShape) -> Result<Vec<MeasuredCall>, StoreError> {
        let sql = "SELECT request, counted, reported, expected_cached, reported_cached, measured_at_ms
                   FROM measured_calls WHERE model = ?1 AND shape = ?2 ORDER BY id";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([model, shape.name()], measured)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Keeps what was reported for a request to `model`, in place of what was reported for the same request before.
    pub fn add_measured_call(
        &mut self,
        model: &str,
        shape: PromptShape,
        call: &MeasuredCall,
    ) -> Result<(), StoreError> {
        self.change(|transaction| {
            let request = fingerprint_bytes(call.request);
            transaction.execute(
                "DELETE FROM measured_calls WHERE model = ?1 AND request = ?2",
                params![model, request],
            )?;
            transaction.execute(
                "INSERT INTO measured_calls
                 (model, shape, request, counted, reported, expected_cached, reported_cached, measured_at_ms)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                params![
                    model,
                    shape.name(),
                    request,
                    call.counted,
                    call.reported,
                    call.expected_cached,
                    call.reported_cached,
                    call.at_ms
                ],
            )?;
            transaction.execute(
                "DELETE FROM measured_calls WHERE model = ?1 AND shape = ?2 AND id NOT IN
                 (SELECT id FROM measured_calls WHERE model = ?1 AND shape = ?2 ORDER BY id DESC LIMIT ?3)",
                params![model, shape.name(), MAX_KEPT],
            )?;
            Ok(())
        })
    }
}

fn measured(row: &Row<'_>) -> rusqlite::Result<MeasuredCall> {
    let request: [u8; 16] = row.get(0)?;
    Ok(MeasuredCall {
        request: Fingerprint(u128::from_be_bytes(request)),
        counted: row.get(1)?,
        reported: row.get(2)?,
        expected_cached: row.get(3)?,
        reported_cached: row.get(4)?,
        at_ms: row.get(5)?,
    })
}
