//! Requests and answers in the forms of providers.
//!
//! [`encode`] makes the body of a request; [`decode`] reads it again, and gives the same request wherever the form can
//! say all of it. [`AnswerReader`] makes an [`Answer`] of what a server sends back, in pieces of any size or whole.
//! Nothing here opens a connection.

mod answer;
mod anthropic;
mod body;
mod chat;
mod gemini;
mod reader;
mod responses;
mod sse;
#[cfg(test)]
mod tests;
mod turns;

use strata_model::{Json, LlmRequest};

pub use answer::{Answer, Delta, Finish};
pub use body::BodyError;
pub use reader::{AnswerReader, StreamError, error_message};
pub use sse::{SseEvent, SseReader};

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
    pub const ALL: [Self; 4] = [Self::ChatCompletions, Self::Responses, Self::Gemini, Self::Anthropic];

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

/// What a body says beside the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyOptions {
    /// The answer comes in pieces.
    pub is_streamed: bool,
    /// The most tokens of the answer, where the request does not say.
    pub max_output_tokens: Option<u32>,
}

/// The body of a request to `model`.
pub fn encode(api: Api, model: &str, request: &LlmRequest, options: BodyOptions) -> Json {
    match api {
        Api::ChatCompletions => chat::encode(model, request, options),
        Api::Responses => responses::encode(model, request, options),
        Api::Gemini => gemini::encode(request, options),
        Api::Anthropic => anthropic::encode(model, request, options),
    }
}

/// The body of a request for counting its tokens. `None` where the provider has no such thing.
pub fn encode_count(api: Api, model: &str, request: &LlmRequest) -> Option<Json> {
    let options = BodyOptions { is_streamed: false, max_output_tokens: None };
    let mut body = encode(api, model, request, options);
    match api {
        Api::ChatCompletions => return None,
        Api::Responses => {
            body::keep(&mut body, &["model", "input", "instructions", "tools", "tool_choice", "text"]);
        }
        Api::Anthropic => body::keep(&mut body, &["model", "messages", "system", "tools", "tool_choice"]),
        Api::Gemini => {
            let name = format!("models/{}", model.trim_start_matches("models/"));
            let mut inner = strata_model::Object::new();
            inner.push("model", name);
            for (key, value) in body.as_object().into_iter().flat_map(|body| body.iter()) {
                inner.push(key.clone(), value.clone());
            }
            let mut outer = strata_model::Object::new();
            outer.push("generateContentRequest", inner);
            body = Json::Object(outer);
        }
    }
    Some(body)
}

/// The tokens in the answer to [`encode_count`].
pub fn decode_count(api: Api, answer: &Json) -> Option<u64> {
    let key = match api {
        Api::ChatCompletions | Api::Responses | Api::Anthropic => "input_tokens",
        Api::Gemini => "totalTokens",
    };
    answer.get(key)?.as_i64()?.try_into().ok()
}

/// The names in a list of models.
pub fn decode_models(api: Api, answer: &Json) -> Vec<String> {
    let (list, key) = match api {
        Api::Gemini => ("models", "name"),
        Api::ChatCompletions | Api::Responses | Api::Anthropic => ("data", "id"),
    };
    // Ollama's own list has another name for both.
    let entries =
        answer.get(list).or_else(|| answer.get("models")).and_then(Json::as_array).unwrap_or_default();
    let names = entries.iter().filter_map(|entry| entry.get(key).or_else(|| entry.get("name"))?.as_str());
    names.map(|name| name.trim_start_matches("models/").to_owned()).collect()
}

/// The request that a body was made from, with the model it names.
pub fn decode(api: Api, body: &Json) -> Result<LlmRequest, BodyError> {
    match api {
        Api::ChatCompletions => chat::decode(body),
        Api::Responses => responses::decode(body),
        Api::Gemini => gemini::decode(body),
        Api::Anthropic => anthropic::decode(body),
    }
}
