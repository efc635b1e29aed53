//! The state a session ended with: one row a key, and of large states one row for many keys.

use rusqlite::{CachedStatement, Connection, Transaction, params};
use strata_model::{Json, Object, Scope, json};

use crate::StoreError;
use crate::column::{parse, text};
use crate::kept_secrets::Masking;

/// Keys that stand in rows of their own. A row takes more room than what most keys of a larger state say.
const MOST_ROWS: usize = 100;
/// About so many bytes of keys and values share a row.
const SHARED_BYTES: usize = 64 * 1024;

/// Stands in the place of scope and key where a row has many keys, with the prefixes that they were recorded with. A key
/// that is called so, `app:`, is written as one of many, too.
const SHARED: (&str, &str) = ("app", "");

/// Writes the state as it was recorded. ADK never stores `temp:` keys; a recording that has them keeps them.
pub(crate) fn write_state(
    transaction: &Transaction<'_>,
    recording: i64,
    state: &Object,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO states VALUES (?1, ?2, ?3, ?4, ?5)";
    let mut writer = StateWriter {
        insert: transaction.prepare_cached(sql)?,
        recording,
        masking: Masking::of(transaction)?,
        n_rows: 0,
    };
    let is_large = state.len() > MOST_ROWS;
    let mut shared = String::new();
    for (key, value) in state.iter() {
        let (scope, name) = match Scope::of(key) {
            Scope::App => ("app", &key["app:".len()..]),
            Scope::User => ("user", &key["user:".len()..]),
            Scope::Session | Scope::Temp => ("session", &**key),
        };
        if !is_large && (scope, name) != SHARED {
            writer.row((scope, name), &json::to_compact(value))?;
            continue;
        }
        shared.push(if shared.is_empty() { '{' } else { ',' });
        json::write_compact_string(&mut shared, key);
        shared.push(':');
        json::write_compact(&mut shared, value);
        if !is_large || shared.len() >= SHARED_BYTES {
            writer.shared(&mut shared)?;
        }
    }
    writer.shared(&mut shared)
}

struct StateWriter<'t> {
    insert: CachedStatement<'t>,
    recording: i64,
    masking: Masking,
    n_rows: i64,
}

impl StateWriter<'_> {
    fn row(&mut self, (scope, name): (&str, &str), value: &str) -> Result<(), StoreError> {
        let value = self.masking.stored(value);
        self.insert.execute(params![self.recording, self.n_rows, scope, name, value])?;
        self.n_rows += 1;
        Ok(())
    }

    /// Writes the members of an object that is not closed, and begins another one.
    fn shared(&mut self, members: &mut String) -> Result<(), StoreError> {
        if members.is_empty() {
            return Ok(());
        }
        members.push('}');
        self.row(SHARED, members)?;
        members.clear();
        Ok(())
    }
}

/// The state of a recording with the prefixes and the order of keys that it was recorded with.
pub(crate) fn read_state(connection: &Connection, recording: i64) -> Result<Object, StoreError> {
    let mut statement = connection
        .prepare_cached("SELECT scope, key, value FROM states WHERE recording = ?1 ORDER BY position")?;
    let mut rows = statement.query([recording])?;
    let mut state = Object::new();
    while let Some(row) = rows.next()? {
        let (scope, name, value) = (text(row, 0)?, text(row, 1)?, parse(text(row, 2)?)?);
        match (scope, value) {
            (scope, Json::Object(shared)) if (scope, name) == SHARED => {
                shared.into_iter().for_each(|(key, value)| state.push(key, value));
            }
            ("session", value) => state.push(name, value),
            (scope, value) => state.push(format!("{scope}:{name}"), value),
        }
    }
    Ok(state)
}
