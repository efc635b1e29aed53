//! What agents remember: what was said in sessions that were added, with an index of its words.

use std::borrow::Cow;

use rusqlite::{Row, Transaction, params};

use crate::kept_secrets::Masking;
use crate::{Store, StoreError};

const REMEMBERED: &str =
    "SELECT app, user, s.session, (SELECT count(*) FROM memories m WHERE m.session = s.id), added_at_ms
     FROM remembered_sessions s";

/// Words that one search looks for.
pub const MOST_WORDS: usize = 64;

/// A session that is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryHome<'h> {
    pub app: &'h str,
    pub user: &'h str,
    pub session: &'h str,
}

/// Something that is remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMemory {
    /// Id of the event.
    pub event: String,
    pub author: String,
    /// Epoch seconds.
    pub said_at: f64,
    /// JSON of the content.
    pub content: String,
    /// The words by which it is found, with spaces between them.
    pub words: String,
}

/// Something that was remembered.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    pub session: String,
    pub event: String,
    pub author: String,
    /// Epoch seconds.
    pub said_at: f64,
    /// JSON of the content.
    pub content: String,
}

/// A session that was added to memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RememberedSession {
    pub app: String,
    pub user: String,
    pub session: String,
    pub n_memories: u32,
    pub added_at_ms: i64,
}

