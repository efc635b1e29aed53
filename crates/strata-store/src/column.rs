//! Values that SQLite has no type for, as they stand in columns.

use rusqlite::Row;
use strata_model::{Fingerprint, Json, Object, json, secret};

use crate::StoreError;

pub(crate) fn text<'r>(row: &'r Row<'_>, column: usize) -> rusqlite::Result<&'r str> {
    Ok(row.get_ref(column)?.as_str()?)
}

/// Text that this crate wrote, as the bytes of it: when it is none, the file was damaged.
pub(crate) fn utf8(bytes: Vec<u8>) -> Result<String, StoreError> {
    String::from_utf8(bytes)
        .map_err(|error| StoreError::Corrupt { detail: format!("stored text cannot be read ({error})") })
}

/// A title as lists show it: those of earlier versions may hold what looks like a key.
pub(crate) fn shown_title(title: String) -> String {
    match secret::mask(&title) {
        Some(masked) => masked.text,
        None => title,
    }
}

pub(crate) fn fingerprint_bytes(fingerprint: Fingerprint) -> [u8; 16] {
    fingerprint.0.to_be_bytes()
}

pub(crate) fn fingerprint(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<Fingerprint>> {
    let bytes: Option<[u8; 16]> = row.get(column)?;
    Ok(bytes.map(|bytes| Fingerprint(u128::from_be_bytes(bytes))))
}

/// JSON that this crate wrote: when it cannot be read, the file was damaged.
pub(crate) fn parse(text: impl AsRef<[u8]>) -> Result<Json, StoreError> {
    json::parse_own(text.as_ref())
        .map_err(|error| StoreError::Corrupt { detail: format!("stored JSON cannot be read ({error})") })
}

pub(crate) fn parse_object(text: &str) -> Result<Object, StoreError> {
    match parse(text)? {
        Json::Object(object) => Ok(object),
        other => {
            let detail = format!("stored JSON should be an object but is {}", other.kind());
            Err(StoreError::Corrupt { detail })
        }
    }
}
