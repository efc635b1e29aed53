//! By whose rules requests are made.

/// By whose rules a session's requests were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FlowKind {
    /// google-adk's.
    Adk,
    /// Another program's: only what the session itself holds can be shown, so nothing ADK would add is added.
    Transcript,
}