/// Each change is one transaction: it is on disk when the call returns, or nothing of it is.
impl Store {
    /// Remembers a session, in place of what was remembered of it.
    pub fn remember(
        &mut self,
        home: MemoryHome<'_>,
        memories: &[NewMemory],
        added_at_ms: i64,
    ) -> Result<(), StoreError> {
        self.change(|transaction| {
            let masking = Masking::of(transaction)?;
            let session: i64 = transaction
                .prepare_cached(
                    "INSERT INTO remembered_sessions (app, user, session, added_at_ms) VALUES (?1, ?2, ?3, ?4)
                     ON CONFLICT (app, user, session) DO UPDATE SET added_at_ms = excluded.added_at_ms RETURNING id",
                )?
                .query_row(params![home.app, home.user, home.session, added_at_ms], |row| row.get(0))?;
            forget_rows(transaction, session)?;
            let mut add = transaction.prepare_cached(
                "INSERT INTO memories (session, position, event, author, said_at, content)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?;
            let mut index =
                transaction.prepare_cached("INSERT INTO memory_words (rowid, words) VALUES (?1, ?2)")?;
            for (position, new) in memories.iter().enumerate() {
                let content = masking.stored(&new.content);
                let masked = matches!(content, Cow::Owned(_)).then_some(&*content);
                add.execute(params![session, position as i64, new.event, new.author, new.said_at, content])?;
                index.execute(params![transaction.last_insert_rowid(), kept_words(new, masked)])?;
            }
            Ok(())
        })
    }

    /// Forgets a session. Gives how much was remembered of it; `None` where it was not remembered.
    pub fn forget_remembered(&mut self, home: MemoryHome<'_>) -> Result<Option<u32>, StoreError> {
        self.change(|transaction| {
            let found = "SELECT id FROM remembered_sessions WHERE app = ?1 AND user = ?2 AND session = ?3";
            let mut select = transaction.prepare_cached(found)?;
            let mut ids =
                select.query_map(params![home.app, home.user, home.session], |row| row.get::<_, i64>(0))?;
            let Some(id) = ids.next().transpose()? else { return Ok(None) };
            let n = forget_rows(transaction, id)?;
            transaction.prepare_cached("DELETE FROM remembered_sessions WHERE id = ?1")?.execute([id])?;
            Ok(Some(n))
        })
    }

    /// Sessions that are remembered, in the order in which they were first added.
    pub fn remembered_sessions(&self) -> Result<Vec<RememberedSession>, StoreError> {
        let mut statement = self.connection.prepare_cached(&format!("{REMEMBERED} ORDER BY id"))?;
        let rows = statement.query_map([], remembered)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Those of a user of an app.
    pub fn remembered_sessions_of(
        &self,
        app: &str,
        user: &str,
    ) -> Result<Vec<RememberedSession>, StoreError> {
        let mut statement = self
            .connection
            .prepare_cached(&format!("{REMEMBERED} WHERE app = ?1 AND user = ?2 ORDER BY id"))?;
        let rows = statement.query_map(params![app, user], remembered)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// All that is remembered of a user: sessions in the order in which they were first added, each as it was said.
    pub fn memories(&self, app: &str, user: &str) -> Result<Vec<Memory>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT s.session, m.event, m.author, m.said_at, m.content
             FROM remembered_sessions s JOIN memories m ON m.session = s.id
             WHERE s.app = ?1 AND s.user = ?2 ORDER BY s.id, m.position",
        )?;
        let rows = statement.query_map(params![app, user], memory)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What is remembered of a user with any of these words, in the order of [`Self::memories`].
    pub fn memories_with(&self, app: &str, user: &str, words: &[&str]) -> Result<Vec<Memory>, StoreError> {
        let quoted: Vec<String> = words
            .iter()
            .take(MOST_WORDS)
            .map(|word| format!("\"{}\"", word.replace(['"', '\0'], " ")))
            .collect();
        if quoted.is_empty() {
            return Ok(Vec::new());
        }
        let mut statement = self.connection.prepare_cached(
            "SELECT s.session, m.event, m.author, m.said_at, m.content
             FROM memory_words w JOIN memories m ON m.id = w.rowid JOIN remembered_sessions s ON s.id = m.session
             WHERE w.words MATCH ?3 AND s.app = ?1 AND s.user = ?2 ORDER BY s.id, m.position",
        )?;
        let rows = statement.query_map(params![app, user, quoted.join(" OR ")], memory)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// What looks like a key in what is remembered; masked where that is asked for.
    pub fn secrets_in_memory(&mut self, masks: bool) -> Result<crate::FoundSecrets, StoreError> {
        self.change(|transaction| {
            let mut found = crate::FoundSecrets::default();
            let mut select = transaction.prepare_cached("SELECT id, content FROM memories")?;
            let rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let rows: Vec<(i64, String)> = rows.collect::<Result<_, _>>()?;
            for (id, content) in rows {
                if let Some(masked) = found.masked(&content)
                    && masks
                {
                    transaction
                        .prepare_cached("UPDATE memories SET content = ?2 WHERE id = ?1")?
                        .execute(params![id, masked])?;
                    // Its words were those of the key, too. It is found by them no more, and by no others until the session
                    // is added again.
                    transaction.prepare_cached("DELETE FROM memory_words WHERE rowid = ?1")?.execute([id])?;
                }
            }
            Ok(found)
        })
    }
}

/// The words of what is stored: those of a key that was masked are not among them. `masked`: the content, where one was.
fn kept_words<'n>(new: &'n NewMemory, masked: Option<&str>) -> Cow<'n, str> {
    let Some(content) = masked else { return Cow::Borrowed(&new.words) };
    let said = content.to_lowercase();
    let kept = new.words.split(' ').filter(|word| said.contains(*word));
    Cow::Owned(kept.collect::<Vec<_>>().join(" "))
}

fn forget_rows(transaction: &Transaction<'_>, session: i64) -> Result<u32, StoreError> {
    transaction
        .prepare_cached(
            "DELETE FROM memory_words WHERE rowid IN (SELECT id FROM memories WHERE session = ?1)",
        )?
        .execute([session])?;
    let n = transaction.prepare_cached("DELETE FROM memories WHERE session = ?1")?.execute([session])?;
    Ok(n as u32)
}

fn memory(row: &Row<'_>) -> rusqlite::Result<Memory> {
    Ok(Memory {
        session: row.get(0)?,
        event: row.get(1)?,
        author: row.get(2)?,
        said_at: row.get(3)?,
        content: row.get(4)?,
    })
}

fn remembered(row: &Row<'_>) -> rusqlite::Result<RememberedSession> {
    Ok(RememberedSession {
        app: row.get(0)?,
        user: row.get(1)?,
        session: row.get(2)?,
        n_memories: row.get::<_, i64>(3)? as u32,
        added_at_ms: row.get(4)?,
    })
}
