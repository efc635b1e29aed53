//! What agents say, and which events end it.

use std::sync::Arc;

use strata_model::{Event, Part};

/// Whether the agent has nothing to add to the event.
pub fn is_final_response(event: &Event) -> bool {
    let is_long_running = event.long_running_tool_ids.as_ref().is_some_and(|ids| !ids.is_empty());
    if event.actions.skip_summarization == Some(true) || is_long_running {
        return true;
    }
    let is_partial = event.partial == Some(true);
    let has_calls = event.function_calls().next().is_some();
    let is_error = event.error_code.as_deref().is_some_and(|code| !code.is_empty());
    if is_error && !is_partial && !has_calls {
        return true;
    }
    let ends_with_code_result = event.parts().last().is_some_and(|part| part.code_execution_result.is_some());
    !has_calls && event.function_responses().next().is_none() && !is_partial && !ends_with_code_result
}

/// The words of parts, thoughts left out.
pub fn text_of(parts: &[Arc<Part>]) -> String {
    let texts = parts.iter().filter(|part| !part.is_thought());
    texts.filter_map(|part| part.text.as_deref()).collect()
}
