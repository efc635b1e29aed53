//! Processors that can be inserted.

use serde::{Deserialize, Serialize};
use strata_model::Json;
use ts_rs::TS;

/// `processor/catalog`: kinds of processors that can be inserted, with what can be set about each.
#[derive(Debug, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Catalog {}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProcessorCatalog {
    pub kinds: Vec<ProcessorKind>,
}

#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ProcessorKind {
    /// For `insert_processor`'s `use`.
    pub name: String,
    pub title: String,
    /// A sentence or two.
    pub summary: String,
    /// The processor it stands before, unless an edit says otherwise.
    pub place: String,
    pub params: Vec<Param>,
}

/// A parameter, with all that a form for it needs.
#[derive(Debug, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Param {
    pub name: String,
    pub input: ParamInput,
    /// Null for one that may be left empty.
    #[ts(type = "unknown")]
    pub default: Json,
    /// What a number counts: `rows`, `characters`.
    pub unit: Option<String>,
    /// A sentence.
    pub doc: String,
}

/// What a parameter is typed into.
#[derive(Debug, Serialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum ParamInput {
    /// A whole number, both ends included.
    Integer {
        min: f64,
        /// Absent: without an end.
        max: Option<f64>,
    },
    /// One line.
    Text,
    Choice {
        words: Vec<String>,
    },
    /// A list of words, such as names of tools.
    Words,
    /// JavaScript.
    Code,
}
