//! Experiments: edits laid over a session, with what was undone kept until something else is done.

use rusqlite::{OptionalExtension, Row, Transaction, params};

use crate::credential::holds_credential;
use crate::{SessionId, Store, StoreError};

/// An experiment without its edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExperimentEntry {
    pub id: ExperimentId,
    pub session: SessionId,
    pub name: String,
    /// How many of its edits count; the others were undone.
    pub n_applied: u32,
    pub n_edits: u32,
    /// Epoch milliseconds.
    pub changed_at_ms: i64,
}

/// The number of an experiment, never used again. As text it is `x` and the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExperimentId(i64);

impl ExperimentId {
    /// Reads what `Display` writes. `None` for anything else, ids of sessions included.
    pub fn parse(text: &str) -> Option<Self> {
        let digits =
            text.strip_prefix('x').filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
        digits.parse().ok().map(Self)
    }
}

impl std::fmt::Display for ExperimentId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "x{}", self.0)
    }
}

const ENTRY: &str = "SELECT id, session, name, applied,
    (SELECT COUNT(*) FROM edits WHERE experiment = experiments.id), changed_at_ms FROM experiments";

/// Each change is one transaction: it is on disk when the call returns, or nothing of it is.
impl Store {
    /// Experiments over a session, the one changed last first.
    pub fn experiments(&self, session: &SessionId) -> Result<Vec<ExperimentEntry>, StoreError> {
        let sql = format!("{ENTRY} WHERE session = ?1 ORDER BY changed_at_ms DESC, id DESC");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map([session.as_str()], entry)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub fn experiment(&self, id: ExperimentId) -> Result<Option<ExperimentEntry>, StoreError> {
        let mut statement = self.connection.prepare_cached(&format!("{ENTRY} WHERE id = ?1"))?;
        Ok(statement.query_row([id.0], entry).optional()?)
    }

    /// All edits of an experiment as they were given, undone ones included, in order.
    pub fn edits(&self, id: ExperimentId) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT edit FROM edits WHERE experiment = ?1 ORDER BY position";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([id.0], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What was promised of edits, each at the last edit it is about, in order.
    pub fn promises(&self, id: ExperimentId) -> Result<Vec<(u32, String)>, StoreError> {
        let sql = "SELECT position, promise FROM edits WHERE experiment = ?1 AND promise IS NOT NULL ORDER BY position";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([id.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Remembers what was promised of the edit at a position. It goes with the edit. False when there is no such edit.
    pub fn set_promise(
        &mut self,
        id: ExperimentId,
        position: u32,
        promise: &str,
    ) -> Result<bool, StoreError> {
        self.change(|transaction| {
            let sql = "UPDATE edits SET promise = ?3 WHERE experiment = ?1 AND position = ?2";
            Ok(transaction.execute(sql, params![id.0, position, promise])? > 0)
        })
    }

    /// Makes an experiment with edits that all count. `None` when there is no such session.
    pub fn create_experiment(
        &mut self,
        session: &SessionId,
        name: &str,
        edits: &[String],
        now_ms: i64,
    ) -> Result<Option<ExperimentId>, StoreError> {
        refuse_credentials(edits)?;
        self.change(|transaction| {
            let made = transaction.execute(
                "INSERT INTO experiments (session, name, applied, changed_at_ms)
                 SELECT id, ?2, ?3, ?4 FROM sessions WHERE id = ?1",
                params![session.as_str(), name, edits.len() as i64, now_ms],
            )?;
            if made == 0 {
                return Ok(None);
            }
            let id = transaction.last_insert_rowid();
            write_edits(transaction, id, 0, edits)?;
            Ok(Some(ExperimentId(id)))
        })
    }

    /// Puts edits behind the first `n_kept`, and makes all of these count. What stood behind them is gone. False when
    /// there is no such experiment, or it has not so many edits.
    pub fn set_edits(
        &mut self,
        id: ExperimentId,
        n_kept: u32,
        edits: &[String],
        now_ms: i64,
    ) -> Result<bool, StoreError> {
        refuse_credentials(edits)?;
        self.change(|transaction| {
            let sql = "SELECT COUNT(*) FROM edits WHERE experiment = ?1";
            let n_edits: i64 = transaction.query_row(sql, [id.0], |row| row.get(0))?;
            if i64::from(n_kept) > n_edits {
                return Ok(false);
            }
            transaction.execute(
                "DELETE FROM edits WHERE experiment = ?1 AND position >= ?2",
                params![id.0, n_kept],
            )?;
            let applied = i64::from(n_kept) + edits.len() as i64;
            let is_there = touch(transaction, id, applied, now_ms)?;
            if is_there {
                write_edits(transaction, id.0, n_kept, edits)?;
            }
            Ok(is_there)
        })
    }

    /// Makes the first `n_applied` edits count and no others. False when there is no such experiment, or it has not so
    /// many edits.
    pub fn set_applied(&mut self, id: ExperimentId, n_applied: u32, now_ms: i64) -> Result<bool, StoreError> {
        self.change(|transaction| {
            let sql = "SELECT COUNT(*) FROM edits WHERE experiment = ?1";
            let n_edits: i64 = transaction.query_row(sql, [id.0], |row| row.get(0))?;
            if i64::from(n_applied) > n_edits {
                return Ok(false);
            }
            touch(transaction, id, n_applied.into(), now_ms)
        })
    }

    /// False when there is no such experiment.
    pub fn rename_experiment(&mut self, id: ExperimentId, name: &str) -> Result<bool, StoreError> {
        self.change(|transaction| {
            let sql = "UPDATE experiments SET name = ?2 WHERE id = ?1";
            Ok(transaction.execute(sql, params![id.0, name])? > 0)
        })
    }

    /// False when there is no such experiment.
    pub fn delete_experiment(&mut self, id: ExperimentId) -> Result<bool, StoreError> {
        self.change(|transaction| {
            Ok(transaction.execute("DELETE FROM experiments WHERE id = ?1", [id.0])? > 0)
        })
    }
}

fn entry(row: &Row<'_>) -> rusqlite::Result<ExperimentEntry> {
    let session: String = row.get(1)?;
    Ok(ExperimentEntry {
        id: ExperimentId(row.get(0)?),
        session: SessionId::from(&*session),
        name: row.get(2)?,
        n_applied: row.get(3)?,
        n_edits: row.get(4)?,
        changed_at_ms: row.get(5)?,
    })
}

fn touch(
    transaction: &Transaction<'_>,
    id: ExperimentId,
    applied: i64,
    now_ms: i64,
) -> Result<bool, StoreError> {
    let sql = "UPDATE experiments SET applied = ?2, changed_at_ms = ?3 WHERE id = ?1";
    Ok(transaction.execute(sql, params![id.0, applied, now_ms])? > 0)
}

fn write_edits(
    transaction: &Transaction<'_>,
    experiment: i64,
    first: u32,
    edits: &[String],
) -> Result<(), StoreError> {
    let mut statement =
        transaction.prepare_cached("INSERT INTO edits (experiment, position, edit) VALUES (?1, ?2, ?3)")?;
    for (position, edit) in (i64::from(first)..).zip(edits) {
        statement.execute(params![experiment, position, edit])?;
    }
    Ok(())
}

/// Scripts and instructions may come with keys in them; these have another place.
fn refuse_credentials(edits: &[String]) -> Result<(), StoreError> {
    if edits.iter().any(|edit| holds_credential(edit.as_bytes())) {
        return Err(StoreError::HoldsCredential { what: "edit".into() });
    }
    Ok(())
}
