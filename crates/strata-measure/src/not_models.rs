//! Who writes summaries without being a model.

/// Sentences taken from the events.
pub const EXTRACTIVE: &str = "extractive";

/// Whoever wrote the summary that is in the recording.
pub(crate) const RECORDED: &str = "recorded";
