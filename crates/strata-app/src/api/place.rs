//! Where agents leave their sessions on this computer.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// `place/list`: folders and databases of known tools, found without reading what is in them.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct List {}

/// `place/choose`: which places Home may read. A path that no tool is known to use becomes a place of one's own once it may
/// be read. Nothing is read by this.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Choose {
    pub choices: Vec<ChosenPlace>,
}

#[derive(Debug, Clone, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ChosenPlace {
    pub path: String,
    pub choice: PlaceChoice,
}

/// What a person said of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum PlaceChoice {
    /// Nothing yet: it is not read.
    Open,
    Read,
    /// Not this place: it is not asked about again.
    Leave,
}

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
    /// Of these files.
    pub bytes: f64,
    /// Whether Home may read it.
    pub choice: PlaceChoice,
    /// A person named it; no tool is known to write it.
    pub is_own: bool,
    /// Its files are other tools' sessions, rendered as text: Home leaves them out.
    pub is_rendered: bool,
    /// Epoch milliseconds of the file that was written last, if known.
    pub newest_ms: Option<f64>,
}
