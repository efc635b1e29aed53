//! The app configuration that prompts were compiled with.

use serde::Serialize;

use crate::open::AppSource;

/// An app configuration, and how far it can be trusted.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AppReport {
    pub name: String,
    /// Made from what the events tell: what they do not tell is missing from every prompt.
    pub inferred: bool,
    /// The file it was read from.
    pub source: Option<String>,
    /// What was inferred and what could not be, a sentence each.
    pub notes: Vec<String>,
    /// Nothing says which model some agent called; its prompts are counted by a guess, and have no price.
    pub names_no_model: bool,
    /// The model that was chosen for these: they are counted and priced as if sent to it.
    pub as_if: Option<String>,
}

impl From<&AppSource> for AppReport {
    fn from(app: &AppSource) -> Self {
        Self {
            name: app.app.name.to_string(),
            inferred: app.is_inferred,
            source: app.location.clone(),
            notes: app.notes.clone(),
            names_no_model: app.names_no_model,
            as_if: app.as_if.clone(),
        }
    }
}
