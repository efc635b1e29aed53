//! What exporters send.

use serde::Serialize;

/// What an exporter sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Signal {
    Traces,
    Logs,
    /// Counts over time, of which no session can be made.
    Metrics,
}
