//! Runs of compaction: what was asked for, how far it came, and what came of it.

use rusqlite::{OptionalExtension, Row, params};

use crate::credential::holds_credential;
use crate::{SessionId, Store, StoreError};

/// A run as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabRunEntry {
    pub id: LabRunId,
    /// The recorded session.
    pub session: SessionId,
    /// What was compacted: the session, or an experiment over it.
    pub subject: String,
    /// What was asked for, as JSON. What is in it is the caller's business.
    pub settings: String,
    pub state: LabRunState,
    /// What came of it so far, as JSON. What is in it is the caller's business.
    pub result: String,
    /// Epoch milliseconds.
    pub started_at_ms: i64,
    pub changed_at_ms: i64,
}

/// The number of a run, never used again. As text it is `r` and the number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LabRunId(i64);

impl LabRunId {
    /// Reads what `Display` writes. `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let digits =
            text.strip_prefix('r').filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
        digits.parse().ok().map(Self)
    }
}

impl std::fmt::Display for LabRunId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "r{}", self.0)
    }
}

/// How far a run came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabRunState {
    /// It goes on, or went on when its process died.
    Running,
    Done,
    Cancelled,
    Failed,
}

impl LabRunState {
    const ALL: [(Self, &'static str); 4] = [
        (Self::Running, "running"),
        (Self::Done, "done"),
        (Self::Cancelled, "cancelled"),
        (Self::Failed, "failed"),
    ];

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(state, _)| *state == self).map_or("failed", |(_, name)| name)
    }

    fn named(name: &str) -> Self {
        Self::ALL.iter().find(|(_, known)| *known == name).map_or(Self::Failed, |(state, _)| *state)
    }
}

const ENTRY: &str =
    "SELECT id, session, subject, settings, state, result, started_at_ms, changed_at_ms FROM lab_runs";

/// Each change is one transaction: it is on disk when the call returns, or nothing of it is.
impl Store {
    /// Runs over a session and its experiments, the newest first.
    pub fn lab_runs(&self, session: &SessionId) -> Result<Vec<LabRunEntry>, StoreError> {
        let sql = format!("{ENTRY} WHERE session = ?1 ORDER BY id DESC");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map([session.as_str()], entry)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    pub fn lab_run(&self, id: LabRunId) -> Result<Option<LabRunEntry>, StoreError> {
        let mut statement = self.connection.prepare_cached(&format!("{ENTRY} WHERE id = ?1"))?;
        Ok(statement.query_row([id.0], entry).optional()?)
    }

    /// Begins a run that goes on. `None` when there is no such session.
    pub fn begin_lab_run(
        &mut self,
        session: &SessionId,
        subject: &str,
        settings: &str,
        now_ms: i64,
    ) -> Result<Option<LabRunId>, StoreError> {
        refuse_credentials(settings)?;
        self.change(|transaction| {
            let made = transaction.execute(
                "INSERT INTO lab_runs (session, subject, settings, state, result, started_at_ms, changed_at_ms)
                 SELECT id, ?2, ?3, 'running', '{}', ?4, ?4 FROM sessions WHERE id = ?1",
                params![session.as_str(), subject, settings, now_ms],
            )?;
            Ok((made > 0).then(|| LabRunId(transaction.last_insert_rowid())))
        })
    }

    /// Says how far a run is. False when there is no such run.
    pub fn set_lab_run(
        &mut self,
        id: LabRunId,
        state: LabRunState,
        result: &str,
        now_ms: i64,
    ) -> Result<bool, StoreError> {
        refuse_credentials(result)?;
        self.change(|transaction| {
            let sql = "UPDATE lab_runs SET state = ?2, result = ?3, changed_at_ms = ?4 WHERE id = ?1";
            Ok(transaction.execute(sql, params![id.0, state.name(), result, now_ms])? > 0)
        })
    }

    /// False when there is no such run.
    pub fn delete_lab_run(&mut self, id: LabRunId) -> Result<bool, StoreError> {
        self.change(|transaction| Ok(transaction.execute("DELETE FROM lab_runs WHERE id = ?1", [id.0])? > 0))
    }
}

fn entry(row: &Row<'_>) -> rusqlite::Result<LabRunEntry> {
    let (session, state): (String, String) = (row.get(1)?, row.get(4)?);
    Ok(LabRunEntry {
        id: LabRunId(row.get(0)?),
        session: SessionId::from(&*session),
        subject: row.get(2)?,
        settings: row.get(3)?,
        state: LabRunState::named(&state),
        result: row.get(5)?,
        started_at_ms: row.get(6)?,
        changed_at_ms: row.get(7)?,
    })
}

/// A model may have been told a key, and tell it again.
fn refuse_credentials(text: &str) -> Result<(), StoreError> {
    if holds_credential(text.as_bytes()) {
        return Err(StoreError::HoldsCredential { what: "run".into() });
    }
    Ok(())
}
