//! State as instructions are shown it.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// `call/state`: the state at a call, with what a state map can keep of each value.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct CallState {
    pub session: String,
    pub call: u32,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StateValues {
    /// Those in the prompt first, then the longest.
    pub rows: Vec<StateValueRow>,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StateValueRow {
    pub key: String,
    /// Of the value as recorded, written as JSON.
    pub characters: f64,
    /// Characters of it in the call's instruction; 0 where that does not show it.
    pub sent_characters: f64,
    /// Entries of a list or of an object of objects; 1 for an object alone, 0 for a value without fields.
    pub entries: u32,
    /// What its entries have, in the order in which they come.
    pub fields: Vec<StateFieldRow>,
    /// The fields that a state map shows; empty where there is none.
    pub shown: Vec<String>,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StateFieldRow {
    pub name: String,
    /// Entries that have it.
    pub entries: u32,
    /// Of its values in all entries.
    pub characters: f64,
}
