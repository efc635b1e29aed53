//! The dialects that Strata speaks.

/// The form in which a provider takes requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Api {
    /// OpenAI's chat completions, and those who do as they do: Ollama, LM Studio, vLLM, llama.cpp, OpenRouter.
    ChatCompletions,
    /// OpenAI's responses.
    Responses,
    /// Gemini's `generateContent`.
    Gemini,
    /// Anthropic's messages.
    Anthropic,
}

impl Api {
    /// In no order that means anything.
    pub const ALL: [Self; 4] = [Self::ChatCompletions, Self::Responses, Self::Gemini, Self::Anthropic];

    /// A stable name.
    pub fn name(self) -> &'static str {
        match self {
            Self::ChatCompletions => "chat-completions",
            Self::Responses => "responses",
            Self::Gemini => "gemini",
            Self::Anthropic => "anthropic",
        }
    }

    /// Where an answer is asked for, below the base address.
    pub fn answer_path(self, model: &str) -> String {
        match self {
            Self::ChatCompletions => "/chat/completions".to_owned(),
            Self::Responses => "/responses".to_owned(),
            Self::Gemini => {
                format!("/models/{}:streamGenerateContent?alt=sse", model.trim_start_matches("models/"))
            }
            Self::Anthropic => "/v1/messages".to_owned(),
        }
    }

    /// Where tokens are counted; `None` where the provider has no such thing.
    pub fn count_path(self, model: &str) -> Option<String> {
        match self {
            Self::ChatCompletions => None,
            Self::Responses => Some("/responses/input_tokens".to_owned()),
            Self::Gemini => Some(format!("/models/{}:countTokens", model.trim_start_matches("models/"))),
            Self::Anthropic => Some("/v1/messages/count_tokens".to_owned()),
        }
    }

    /// Where models are listed.
    pub fn models_path(self) -> &'static str {
        match self {
            Self::ChatCompletions | Self::Responses | Self::Gemini => "/models",
            Self::Anthropic => "/v1/models",
        }
    }
}
