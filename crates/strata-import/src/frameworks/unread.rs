//! What frameworks write that is recognised and not read.

use crate::keys::Keys;

/// What agno writes of a run or streams of it, and its sessions, which hold runs.
pub(crate) fn is_agno(keys: Keys<'_>) -> bool {
    let is_run = |keys: Keys<'_>| {
        keys.has_all(&["run_id", "session_id", "content_type"]) && keys.has_any(&["agent_id", "team_id"])
    };
    is_run(keys) || (keys.has("session_data") && keys.first_of("runs").is_some_and(is_run))
}

/// A call in the history of DSPy whose answer was printed, as an encoder does with an object that it does not know.
pub(crate) fn is_printed_dspy(keys: Keys<'_>) -> bool {
    keys.has_all(&["messages", "kwargs", "outputs", "uuid"]) && !keys.text("response").is_empty()
}
