//! Sessions as readers see them: the list, one whole session, what is remembered about it.

use std::ops::Range;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row, params};
use strata_model::{Decoder, Event, Fingerprint, FromJson, Json, Session};

use crate::column::{fingerprint, parse, parse_object, shown_title, text};
use crate::pack::EVENTS;
use crate::state::read_state;
use crate::{SessionId, Store, StoreError, sweep};

/// What the list of sessions shows of one.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionEntry {
    pub id: SessionId,
    /// [`Source::location`](crate::Source::location) of where it came from.
    pub location: String,
    /// The id it has in ADK, or whatever it calls itself.
    pub adk_id: String,
    pub app_name: String,
    pub user_id: String,
    pub title: String,
    pub format: String,
    /// The numbers the importing side wanted in lists, as it wrote them.
    pub summary: Json,
    pub n_events: u32,
    /// Of all events as stored.
    pub json_bytes: u64,
    /// Of all events in order: equal for equal recordings, whatever they were imported from.
    pub content: Fingerprint,
    /// Epoch seconds.
    pub last_update_time: f64,
    /// Epoch milliseconds.
    pub imported_at_ms: i64,
    /// Epoch milliseconds; `None` when it was never opened.
    pub opened_at_ms: Option<i64>,
}

/// Some rows of the list of sessions.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionList {
    /// How many sessions the filter lets through.
    pub total: u32,
    pub entries: Vec<SessionEntry>,
}

/// A session behind what was known of it.
#[derive(Debug, Clone)]
pub struct SessionAfter {
    /// With the events behind those that are known.
    pub session: Session,
    /// How many events of the session are as they were.
    pub n_known: usize,
    /// Of all its events: what they come to up to each of them.
    pub marks: Vec<Fingerprint>,
}

const ENTRY: &str = "SELECT s.id, o.location, s.adk_id, s.app_name, s.user_id, s.title, s.format, s.summary,
        r.events, r.json_bytes, r.content, s.last_update_time, s.imported_at_ms, s.opened_at_ms
    FROM sessions s JOIN sources o ON o.id = s.source JOIN recordings r ON r.id = s.recording";

/// How many of the columns of [`ENTRY`] a filter looks into.
const N_SEARCHED: usize = 7;

/// Most recently opened or imported first; what was imported together, by its own time, then as its file has it.
const RECENT_FIRST: &str =
    "ORDER BY max(s.imported_at_ms, coalesce(s.opened_at_ms, 0)) DESC, s.last_update_time DESC, s.recording";

impl Store {
    /// The sessions with every word of `filter` in their title, id, location, format, app or user, whatever its case;
    /// the most recent first, and of those the ones at `rows`.
    pub fn sessions(&self, filter: &str, rows: Range<u32>) -> Result<SessionList, StoreError> {
        let words: Vec<String> = filter.split_whitespace().map(str::to_lowercase).collect();
        let mut statement = self.connection.prepare_cached(&format!("{ENTRY} {RECENT_FIRST}"))?;
        let mut found = statement.query([])?;
        let mut list = SessionList { total: 0, entries: Vec::new() };
        while let Some(row) = found.next()? {
            if !words.is_empty() && !mentions(row, &words)? {
                continue;
            }
            if rows.contains(&list.total) {
                list.entries.push(entry(row)?);
            }
            list.total += 1;
        }
        Ok(list)
    }

    /// The sessions that were opened, the last one first.
    pub fn recent_sessions(&self, limit: u32) -> Result<Vec<SessionEntry>, StoreError> {
        let sql =
            format!("{ENTRY} WHERE s.opened_at_ms IS NOT NULL ORDER BY s.opened_at_ms DESC, s.id LIMIT ?1");
        let mut statement = self.connection.prepare_cached(&sql)?;
        statement.query_and_then([limit], entry)?.collect()
    }

