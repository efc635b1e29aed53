//! What looks like a key in what is stored: told, and masked for good.
//!
//! What was said is stored as it was said. Whoever does not want that has it masked: in events, in what they were read
//! from, in requests and in everything that was written about them, and from then on in whatever is stored. Masked is
//! masked: the file does not hold it any more once [`Store::give_back_space`] was called.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use rusqlite::types::Value;
use rusqlite::{OptionalExtension, Transaction, params};
use strata_model::{Fingerprint, secret};

use crate::app_config::AppConfig;
use crate::column::{fingerprint_bytes, text};
use crate::pack::{EVENTS, Packer, REQUESTS, SOURCES, Shelf};
use crate::search::rows_of;
use crate::{SessionId, Store, StoreError};

/// The setting that says that what is stored is masked.
const SETTING: &str = "secrets.masked";

/// What looks like a key, by what it looks like.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundSecrets {
    /// Each value once, as its fingerprint.
    values: BTreeMap<&'static str, HashSet<Fingerprint>>,
    /// Places where they stand.
    pub n_places: u64,
}

impl FoundSecrets {
    /// Different values of each kind, by its name.
    pub fn kinds(&self) -> impl Iterator<Item = (&'static str, usize)> + '_ {
        self.values.iter().map(|(kind, values)| (*kind, values.len()))
    }

    /// Different values.
    pub fn n_values(&self) -> usize {
        self.values.values().map(HashSet::len).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.n_places == 0
    }

    /// Adds what was found elsewhere.
    pub fn add(&mut self, other: Self) {
        for (kind, values) in other.values {
            self.values.entry(kind).or_default().extend(values);
        }
        self.n_places += other.n_places;
    }

    /// The text without its secrets, which are noted; `None` where it has none.
    pub(crate) fn masked(&mut self, text: &str) -> Option<String> {
        let masked = mask_stored(text)?;
        for (kind, value) in masked.found {
            self.values.entry(kind).or_default().insert(Fingerprint::of(value.as_bytes()));
            self.n_places += 1;
        }
        Some(masked.text)
    }

    /// As [`Self::masked`], for what need not be text.
    fn masked_bytes(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        self.masked(&String::from_utf8_lossy(bytes)).map(String::into_bytes)
    }
}

/// A stored text without its secrets.
pub(crate) struct MaskedText<'t> {
    pub text: String,
    /// What each was, and its text.
    found: Vec<(&'static str, &'t str)>,
}

/// Masks what looks like a key in JSON, in a part of it, or in any other text. JSON stays JSON. `None` where nothing looks
/// like one.
pub(crate) fn mask_stored(text: &str) -> Option<MaskedText<'_>> {
    let mut masked = MaskedText { text: String::new(), found: Vec::new() };
    let mut done = 0;
    for found in secret::find(text) {
        masked.text.push_str(&text[done..found.range.start]);
        masked.text.push_str(&secret::label(found.kind));
        masked.found.push((found.kind, &text[found.range.clone()]));
        done = found.range.end;
    }
    if masked.found.is_empty() {
        return None;
    }
    masked.text.push_str(&text[done..]);
    Some(masked)
}

/// A column of texts about a session: its table, the column that says whose they are, the one that tells them apart.
struct TextColumn {
    table: &'static str,
    of: &'static str,
    key: &'static str,
    column: &'static str,
}

const fn texts(table: &'static str, of: &'static str, key: &'static str, column: &'static str) -> TextColumn {
    TextColumn { table, of, key, column }
}

const OF_RECORDING: [TextColumn; 1] = [texts("states", "recording", "position", "value")];
const OF_SOURCE: [TextColumn; 1] = [texts("diagnostics", "source", "position", "message")];
const OF_EXPERIMENT: [TextColumn; 1] = [texts("edits", "experiment", "position", "edit")];
const OF_SESSION: [TextColumn; 7] = [
    texts("sessions", "id", "id", "title"),
    texts("sessions", "id", "id", "summary"),
    texts("sessions", "id", "id", "other"),
    texts("app_configs", "session", "origin", "text"),
    texts("experiments", "session", "id", "name"),
    texts("lab_runs", "session", "id", "settings"),
    texts("lab_runs", "session", "id", "result"),
];

/// Whose texts are looked through.
struct Owner {
    recording: i64,
    source: i64,
    session: String,
}

impl Store {
    /// What looks like a key in a session and what was written about it. Nothing is changed.
    pub fn secrets_of(&self, session: &SessionId) -> Result<FoundSecrets, StoreError> {
        let snapshot = self.connection.unchecked_transaction()?;
        look_through(&snapshot, session, false)
    }

