//! What gives away what ADK writes in JSON and as text.

use crate::head::Head;
use crate::keys::Keys;

pub(crate) fn is_eval_set(keys: Keys<'_>) -> bool {
    keys.has_any(&["eval_cases", "evalCases"]) || is_test(keys)
}

/// A question of a legacy test, or one of several tests.
pub(crate) fn is_query(keys: Keys<'_>) -> bool {
    keys.has_any(&["query", "expected_tool_use"]) || is_test(keys)
}

/// A legacy test: questions, and what the session begins with.
fn is_test(keys: Keys<'_>) -> bool {
    let is_question =
        |first: Keys<'_>| first.has("query") && first.has_any(&["expected_tool_use", "reference"]);
    let is_begun = keys.has_any(&["initial_session", "initial_state"]);
    keys.holds_list("data") && (is_begun || keys.first_of("data").is_some_and(is_question))
}

pub(crate) fn is_eval_result(keys: Keys<'_>) -> bool {
    keys.has_any(&["eval_case_results", "evalCaseResults"])
}

pub(crate) fn is_session(keys: Keys<'_>) -> bool {
    let is_named = keys.has_any(&["appName", "app_name"]) && keys.has("id");
    let is_owned = keys.has_any(&["userId", "user_id"]) && keys.has_any(&["state", "events"]);
    (is_named && (is_owned || keys.has("events"))) || keys.first_of("events").is_some_and(is_event)
}

pub(crate) fn is_event(keys: Keys<'_>) -> bool {
    let has_invocation = keys.has_any(&["invocationId", "invocation_id"]);
    let has_payload = keys.has_any(&["content", "actions", "nodeInfo", "node_info", "errorCode"]);
    keys.has("author") && (has_invocation || has_payload)
}

/// A session of ADK's internal predecessors.
pub(crate) fn is_before_1(keys: Keys<'_>) -> bool {
    let has_old_keys = keys.has_any(&["past_events", "pending_events", "event_logs"]);
    // Spans of tracers have a context, too, with their ids in it.
    let has_context = keys.has_all(&["id", "context", "events"])
        && !keys.has_any(&["appName", "app_name"])
        && !keys.inner_has("context", &["trace_id"]);
    has_old_keys || has_context
}

pub(crate) fn is_event_stream(head: &Head<'_>) -> bool {
    head.streams(is_event)
}

pub(crate) fn is_debug_log(head: &Head<'_>) -> bool {
    head.has_line("invocation_id:") && head.has_line("session_id:")
}
