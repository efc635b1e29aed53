//! What [`encode`](crate::encode) wrote, read again; and short answers of providers.

use std::sync::Arc;

use strata_model::{FunctionResponse, Json, LlmRequest, Object, Origin, Part, json};

use crate::api::Api;
use crate::encode::settings::{ANTHROPIC, CHAT, RESPONSES, Settings};
use crate::request::request_of;
use crate::segment::answer_schema;

/// The request that a body was made from, with the model it names. Bodies of clients are read by [`request_of`]; here
/// settings have the names of `config` again, and results of tools are the objects that were sent as text.
///
/// `None` where the body is no request, or not all of one.
pub fn decode(api: Api, body: &Json) -> Option<LlmRequest> {
    let mut request = request_of(body)?;
    let settings = match api {
        // Its names and its results are ADK's.
        Api::Gemini => return Some(request),
        Api::ChatCompletions => CHAT,
        Api::Responses => RESPONSES,
        Api::Anthropic => ANTHROPIC,
    };
    name_settings(&mut request, settings);
    let contents = std::mem::take(&mut request.contents);
    request.contents.extend(contents.iter().map(|content| {
        let parts = content.parts.iter().map(|part| match taken_apart(&part.part) {
            Some(whole) => part.with_part(whole),
            None => part.clone(),
        });
        Arc::new(content.with_parts(parts.collect()))
    }));
    Some(request)
}

fn origin() -> Origin {
    Origin::Run { field: "body".into() }
}

/// Gives settings the names that `config` has for them.
fn name_settings(request: &mut LlmRequest, settings: Settings) {
    for field in std::mem::take(&mut request.config).iter() {
        let known = settings.iter().find(|(_, theirs)| **theirs == *field.name);
        let (name, value) = match (&*field.name, known) {
            (_, Some((own, _))) => ((*own).into(), field.value.clone()),
            ("tool_choice", None) => ("toolConfig".into(), tool_config(&field.value)),
            ("response_format" | "text", None) => {
                let schema = answer_schema(&field.name, &field.value).unwrap_or(&field.value);
                ("responseJsonSchema".into(), schema.clone())
            }
            (_, None) => (field.name.clone(), field.value.clone()),
        };
        request.set_config(&name, value, origin());
    }
}

fn tool_config(choice: &Json) -> Json {
    let mode = match choice.as_str().or_else(|| choice.get("type")?.as_str()) {
        Some("required" | "any") => "ANY",
        Some("none") => "NONE",
        _ => "AUTO",
    };
    let calling = Object::from_iter([("mode", mode)]);
    Object::from_iter([("functionCallingConfig", calling)]).into()
}

/// A result that is an object written as text, as that object.
fn taken_apart(part: &Part) -> Option<Part> {
    let response = part.function_response.as_ref()?;
    let told = response.response.as_ref().filter(|told| told.len() == 1)?;
    match json::parse(told.get("result")?.as_str()?.as_bytes()) {
        Ok(Json::Object(object)) => Some(Part::from_response(FunctionResponse {
            response: Some(Arc::new(object)),
            ..(**response).clone()
        })),
        _ => None,
    }
}

/// The tokens in the answer to [`encode_count`](crate::encode_count).
pub fn decode_count(api: Api, answer: &Json) -> Option<u64> {
    let key = match api {
        Api::ChatCompletions | Api::Responses | Api::Anthropic => "input_tokens",
        Api::Gemini => "totalTokens",
    };
    answer.get(key)?.as_i64()?.try_into().ok()
}
