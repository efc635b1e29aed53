//! What numbers rest on, in documents.

use serde::Serialize;
use strata_model::Evidence;

/// What the request of a call is known from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EvidenceReport {
    /// `wire`, `client`, `telemetry`, `given` or `inferred`: the best first.
    pub kind: &'static str,
    /// All of it for people, in one phrase.
    pub said: String,
    /// A format, or the file of a configuration; empty where it was inferred.
    pub source: String,
    /// What it does not hold.
    pub lacks: Vec<&'static str>,
    /// Edits change something of what was recorded.
    pub edited: bool,
}

impl From<&Evidence> for EvidenceReport {
    fn from(evidence: &Evidence) -> Self {
        Self {
            kind: evidence.kind.name(),
            said: evidence.said(),
            source: evidence.source.clone(),
            lacks: evidence.lacks.iter().map(|gap| gap.said()).collect(),
            edited: evidence.is_edited,
        }
    }
}
