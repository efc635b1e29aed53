//! The state a session ended with, one row a key.

use rusqlite::{Connection, Transaction, params};
use strata_model::{Object, Scope, json};

use crate::StoreError;
use crate::column::{parse, text};
use crate::kept_secrets::Masking;

/// Writes the state as it was recorded. ADK never stores `temp:` keys; a recording that has them keeps them.
pub(crate) fn write_state(
    transaction: &Transaction<'_>,
    recording: i64,
    state: &Object,
) -> Result<(), StoreError> {
    let mut insert = transaction.prepare_cached("INSERT INTO states VALUES (?1, ?2, ?3, ?4, ?5)")?;
    let masking = Masking::of(transaction)?;
    for (position, (key, value)) in state.iter().enumerate() {
        let (scope, name) = match Scope::of(key) {
            Scope::App => ("app", &key["app:".len()..]),
            Scope::User => ("user", &key["user:".len()..]),
            Scope::Session | Scope::Temp => ("session", &**key),
        };
        let value = json::to_compact(value);
        insert.execute(params![recording, position as i64, scope, name, masking.stored(&value)])?;
    }
    Ok(())
}

/// The state of a recording with the prefixes and the order of keys that it was recorded with.
pub(crate) fn read_state(connection: &Connection, recording: i64) -> Result<Object, StoreError> {
    let mut statement = connection
        .prepare_cached("SELECT scope, key, value FROM states WHERE recording = ?1 ORDER BY position")?;
    let mut rows = statement.query([recording])?;
    let mut state = Object::new();
    while let Some(row) = rows.next()? {
        let name = text(row, 1)?;
        let key = match text(row, 0)? {
            "session" => name.to_owned(),
            scope => format!("{scope}:{name}"),
        };
        state.push(key, parse(text(row, 2)?)?);
    }
    Ok(state)
}
