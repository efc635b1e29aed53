//! Whether a prefix is large enough to be cached.

use strata_model::{Json, json, python};

use super::wire::GeminiRequest;
use crate::genai::{TOOL, snake_with_nulls};

/// The smallest prefix the model's family caches, in tokens; `None`: the server decides.
pub(super) fn smallest_prefix_tokens(model: &str) -> Option<u64> {
    let name = model.rsplit('/').next().unwrap_or(model);
    if name.starts_with("gemini-2.5-") {
        Some(2048)
    } else if name.starts_with("gemini-3") {
        Some(4096)
    } else {
        None
    }
}

/// ADK's estimate of a prefix: the tokens of the previous prompt, by the prefix's share of the characters. Calls,
/// responses and media count nothing.
pub(super) fn estimated_prefix_tokens(
    request: &GeminiRequest,
    n_contents: usize,
    previous_tokens: u64,
) -> u64 {
    let whole = estimate(request, request.contents.len());
    if previous_tokens == 0 || whole == 0 {
        return previous_tokens;
    }
    let share = (estimate(request, n_contents) as f64 / whole as f64).min(1.0);
    (previous_tokens as f64 * share) as u64
}

/// A quarter of the characters of system instruction, tools and the texts of the first contents.
fn estimate(request: &GeminiRequest, n_contents: usize) -> usize {
    let system = request.config.get("systemInstruction").filter(|given| given.is_truthy());
    let system = system.map_or(0, |given| python::len(&python::str(given)));
    let tools = request.config.get("tools").and_then(Json::as_array).unwrap_or_default();
    let tools: usize =
        tools.iter().map(|tool| python::len(&json::to_ascii(&snake_with_nulls(tool, &TOOL)))).sum();
    let contents = request.contents.iter().take(n_contents).flat_map(|content| content.parts());
    let texts: usize = contents.map(|part| part.text.as_deref().map_or(0, python::len)).sum();
    (system + tools + texts) / 4
}
