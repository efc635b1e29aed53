//! Where sessions came from.

use rusqlite::{OptionalExtension, Transaction, params};
use strata_model::{Diagnostic, Fingerprint, Severity};

use crate::column::{fingerprint, fingerprint_bytes, text};
use crate::kept_secrets::Masking;
use crate::{SessionId, Store, StoreError};

/// A file, or something with a name, that sessions are imported from.
#[derive(Debug, Clone, PartialEq)]
pub struct Source {
    /// The path of a file, or a label. There is one source for each location.
    pub location: String,
    /// The name of the format it was read as.
    pub format: String,
    pub size_bytes: u64,
    /// Epoch milliseconds; `None` when it is not a file.
    pub modified_ms: Option<i64>,
    /// Of all its bytes; `None` when they were not all seen, and then it always counts as changed.
    pub content: Option<Fingerprint>,
    /// Epoch milliseconds of the import.
    pub imported_at_ms: i64,
}

impl Source {
    /// Whether a file of this size and time is probably the one that was imported: reason enough to skip it when
    /// looking through a folder, not when a person asks for this very file.
    pub fn looks_unchanged(&self, size_bytes: u64, modified_ms: i64) -> bool {
        self.content.is_some() && self.size_bytes == size_bytes && self.modified_ms == Some(modified_ms)
    }

    /// Whether these are the bytes that were imported, so that importing them again would change nothing.
    pub fn is_unchanged(&self, content: Fingerprint) -> bool {
        self.content == Some(content)
    }
}

/// A finding about a source, as it was reported when the source was imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredDiagnostic {
    pub severity: Severity,
    pub code: String,
    pub message: String,
    pub at: String,
}

impl From<&Diagnostic> for StoredDiagnostic {
    fn from(diagnostic: &Diagnostic) -> Self {
        Self {
            severity: diagnostic.severity,
            code: diagnostic.code.into(),
            message: diagnostic.message.clone(),
            at: diagnostic.at.clone(),
        }
    }
}

impl Store {
    /// What is known of the source at `location`; `None` when nothing of it is stored.
    pub fn source(&self, location: &str) -> Result<Option<Source>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT location, format, size_bytes, modified_ms, content, imported_at_ms FROM sources
             WHERE location = ?1",
        )?;
        let source = statement.query_row([location], |row| {
            Ok(Source {
                location: row.get(0)?,
                format: row.get(1)?,
                size_bytes: row.get::<_, i64>(2)? as u64,
                modified_ms: row.get(3)?,
                content: fingerprint(row, 4)?,
                imported_at_ms: row.get(5)?,
            })
        });
        Ok(source.optional()?)
    }

    /// The sessions that came from the source at `location`, by id.
    pub fn source_sessions(&self, location: &str) -> Result<Vec<SessionId>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id FROM sessions WHERE source = (SELECT id FROM sources WHERE location = ?1) ORDER BY id",
        )?;
        let ids = statement.query_map([location], |row| Ok(SessionId::from(text(row, 0)?)))?;
        Ok(ids.collect::<Result<_, _>>()?)
    }

    /// What the last import of the source at `location` found, in the order it was reported.
    pub fn diagnostics(&self, location: &str) -> Result<Vec<StoredDiagnostic>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT severity, code, message, at FROM diagnostics
             WHERE source = (SELECT id FROM sources WHERE location = ?1) ORDER BY position",
        )?;
        let diagnostics = statement.query_map([location], |row| {
            Ok(StoredDiagnostic {
                severity: severity(text(row, 0)?),
                code: row.get(1)?,
                message: row.get(2)?,
                at: row.get(3)?,
            })
        })?;
        Ok(diagnostics.collect::<Result<_, _>>()?)
    }
}

/// Writes what is known of a source and what its import found. Returns the number of its row.
pub(crate) fn write_source(
    transaction: &Transaction<'_>,
    source: &Source,
    diagnostics: &[Diagnostic],
) -> Result<i64, StoreError> {
    let number: i64 = transaction.query_row(
        "INSERT INTO sources (location, format, size_bytes, modified_ms, content, imported_at_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)
         ON CONFLICT (location) DO UPDATE SET format = excluded.format, size_bytes = excluded.size_bytes,
             modified_ms = excluded.modified_ms, content = excluded.content,
             imported_at_ms = excluded.imported_at_ms
         RETURNING id",
        params![
            source.location,
            source.format,
            source.size_bytes as i64,
            source.modified_ms,
            source.content.map(fingerprint_bytes),
            source.imported_at_ms
        ],
        |row| row.get(0),
    )?;
    transaction.execute("DELETE FROM diagnostics WHERE source = ?1", [number])?;
    let mut insert = transaction.prepare_cached("INSERT INTO diagnostics VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
    let masking = Masking::of(transaction)?;
    for (position, diagnostic) in diagnostics.iter().enumerate() {
        let Diagnostic { severity, code, message, at } = diagnostic;
        insert.execute(params![
            number,
            position as i64,
            severity_name(*severity),
            code,
            masking.stored(message),
            at
        ])?;
    }
    Ok(number)
}

fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "info",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// The schema allows no other names than those of [`severity_name`].
fn severity(name: &str) -> Severity {
    match name {
        "info" => Severity::Info,
        "warning" => Severity::Warning,
        _ => Severity::Error,
    }
}