    /// One row of the list; `None` when there is no such session.
    pub fn session_entry(&self, session: &SessionId) -> Result<Option<SessionEntry>, StoreError> {
        let mut statement = self.connection.prepare_cached(&format!("{ENTRY} WHERE s.id = ?1"))?;
        statement.query_and_then([session.as_str()], entry)?.next().transpose()
    }

    /// The sessions that call themselves so, by id.
    pub fn sessions_called(&self, adk_id: &str) -> Result<Vec<SessionId>, StoreError> {
        let mut statement =
            self.connection.prepare_cached("SELECT id FROM sessions WHERE adk_id = ?1 ORDER BY id")?;
        let ids = statement.query_map([adk_id], |row| Ok(SessionId::from(text(row, 0)?)))?;
        Ok(ids.collect::<Result<_, _>>()?)
    }

    /// The sessions of a format of which something happened between these times, in epoch seconds, by id.
    pub fn sessions_between(&self, format: &str, from: f64, to: f64) -> Result<Vec<SessionId>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id FROM sessions AS s WHERE format = ?1 AND last_update_time >= ?2 AND ?3 >=
                 (SELECT timestamp FROM events WHERE recording = s.recording AND seq = 0) ORDER BY id",
        )?;
        let ids = statement.query_map(params![format, from, to], |row| Ok(SessionId::from(text(row, 0)?)))?;
        Ok(ids.collect::<Result<_, _>>()?)
    }

    /// A whole session with all its events, as of one moment; `None` when there is no such session.
    pub fn read_session(&self, session: &SessionId) -> Result<Option<Session>, StoreError> {
        Ok(self.read_session_after(session, &[])?.map(|read| read.session))
    }

    /// A session as of one moment, without the events that are known: those that stand in the store as they were when
    /// these marks were read. `None` when there is no such session.
    pub fn read_session_after(
        &self,
        session: &SessionId,
        known: &[Fingerprint],
    ) -> Result<Option<SessionAfter>, StoreError> {
        let snapshot = self.connection.unchecked_transaction()?;
        let Some((recording, mut session)) = read_head(&snapshot, session)? else { return Ok(None) };
        session.state = read_state(&snapshot, recording)?;
        let mut marks = known[..n_known(&snapshot, recording, known)?].to_vec();
        let n_known = marks.len();
        session.events = read_events(&snapshot, recording, &mut marks)?;
        Ok(Some(SessionAfter { session, n_known, marks }))
    }

    /// Remembers that a session was opened. False when there is no such session.
    pub fn mark_opened(&mut self, session: &SessionId, at_ms: i64) -> Result<bool, StoreError> {
        self.change(|transaction| {
            let sql = "UPDATE sessions SET opened_at_ms = ?2 WHERE id = ?1";
            Ok(transaction.execute(sql, params![session.as_str(), at_ms])? > 0)
        })
    }

    /// Takes a session out of the store, with its configurations; with its source when it was the last one of it.
    /// What is left of the source counts as changed, so that importing it brings the session back. False when there
    /// is no such session. It is gone for readers at once; removing its events takes some microseconds each.
    pub fn delete_session(&mut self, session: &SessionId) -> Result<bool, StoreError> {
        let was_there = self.change(|transaction| {
            let sql = "DELETE FROM sessions WHERE id = ?1 RETURNING source, recording";
            let deleted: Option<(i64, i64)> = transaction
                .query_row(sql, [session.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let Some((source, recording)) = deleted else { return Ok(false) };
            transaction.execute("UPDATE recordings SET status = 'discarded' WHERE id = ?1", [recording])?;
            transaction.execute("UPDATE sources SET content = NULL WHERE id = ?1", [source])?;
            transaction.execute(
                "DELETE FROM sources WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM sessions WHERE source = ?1)",
                [source],
            )?;
            Ok(true)
        })?;
        if was_there {
            sweep::clear_discarded(self);
        }
        Ok(was_there)
    }
}

fn mentions(row: &Row<'_>, words: &[String]) -> rusqlite::Result<bool> {
    let mut searched = String::new();
    for column in 0..N_SEARCHED {
        searched.push_str(&text(row, column)?.to_lowercase());
        searched.push('\n');
    }
    Ok(words.iter().all(|word| searched.contains(word)))
}

fn entry(row: &Row<'_>) -> Result<SessionEntry, StoreError> {
    Ok(SessionEntry {
        id: text(row, 0)?.into(),
        location: row.get(1)?,
        adk_id: row.get(2)?,
        app_name: row.get(3)?,
        user_id: row.get(4)?,
        title: shown_title(row.get(5)?),
        format: row.get(6)?,
        summary: parse(text(row, 7)?)?,
        n_events: row.get(8)?,
        json_bytes: row.get::<_, i64>(9)? as u64,
        content: fingerprint(row, 10)?.unwrap_or_default(),
        last_update_time: seconds(row, 11)?,
        imported_at_ms: row.get(12)?,
        opened_at_ms: row.get(13)?,
    })
}

/// SQLite stores a number that is none as null.
fn seconds(row: &Row<'_>, column: usize) -> rusqlite::Result<f64> {
    Ok(row.get::<_, Option<f64>>(column)?.unwrap_or(f64::NAN))
}

/// The number of a session's recording, and the session without its state and events.
fn read_head(connection: &Connection, session: &SessionId) -> Result<Option<(i64, Session)>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT recording, adk_id, app_name, user_id, last_update_time, other FROM sessions WHERE id = ?1",
    )?;
    let mut rows = statement.query([session.as_str()])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    let session = Session {
        id: row.get(1)?,
        app_name: row.get(2)?,
        user_id: row.get(3)?,
        last_update_time: seconds(row, 4)?,
        other: parse_object(text(row, 5)?)?,
        ..Session::default()
    };
    Ok(Some((row.get(0)?, session)))
}

