//! The schema, version by version.
//!
//! The version of a file is its `user_version`. A new version is a new entry of [`MIGRATIONS`] and of `FORMATS.md`;
//! an entry that was released never changes. `tests/fixtures` holds a database of every version, and a test opens
//! each of them: a version without its fixture fails.

use rusqlite::Transaction;

/// What brings a database from version `index` to version `index + 1`.
const MIGRATIONS: &[&str] = &[
    include_str!("migration/v1.sql"),
    include_str!("migration/v2.sql"),
    include_str!("migration/v3.sql"),
    include_str!("migration/v4.sql"),
    include_str!("migration/v5.sql"),
    include_str!("migration/v6.sql"),
    include_str!("migration/v7.sql"),
    include_str!("migration/v8.sql"),
    include_str!("migration/v9.sql"),
];

/// The version this build reads and writes.
pub const SCHEMA_VERSION: u32 = MIGRATIONS.len() as u32;

/// "STRA", in the header of every file of ours.
pub(crate) const APPLICATION_ID: i32 = 0x5354_5241;

/// Brings a database of version `from` up to date, and leaves it as it was when that fails.
pub(crate) fn migrate(transaction: &Transaction<'_>, from: u32) -> rusqlite::Result<()> {
    for migration in &MIGRATIONS[from as usize..] {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", SCHEMA_VERSION)
}
