//! Files that agents save: names with versions, in a session or of a user. What a version holds stands once in the file,
//! by its hash, however many versions, names and sessions have it.

use std::fmt::Write as _;

use rusqlite::{OptionalExtension as _, Row, Transaction, params};
use sha2::{Digest as _, Sha256};

use crate::kept_secrets::Masking;
use crate::pack::{packed, unpacked};
use crate::{Store, StoreError};

/// Whose files they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArtifactHome<'h> {
    pub app: &'h str,
    pub user: &'h str,
    /// `None`: those of the user in all sessions.
    pub session: Option<&'h str>,
}

/// What is saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewArtifact<'a> {
    pub name: &'a str,
    /// JSON of the part; `None` for a version without content.
    pub part: Option<&'a str>,
    pub mime_type: Option<&'a str>,
    /// Of what is in it, decoded.
    pub bytes: u64,
    pub saved_at_ms: i64,
}

/// A version of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactVersion {
    pub app: String,
    pub user: String,
    /// `None`: it is the user's in all sessions.
    pub session: Option<String>,
    pub name: String,
    /// Counted from 0.
    pub version: u32,
    /// SHA-256 of its part as JSON, in hexadecimal; `None` for a version without content.
    pub hash: Option<String>,
    pub mime_type: Option<String>,
    pub bytes: u64,
    pub saved_at_ms: i64,
}

const COLUMNS: &str = "app, user, session, name, version, blob, mime_type, bytes, saved_at_ms";

/// Each change is one transaction: it is on disk when the call returns, or nothing of it is.
impl Store {
    /// Saves another version of a file, and gives its number, counted from 0.
    pub fn save_artifact(&mut self, home: ArtifactHome<'_>, new: NewArtifact<'_>) -> Result<u32, StoreError> {
        self.change(|transaction| {
            let part = new
                .part
                .map(|part| Masking::of(transaction).map(|masking| masking.stored(part).into_owned()));
            let hash = part.transpose()?.map(|part| kept_blob(transaction, &part)).transpose()?;
            let session = home.session.unwrap_or_default();
            let version: i64 = transaction
                .prepare_cached(
                    "SELECT coalesce(max(version) + 1, 0) FROM artifacts
                     WHERE app = ?1 AND user = ?2 AND session = ?3 AND name = ?4",
                )?
                .query_row(params![home.app, home.user, session, new.name], |row| row.get(0))?;
            let sql =
                format!("INSERT INTO artifacts ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)");
            transaction.prepare_cached(&sql)?.execute(params![
                home.app,
                home.user,
                session,
                new.name,
                version,
                hash,
                new.mime_type,
                new.bytes as i64,
                new.saved_at_ms
            ])?;
            Ok(version as u32)
        })
    }

    /// All versions of all files, by app, user, session and name; oldest versions first. Files of users go before those of
    /// their sessions.
    pub fn artifacts(&self) -> Result<Vec<ArtifactVersion>, StoreError> {
        let sql = format!("SELECT {COLUMNS} FROM artifacts ORDER BY app, user, session, name, version");
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows = statement.query_map([], version)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// All versions of the files of one home, by name; oldest first.
    pub fn artifacts_of(&self, home: ArtifactHome<'_>) -> Result<Vec<ArtifactVersion>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM artifacts WHERE app = ?1 AND user = ?2 AND session = ?3 ORDER BY name, version"
        );
        let mut statement = self.connection.prepare_cached(&sql)?;
        let rows =
            statement.query_map(params![home.app, home.user, home.session.unwrap_or_default()], version)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The part with a hash, as JSON; `None` where nothing has it any more.
    pub fn artifact_part(&self, hash: &str) -> Result<Option<String>, StoreError> {
        let Some(hash) = from_hex(hash) else { return Ok(None) };
        let mut select = self.connection.prepare_cached("SELECT packed FROM blobs WHERE hash = ?1")?;
        let found: Option<Vec<u8>> = select.query_row([hash], |row| row.get(0)).optional()?;
        let bytes = found.map(|bytes| unpacked(&bytes)).transpose()?;
        bytes.map(crate::column::utf8).transpose()
    }

    /// Takes a file out with all of its versions, and what they alone held. Gives how many versions there were.
    pub fn remove_artifact(&mut self, home: ArtifactHome<'_>, name: &str) -> Result<u32, StoreError> {
        self.change(|transaction| {
            let session = home.session.unwrap_or_default();
            let n = transaction
                .prepare_cached(
                    "DELETE FROM artifacts WHERE app = ?1 AND user = ?2 AND session = ?3 AND name = ?4",
                )?
                .execute(params![home.app, home.user, session, name])?;
            sweep_blobs(transaction)?;
            Ok(n as u32)
        })
    }

    /// What looks like a key in files that agents saved; masked where that is asked for.
    pub fn secrets_in_artifacts(&mut self, masks: bool) -> Result<crate::FoundSecrets, StoreError> {
        self.change(|transaction| {
            let mut found = crate::FoundSecrets::default();
            let mut select = transaction.prepare_cached("SELECT hash, packed FROM blobs")?;
            let blobs = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let blobs: Vec<(Vec<u8>, Vec<u8>)> = blobs.collect::<Result<_, _>>()?;
            for (hash, packed) in blobs {
                let text = crate::column::utf8(unpacked(&packed)?)?;
                if let Some(masked) = found.masked(&text)
                    && masks
                {
                    let new = kept_blob(transaction, &masked)?;
                    transaction
                        .prepare_cached("UPDATE artifacts SET blob = ?2 WHERE blob = ?1")?
                        .execute(params![hash, new])?;
                }
            }
            sweep_blobs(transaction)?;
            Ok(found)
        })
    }
}

/// Keeps a part, unless it is there, and gives its hash.
fn kept_blob(transaction: &Transaction<'_>, part: &str) -> Result<Vec<u8>, StoreError> {
    let hash = Sha256::digest(part.as_bytes()).to_vec();
    let is_there = transaction.prepare_cached("SELECT 1 FROM blobs WHERE hash = ?1")?.exists([&hash])?;
    if !is_there {
        let packed = packed(part.as_bytes())?;
        transaction
            .prepare_cached("INSERT INTO blobs (hash, packed) VALUES (?1, ?2)")?
            .execute(params![hash, packed])?;
    }
    Ok(hash)
}

fn sweep_blobs(transaction: &Transaction<'_>) -> Result<(), StoreError> {
    let sql = "DELETE FROM blobs WHERE NOT EXISTS (SELECT 1 FROM artifacts WHERE blob = hash)";
    transaction.prepare_cached(sql)?.execute([])?;
    Ok(())
}

fn version(row: &Row<'_>) -> rusqlite::Result<ArtifactVersion> {
    let session: String = row.get(2)?;
    let hash: Option<Vec<u8>> = row.get(5)?;
    Ok(ArtifactVersion {
        app: row.get(0)?,
        user: row.get(1)?,
        session: Some(session).filter(|session| !session.is_empty()),
        name: row.get(3)?,
        version: row.get::<_, i64>(4)? as u32,
        hash: hash.map(|hash| {
            hash.iter().fold(String::new(), |mut text, byte| {
                // A text takes all that is written.
                let _ = write!(text, "{byte:02x}");
                text
            })
        }),
        mime_type: row.get(6)?,
        bytes: row.get::<_, i64>(7)? as u64,
        saved_at_ms: row.get(8)?,
    })
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok());
    digits.map(|pair| u8::from_str_radix(pair.filter(|pair| pair.len() == 2)?, 16).ok()).collect()
}
