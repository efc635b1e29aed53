//! Where contents go that belong to the call rather than to the conversation.

use std::sync::Arc;

use strata_model::{LlmRequest, RequestContent};

/// Inserts contents before the last run of user contents, but never between a call's response and what follows it
/// (`ADK.md` 2.4.3). With a static instruction of files, the first insertion goes to the head instead.
pub(crate) fn insert_transient(request: &mut LlmRequest, contents: Vec<Arc<RequestContent>>) {
    if contents.is_empty() {
        return;
    }
    if request.has_static_contents && request.static_prefix_end.is_none() {
        request.static_prefix_end = Some(contents.len());
        request.contents.insert(0, contents);
        return;
    }
    let at = before_last_user_run(request)
        .max(request.static_prefix_end.filter(|_| request.has_static_contents).unwrap_or(0));
    request.contents.insert(at, contents);
}

fn before_last_user_run(request: &LlmRequest) -> usize {
    let mut at = request.contents.len();
    for content in request.contents.iter().rev() {
        if !content.is_user() || content.has_function_response() {
            break;
        }
        at -= 1;
    }
    at
}