/// How many of a recording's events are those that had these marks. Of events that were stored before there were any,
/// none.
fn n_known(connection: &Connection, recording: i64, marks: &[Fingerprint]) -> Result<usize, StoreError> {
    let mut find =
        connection.prepare_cached("SELECT content FROM events WHERE recording = ?1 AND seq = ?2")?;
    let mut is_same = |at: usize| -> Result<bool, StoreError> {
        let stored = find.query_row(params![recording, at as i64], |row| fingerprint(row, 0)).optional()?;
        Ok(stored.flatten() == Some(marks[at]))
    };
    // Events were appended, most often. Else a mark stands for all events before it: they agree up to some place.
    if marks.last().is_none() || is_same(marks.len() - 1)? {
        return Ok(marks.len());
    }
    let mut unsure = 0..marks.len() - 1;
    while !unsure.is_empty() {
        let middle = unsure.start + unsure.len() / 2;
        if is_same(middle)? {
            unsure.start = middle + 1;
        } else {
            unsure.end = middle;
        }
    }
    Ok(unsure.start)
}

/// The events of a recording behind those that have a mark; theirs are added.
fn read_events(
    connection: &Connection,
    recording: i64,
    marks: &mut Vec<Fingerprint>,
) -> Result<Vec<Arc<Event>>, StoreError> {
    let mut events = Vec::new();
    let mut mark = marks.last().copied().unwrap_or_default();
    // What is odd about an event was reported when it was imported.
    let mut decoder = Decoder::new();
    EVENTS.each(connection, recording, marks.len() as u32..u32::MAX, |_, json| {
        mark = mark.then(Fingerprint::of(json));
        marks.push(mark);
        let event = Event::from_json(parse(json)?, &mut decoder)
            .map_err(|value| StoreError::Corrupt { detail: format!("a stored event is {}", value.kind()) })?;
        decoder.take_diagnostics();
        events.push(Arc::new(event));
        Ok(())
    })?;
    Ok(events)
}
