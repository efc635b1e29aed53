//! What exporters send.

/// What an exporter sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Traces,
    Logs,
    /// Counts over time, of which no session can be made.
    Metrics,
}
