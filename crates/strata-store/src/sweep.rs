//! Clearing away recordings that no session shows: replaced, deleted, cancelled, or left by a killed import.
//!
//! Nothing here is visible to readers, so it happens in small transactions that let others write in between, and
//! being killed half-way only leaves the rest for the next time.

use rusqlite::{OptionalExtension, Transaction};

use crate::process_lock::{ProcessLock, Work};
use crate::search::rows_of;
use crate::{Store, StoreError};

/// Rows of one table that one transaction removes.
const ROWS_PER_STEP: u32 = 2_000;

/// Packs, which are many rows each.
const PACKS_PER_STEP: u32 = 100;

/// Steps that opening a database may spend; the next import does the rest.
const STEPS_WHEN_OPENING: usize = 20;

/// The tables that hold parts of a recording, with the other half of their key, and how much is removed at once.
const PARTS: [(&str, &str, u32); 9] = [
    ("event_packs", "last", PACKS_PER_STEP),
    ("event_json", "seq", ROWS_PER_STEP),
    ("events", "seq", ROWS_PER_STEP),
    ("source_packs", "last", PACKS_PER_STEP),
    ("raw_records", "number", ROWS_PER_STEP),
    ("requests", "position", ROWS_PER_STEP),
    ("request_packs", "last", PACKS_PER_STEP),
    ("request_pieces", "number", ROWS_PER_STEP),
    ("states", "position", ROWS_PER_STEP),
];

/// Does what a start of the program can afford. A failure changes nothing that anyone sees, and the next import
/// tries again.
pub(crate) fn clear_after_opening(store: &mut Store) {
    let _ = give_up_abandoned(store).and_then(|()| remove_discarded(store, STEPS_WHEN_OPENING));
}

/// Clears away everything that nobody needs any more.
pub(crate) fn clear(store: &mut Store) -> Result<(), StoreError> {
    give_up_abandoned(store)?;
    remove_discarded(store, usize::MAX)
}

/// Removes what was just discarded. What is left after a failure goes with the next import.
pub(crate) fn clear_discarded(store: &mut Store) {
    let _ = remove_discarded(store, usize::MAX);
}

/// Marks what killed imports left, so that it can be removed whether or not other imports start.
fn give_up_abandoned(store: &mut Store) -> Result<(), StoreError> {
    if !has_recording(store, "staged")? {
        return Ok(());
    }
    let _alone = match store.path() {
        None => None,
        Some(path) => match ProcessLock::exclusive(path, Work::Importing)? {
            Some(lock) => Some(lock),
            None => return Ok(()),
        },
    };
    store.change_unseen(|transaction| {
        transaction.execute("UPDATE recordings SET status = 'discarded' WHERE status = 'staged'", [])?;
        Ok(())
    })
}

/// Removes discarded recordings, in at most `steps` transactions.
fn remove_discarded(store: &mut Store, steps: usize) -> Result<(), StoreError> {
    for _ in 0..steps {
        if !has_recording(store, "discarded")? {
            break;
        }
        store.change_unseen(remove_some)?;
    }
    Ok(())
}

fn has_recording(store: &Store, status: &str) -> Result<bool, StoreError> {
    let sql = "SELECT 1 FROM recordings WHERE status <> 'kept' AND status = ?1";
    Ok(store.connection.prepare_cached(sql)?.exists([status])?)
}

fn remove_some(transaction: &Transaction<'_>) -> Result<(), StoreError> {
    let first = "SELECT id FROM recordings WHERE status <> 'kept' AND status = 'discarded' LIMIT 1";
    let Some(recording) = transaction.query_row(first, [], |row| row.get::<_, i64>(0)).optional()? else {
        return Ok(());
    };
    let [first, last] = rows_of(recording);
    let words = "DELETE FROM search WHERE rowid IN
        (SELECT rowid FROM search WHERE rowid >= ?1 AND rowid <= ?2 LIMIT ?3)";
    if transaction.execute(words, [first, last, i64::from(ROWS_PER_STEP)])? > 0 {
        return Ok(());
    }
    for (table, key, n) in PARTS {
        let removed = transaction.execute(
            &format!(
                "DELETE FROM {table} WHERE recording = ?1 AND {key} <= (SELECT max({key}) FROM
                 (SELECT {key} FROM {table} WHERE recording = ?1 ORDER BY {key} LIMIT {n}))"
            ),
            [recording],
        )?;
        if removed > 0 {
            return Ok(());
        }
    }
    transaction.execute("DELETE FROM recordings WHERE id = ?1", [recording])?;
    Ok(())
}