    /// Masks what looks like a key in a session and what was written about it, in one transaction. Its words are to be
    /// indexed again ([`Store::index_some`]).
    pub fn mask_secrets_of(&mut self, session: &SessionId) -> Result<FoundSecrets, StoreError> {
        self.change(|transaction| look_through(transaction, session, true))
    }

    /// Masks what looks like a key in answers that were paid for.
    pub fn mask_secrets_in_answers(&mut self) -> Result<FoundSecrets, StoreError> {
        self.change(|transaction| {
            let mut found = FoundSecrets::default();
            let mut select = transaction.prepare_cached("SELECT question, answer FROM paid_answers")?;
            let mut update =
                transaction.prepare_cached("UPDATE paid_answers SET answer = ?2 WHERE question = ?1")?;
            let answers: Vec<(Vec<u8>, String)> =
                select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
            for (question, answer) in answers {
                if let Some(masked) = found.masked(&answer) {
                    update.execute(params![question, masked])?;
                }
            }
            Ok(found)
        })
    }

    /// Whether what looks like a key is masked in what is stored from now on.
    pub fn masks_secrets(&self) -> Result<bool, StoreError> {
        Ok(self.setting(SETTING)?.as_deref() == Some("true"))
    }

    /// Says whether it is.
    pub fn set_masks_secrets(&mut self, masks: bool) -> Result<(), StoreError> {
        self.set_setting(SETTING, if masks { "true" } else { "false" })
    }

    /// Writes the file anew without what was removed from it, of which its free pages, its indexes of words and its log
    /// may hold some. It takes as much room again while it runs.
    pub fn give_back_space(&mut self) -> Result<(), StoreError> {
        self.change_unseen(|transaction| {
            transaction.execute("INSERT INTO search (search) VALUES ('optimize')", [])?;
            transaction.execute("INSERT INTO memory_words (memory_words) VALUES ('optimize')", [])?;
            Ok(())
        })?;
        self.connection.execute_batch("VACUUM")?;
        self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        Ok(())
    }
}

/// How texts are stored: as they are, or masked where that was asked for.
pub(crate) struct Masking {
    pub is_on: bool,
}

impl Masking {
    pub(crate) fn of(transaction: &Transaction<'_>) -> Result<Self, StoreError> {
        let mut find =
            transaction.prepare_cached("SELECT 1 FROM settings WHERE key = ?1 AND value = 'true'")?;
        Ok(Self { is_on: find.exists([SETTING])? })
    }

    /// The text as it is stored.
    pub(crate) fn stored<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let masked = if self.is_on { mask_stored(text) } else { None };
        masked.map_or(Cow::Borrowed(text), |masked| Cow::Owned(masked.text))
    }

    /// A configuration that came with a session, as it is stored.
    pub(crate) fn stored_config(&self, config: &AppConfig) -> AppConfig {
        AppConfig { text: self.stored(&config.text).into_owned(), ..config.clone() }
    }
}

