//! Events as readers see them without reading the whole session.

use std::ops::Range;

use bitflags::bitflags;
use rusqlite::{OptionalExtension, Row, params};
use strata_model::{Decoder, Event, FromJson as _, Part, Str};

use crate::column::{parse, text, utf8};
use crate::pack::EVENTS;
use crate::{SessionId, Store, StoreError};

bitflags! {
    /// What an event holds, to pick rows by without reading their JSON. The values stand in files.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct EventKinds: u32 {
        const TEXT = 1;
        const THOUGHT = 1 << 1;
        const FUNCTION_CALL = 1 << 2;
        const FUNCTION_RESPONSE = 1 << 3;
        /// Inline data or a file.
        const MEDIA = 1 << 4;
        /// Executable code or its result.
        const CODE = 1 << 5;
        const STATE = 1 << 6;
        const ARTIFACT = 1 << 7;
        const TRANSFER = 1 << 8;
        const COMPACTION = 1 << 9;
        const REWIND = 1 << 10;
        const ERROR = 1 << 11;
        /// The provider reported token counts.
        const USAGE = 1 << 12;
        const PARTIAL = 1 << 13;
    }
}

impl EventKinds {
    pub fn of(event: &Event) -> Self {
        let actions = &event.actions;
        let mut kinds = Self::empty();
        kinds.set(Self::STATE, !actions.state_delta.is_empty());
        kinds.set(Self::ARTIFACT, !actions.artifact_delta.is_empty());
        kinds.set(Self::TRANSFER, actions.transfer_to_agent.is_some());
        kinds.set(Self::COMPACTION, event.is_compaction());
        kinds.set(Self::REWIND, actions.rewind_before_invocation_id.is_some());
        kinds.set(Self::ERROR, event.error_code.is_some());
        kinds.set(Self::USAGE, event.usage_metadata.is_some());
        kinds.set(Self::PARTIAL, event.partial == Some(true));
        event.parts().iter().fold(kinds, |kinds, part| kinds | Self::of_part(part))
    }

    fn of_part(part: &Part) -> Self {
        let is_thought = part.thought == Some(true);
        let mut kinds = Self::empty();
        kinds.set(Self::TEXT, part.text.is_some() && !is_thought);
        kinds.set(Self::THOUGHT, is_thought);
        kinds.set(Self::FUNCTION_CALL, part.function_call.is_some());
        kinds.set(Self::FUNCTION_RESPONSE, part.function_response.is_some());
        kinds.set(Self::MEDIA, part.inline_data.is_some() || part.file_data.is_some());
        kinds.set(Self::CODE, part.executable_code.is_some() || part.code_execution_result.is_some());
        kinds
    }
}

/// The short columns of an event.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRow {
    /// Its place in the session, from 0.
    pub seq: u32,
    pub id: Str,
    pub invocation_id: Str,
    pub author: Str,
    pub branch: Option<Str>,
    /// Epoch seconds.
    pub timestamp: f64,
    pub kinds: EventKinds,
    /// Of its JSON as stored.
    pub json_bytes: u32,
}

/// `recording = ` this, for the session in parameter 1.
pub(crate) const OF_SESSION: &str = "(SELECT recording FROM sessions WHERE id = ?1)";

impl Store {
    /// The rows of the events at `seqs`, in order; fewer when the session ends before, none when there is no such
    /// session.
    pub fn event_rows(&self, session: &SessionId, seqs: Range<u32>) -> Result<Vec<EventRow>, StoreError> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT seq, event_id, invocation_id, author, branch, timestamp, kinds, json_bytes FROM events
             WHERE recording = {OF_SESSION} AND seq >= ?2 AND seq < ?3 ORDER BY seq"
        ))?;
        let mut found = statement.query(params![session.as_str(), seqs.start, seqs.end])?;
        let mut rows: Vec<EventRow> = Vec::new();
        while let Some(row) = found.next()? {
            let row = event_row(row, rows.last())?;
            rows.push(row);
        }
        Ok(rows)
    }

    /// The JSON of the event at `seq` in ADK's camelCase shape; `None` when there is no such event.
    pub fn event_json(&self, session: &SessionId, seq: u32) -> Result<Option<String>, StoreError> {
        let snapshot = self.connection.unchecked_transaction()?;
        let mut find = snapshot.prepare_cached("SELECT recording FROM sessions WHERE id = ?1")?;
        let recording: Option<i64> = find.query_row([session.as_str()], |row| row.get(0)).optional()?;
        let Some(recording) = recording else { return Ok(None) };
        EVENTS.get(&snapshot, recording, seq)?.map(utf8).transpose()
    }

    /// Shows the events of a session whose JSON holds one of these texts, with their places. What does not hold one is not
    /// read any further.
    pub fn for_each_event_with(
        &self,
        session: &SessionId,
        texts: &[&str],
        mut visit: impl FnMut(u32, Event),
    ) -> Result<(), StoreError> {
        let snapshot = self.connection.unchecked_transaction()?;
        let mut find = snapshot.prepare_cached("SELECT recording FROM sessions WHERE id = ?1")?;
        let recording: Option<i64> = find.query_row([session.as_str()], |row| row.get(0)).optional()?;
        let Some(recording) = recording else { return Ok(()) };
        // What is odd about an event was reported when it was imported.
        let mut decoder = Decoder::new();
        EVENTS.each(&snapshot, recording, 0..u32::MAX, |seq, json| {
            let json = utf8(json.to_vec())?;
            if !texts.iter().any(|text| json.contains(text)) {
                return Ok(());
            }
            let event = Event::from_json(parse(json)?, &mut decoder).map_err(|value| {
                StoreError::Corrupt { detail: format!("a stored event is {}", value.kind()) }
            })?;
            decoder.take_diagnostics();
            visit(seq, event);
            Ok(())
        })
    }

    /// The place of the first event with this id; `None` when there is none. Looks through the rows, about 0.1
    /// microseconds each: an index of random ids would make importing half as fast.
    pub fn event_seq(&self, session: &SessionId, event_id: &str) -> Result<Option<u32>, StoreError> {
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT seq FROM events WHERE recording = {OF_SESSION} AND event_id = ?2 ORDER BY seq LIMIT 1"
        ))?;
        Ok(statement.query_row(params![session.as_str(), event_id], |row| row.get(0)).optional()?)
    }
}

/// Neighbours mostly agree in invocation, author and branch: they share one text.
fn event_row(row: &Row<'_>, previous: Option<&EventRow>) -> rusqlite::Result<EventRow> {
    let branch = row.get_ref(4)?.as_str_or_null()?;
    let previous_branch = previous.and_then(|row| row.branch.as_ref());
    Ok(EventRow {
        seq: row.get(0)?,
        id: row.get(1)?,
        invocation_id: shared(text(row, 2)?, previous.map(|row| &row.invocation_id)),
        author: shared(text(row, 3)?, previous.map(|row| &row.author)),
        branch: branch.map(|branch| shared(branch, previous_branch)),
        timestamp: row.get(5)?,
        kinds: EventKinds::from_bits_truncate(row.get(6)?),
        json_bytes: row.get(7)?,
    })
}

fn shared(text: &str, known: Option<&Str>) -> Str {
    match known {
        Some(known) if **known == *text => known.clone(),
        _ => text.into(),
    }
}
