//! Requests as the bodies that providers take.
//!
//! [`encode`] makes the body of a request, and [`decode`](crate::decode) the request again, wherever the dialect can say
//! all of it. Nothing here opens a connection.

mod anthropic;
mod body;
mod chat;
mod gemini;
mod responses;
pub(crate) mod settings;
mod turns;

use strata_model::{Json, LlmRequest, Object};

use crate::api::Api;

pub use body::BodyOptions;

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
            let mut inner = Object::new();
            inner.push("model", name);
            for (key, value) in body.as_object().into_iter().flat_map(|body| body.iter()) {
                inner.push(key.clone(), value.clone());
            }
            let mut outer = Object::new();
            outer.push("generateContentRequest", inner);
            body = Json::Object(outer);
        }
    }
    Some(body)
}
