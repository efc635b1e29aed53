//! Why a response ended, in genai's words.

/// As ADK 2.13 models/anthropic_llm.py translates it.
pub(super) fn finish_reason(stop_reason: &str) -> &'static str {
    match stop_reason {
        "end_turn" | "stop_sequence" | "tool_use" => "STOP",
        "max_tokens" => "MAX_TOKENS",
        _ => "FINISH_REASON_UNSPECIFIED",
    }
}
