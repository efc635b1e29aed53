//! What is made of a response before it becomes an event.

use strata_model::app::Planner;
use strata_model::{Agent, Json, LlmResponse, Part, python};

use super::planning;
use crate::adk_text::{NO_CONTENT, NO_CONTENT_CODE, NO_MEANINGFUL_CONTENT};

/// Marks a response that ended as it should and says nothing: that is an error, and no answer.
pub(super) fn mark_empty(response: &mut LlmResponse, is_streaming: bool) {
    let has_parts = response.content.as_ref().is_some_and(|content| !content.parts().is_empty());
    let is_whole = response.partial != Some(true);
    let has_stopped = response.finish_reason.as_deref() == Some("STOP") && response.error_code.is_none();
    if !is_whole || !has_stopped || (is_streaming && !has_parts) || has_meaning(response) {
        return;
    }
    response.error_code = Some(NO_CONTENT_CODE.into());
    if response.error_message.as_deref().is_none_or(str::is_empty) {
        response.error_message = Some(if has_parts { NO_MEANINGFUL_CONTENT } else { NO_CONTENT }.into());
    }
}

fn has_meaning(response: &LlmResponse) -> bool {
    let has_meaning = |part: &Part| {
        part.function_call.is_some()
            || part.function_response.is_some()
            || part.executable_code.is_some()
            || part.code_execution_result.is_some()
            || part.inline_data.is_some()
            || part.file_data.is_some()
            || (!part.is_thought()
                && part.text.as_deref().is_some_and(|text| !python::strip(text).is_empty()))
    };
    response.content.as_ref().is_some_and(|content| content.parts().iter().any(|part| has_meaning(part)))
}

/// The response processors, in google-adk's order.
pub(super) fn run_processors(agent: &Agent, response: &mut LlmResponse) {
    if agent.planner == Some(Planner::PlanReAct) {
        planning::separate_thoughts(response);
    }
}

/// Whether there is anything an event could tell.
pub(super) fn says_something(response: &LlmResponse) -> bool {
    let is_set = |key: &str| response.other.get(key).is_some_and(Json::is_truthy);
    response.content.is_some()
        || response.error_code.as_deref().is_some_and(|code| !code.is_empty())
        || is_set("interrupted")
        // An object counts there even when it is empty.
        || response.other.get("groundingMetadata").is_some_and(|metadata| !metadata.is_null())
}
