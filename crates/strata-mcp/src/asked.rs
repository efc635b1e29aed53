//! Who asks, and what for.

use serde_json::{Map, Value};
use strata_app::report::Watch;
use tokio_util::sync::CancellationToken;

use crate::arguments::Arguments;

/// A call of a tool.
pub(crate) struct Question {
    pub arguments: Arguments,
    pub caller: Caller,
    pub stop: Stop,
}

/// What is known of whoever asks.
#[derive(Debug, Clone, Default)]
pub(crate) struct Caller {
    /// The id that the model gave to this very call.
    pub tool_use: Option<String>,
    /// Ids of sessions and threads, the narrowest first.
    pub sessions: Vec<String>,
    /// Folders that the client works in.
    pub folders: Vec<String>,
}

impl Caller {
    /// What a client says of itself beside the arguments of a call.
    pub(crate) fn of_meta(meta: &Map<String, Value>) -> Self {
        let text = |of: &Map<String, Value>, name: &str| of.get(name)?.as_str().map(str::to_owned);
        let turn = meta.get("x-codex-turn-metadata").and_then(Value::as_object).cloned().unwrap_or_default();
        let ids = [text(meta, "threadId"), text(meta, "sessionId"), text(&turn, "thread_id")];
        let mut sessions: Vec<String> = ids.into_iter().flatten().collect();
        sessions.extend(text(&turn, "session_id"));
        sessions.dedup();
        let workspaces = turn.get("workspaces").and_then(Value::as_object).cloned().unwrap_or_default();
        Self {
            tool_use: text(meta, "claudecode/toolUseId"),
            sessions,
            folders: workspaces.keys().cloned().collect(),
        }
    }
}

/// Ends the work of a call that is no longer waited for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stop(pub CancellationToken);

impl Watch for Stop {
    fn progress(&self, _: u64, _: u64) {}

    fn stop(&self) -> &CancellationToken {
        &self.0
    }
}
