//! `nl_planning`: the plan in a response becomes thought, the answer stays text.

use std::sync::Arc;

use strata_model::{Content, LlmResponse, Part};

const FINAL_ANSWER: &str = "/*FINAL_ANSWER*/";
const THOUGHTS: [&str; 4] = ["/*PLANNING*/", "/*REASONING*/", "/*ACTION*/", "/*REPLANNING*/"];

/// Takes a response apart by the tags a planning model writes. What follows the first calls is dropped.
pub(super) fn separate_thoughts(response: &mut LlmResponse) {
    let Some(content) = &response.content else { return };
    if content.parts().is_empty() {
        return;
    }
    let mut kept: Vec<Arc<Part>> = Vec::new();
    let mut parts = content.parts().iter().peekable();
    while let Some(part) = parts.next() {
        let Some(call) = &part.function_call else {
            separate(part, &mut kept);
            continue;
        };
        if call.name.as_deref().is_none_or(str::is_empty) {
            continue;
        }
        kept.push(part.clone());
        while let Some(next) = parts.next_if(|part| part.function_call.is_some()) {
            kept.push(next.clone());
        }
        break;
    }
    if kept.is_empty() {
        return;
    }
    let content = Content { parts: Some(kept), ..Content::clone(content) };
    response.content = Some(Arc::new(content));
}

fn separate(part: &Arc<Part>, kept: &mut Vec<Arc<Part>>) {
    let text = part.text.as_deref().unwrap_or_default();
    if let Some(at) = text.rfind(FINAL_ANSWER) {
        let (thought, answer) = (&text[..at], &text[at + FINAL_ANSWER.len()..]);
        let thought = without_tags(thought);
        if !thought.is_empty() {
            kept.push(Arc::new(Part { thought: Some(true), ..Part::from_text(thought) }));
        }
        if !answer.is_empty() {
            kept.push(Arc::new(Part::from_text(answer)));
        }
        return;
    }
    if THOUGHTS.iter().any(|tag| text.starts_with(tag)) {
        let text = Some(without_tags(text).into());
        kept.push(Arc::new(Part { thought: Some(true), text, ..Part::clone(part) }));
        return;
    }
    kept.push(part.clone());
}

fn without_tags(text: &str) -> String {
    THOUGHTS.iter().fold(text.to_owned(), |text, tag| text.replace(tag, ""))
}
