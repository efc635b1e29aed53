//! Where agents leave their sessions on this computer.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// `place/list`: folders and databases of known tools, found without reading what is in them.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct List {}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PlaceList {
    /// The one written last first.
    pub places: Vec<PlaceRow>,
}

/// `session/import` with its path reads what is in it.
#[derive(Debug, Clone, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PlaceRow {
    /// The tool that writes it.
    pub tool: String,
    pub path: String,
    /// Files that are sessions, or lists of them, by their names.
    pub files: u32,
    /// There are more files, which were not counted.
    pub is_capped: bool,
    /// Epoch milliseconds of the file that was written last, if known.
    pub newest_ms: Option<f64>,
}