/// Notes what looks like a key, and masks it where that is asked for.
fn look_through(
    transaction: &Transaction<'_>,
    session: &SessionId,
    masks: bool,
) -> Result<FoundSecrets, StoreError> {
    let mut found = FoundSecrets::default();
    let owner = transaction
        .prepare_cached("SELECT recording, source FROM sessions WHERE id = ?1")?
        .query_row([session.as_str()], |row| {
            Ok(Owner { recording: row.get(0)?, source: row.get(1)?, session: session.as_str().to_owned() })
        })
        .optional()?;
    let Some(owner) = owner else { return Ok(found) };
    let recording = owner.recording;
    let is_in_events = events(transaction, recording, masks, &mut found)?;
    for shelf in [SOURCES, REQUESTS] {
        values(transaction, shelf, recording, masks, &mut found)?;
    }
    let experiments: Vec<i64> = transaction
        .prepare_cached("SELECT id FROM experiments WHERE session = ?1")?
        .query_map([&owner.session], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    let mut columns: Vec<(&TextColumn, Value)> = Vec::new();
    columns.extend(OF_RECORDING.iter().map(|column| (column, recording.into())));
    columns.extend(OF_SOURCE.iter().map(|column| (column, owner.source.into())));
    columns.extend(OF_SESSION.iter().map(|column| (column, owner.session.clone().into())));
    for experiment in experiments {
        columns.extend(OF_EXPERIMENT.iter().map(|column| (column, experiment.into())));
    }
    let before = found.n_places;
    for (column, of) in columns {
        column.look_through(transaction, &of, masks, &mut found)?;
    }
    if masks && (is_in_events || found.n_places > before) {
        forget_words(transaction, recording)?;
    }
    Ok(found)
}

/// The index has words of what was masked.
fn forget_words(transaction: &Transaction<'_>, recording: i64) -> Result<(), StoreError> {
    transaction
        .prepare_cached("DELETE FROM search WHERE rowid >= ?1 AND rowid <= ?2")?
        .execute(rows_of(recording))?;
    transaction.prepare_cached("UPDATE recordings SET indexed = 0 WHERE id = ?1")?.execute([recording])?;
    Ok(())
}

/// Events, with what they come to up to each of them. True where there was something to mask.
fn events(
    transaction: &Transaction<'_>,
    recording: i64,
    masks: bool,
    found: &mut FoundSecrets,
) -> Result<bool, StoreError> {
    let is_found = values(transaction, EVENTS, recording, masks, found)?;
    if !is_found || !masks {
        return Ok(is_found);
    }
    let mut update = transaction.prepare_cached(
        "UPDATE events SET json_bytes = ?3, content = CASE WHEN content IS NULL THEN NULL ELSE ?4 END
         WHERE recording = ?1 AND seq = ?2",
    )?;
    let (mut content, mut json_bytes) = (Fingerprint::default(), 0);
    EVENTS.each(transaction, recording, 0..u32::MAX, |seq, json| {
        content = content.then(Fingerprint::of(json));
        json_bytes += json.len() as i64;
        update.execute(params![recording, seq, json.len() as i64, fingerprint_bytes(content)])?;
        Ok(())
    })?;
    transaction
        .prepare_cached("UPDATE recordings SET json_bytes = ?2, content = ?3 WHERE id = ?1")?
        .execute(params![recording, json_bytes, fingerprint_bytes(content)])?;
    Ok(true)
}

/// What is packed. True where there was something to mask.
fn values(
    transaction: &Transaction<'_>,
    shelf: Shelf,
    recording: i64,
    masks: bool,
    found: &mut FoundSecrets,
) -> Result<bool, StoreError> {
    let before = found.n_places;
    let mut all: Vec<Vec<u8>> = Vec::new();
    let mut first = None;
    shelf.each(transaction, recording, 0..u32::MAX, |number, value| {
        first = first.or(Some(number));
        let masked = found.masked_bytes(value);
        if masks {
            all.push(masked.unwrap_or_else(|| value.to_vec()));
        }
        Ok(())
    })?;
    let is_found = found.n_places > before;
    if let Some(first) = first.filter(|_| masks && is_found) {
        shelf.clear(transaction, recording)?;
        let mut packer = Packer::new(transaction, shelf, recording, first)?;
        for value in all {
            packer.push(&value)?;
        }
        packer.finish()?;
    }
    Ok(is_found)
}

impl TextColumn {
    fn look_through(
        &self,
        transaction: &Transaction<'_>,
        of: &Value,
        masks: bool,
        found: &mut FoundSecrets,
    ) -> Result<(), StoreError> {
        let Self { table, of: owner, key, column } = self;
        let mut changed: Vec<(Value, String)> = Vec::new();
        let mut select =
            transaction.prepare_cached(&format!("SELECT {key}, {column} FROM {table} WHERE {owner} = ?1"))?;
        let mut rows = select.query([of])?;
        while let Some(row) = rows.next()? {
            if let Some(masked) = found.masked(text(row, 1)?) {
                changed.push((row.get(0)?, masked));
            }
        }
        drop(rows);
        if masks {
            let mut update = transaction.prepare_cached(&format!(
                "UPDATE {table} SET {column} = ?3 WHERE {owner} = ?1 AND {key} = ?2"
            ))?;
            for (key, masked) in changed {
                update.execute(params![of, key, masked])?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use strata_model::json;

    #[test]
    fn json_stays_json_wherever_a_secret_ends() {
        let key = format!("sk-ant-api03-{}", "Ab3dEf6hIj".repeat(9));
        let cases = [
            (
                format!(
                    r#"{{"a":"x\n{key}","b":"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ","c":1}}"#
                ),
                2,
            ),
            (format!(r#"{{"note":"{key}"}}"#), 1),
            (r#"{"api_key":"0123456789abcdef0123456789abcdef\\"}"#.to_owned(), 1),
            (r#"{"command":"export PASSWORD=\"hunter2!!x\" && run"}"#.to_owned(), 1),
        ];
        for (text, n) in cases {
            let masked = mask_stored(&text).unwrap();
            assert_eq!(masked.found.len(), n, "{text}: {:?}", masked.found);
            assert!(json::parse(masked.text.as_bytes()).is_ok(), "{}", masked.text);
            for (_, value) in masked.found {
                assert!(!masked.text.contains(value), "{}", masked.text);
            }
        }
    }
}
