//! Why an answer ended.

/// Why an answer ended, whoever says so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Finish {
    Stop,
    /// At the limit of its length.
    Length,
    ToolCalls,
    /// The model would not; in its words.
    Refused(String),
    /// Something kept the answer back; by the name it gives.
    Filtered(String),
    Other(String),
}

impl Finish {
    /// From a provider's word: `finish_reason`, `stop_reason`, `finishReason`, `status`, `blockReason`.
    pub fn of(word: &str) -> Self {
        match word.to_ascii_lowercase().as_str() {
            "stop" | "end_turn" | "stop_sequence" | "completed" | "eos" => Self::Stop,
            "length" | "max_tokens" | "max_output_tokens" | "model_context_window_exceeded" => Self::Length,
            "tool_calls" | "tool_call" | "tool_use" | "tool-calls" | "function_call" => Self::ToolCalls,
            "refusal" => Self::Refused("The model refused to answer.".to_owned()),
            "content_filter"
            | "content_filtered"
            | "safety"
            | "recitation"
            | "blocklist"
            | "prohibited_content"
            | "spii"
            | "guardrail_intervened" => Self::Filtered(word.to_owned()),
            _ => Self::Other(word.to_owned()),
        }
    }

    /// A stable name.
    pub fn name(&self) -> &str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ToolCalls => "tool_calls",
            Self::Refused(_) => "refused",
            Self::Filtered(_) => "filtered",
            Self::Other(reason) => reason,
        }
    }
}
