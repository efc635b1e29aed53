//! Gemini's `generateContent`: the form ADK's own requests are nearest to.

use std::sync::Arc;

use strata_model::{
    Content, Decoder, FromJson as _, Json, LlmRequest, Object, Part, RequestContent, RequestTool, RichText,
    Usage,
};

use super::BodyOptions;
use super::answer::{Collected, Delta, Finish};
use super::body::{BodyError, list, object, origin, text};

/// Fields of `config` that stand beside `generationConfig`.
const BESIDE: [&str; 4] = ["toolConfig", "safetySettings", "cachedContent", "labels"];

pub(super) fn encode(request: &LlmRequest, options: BodyOptions) -> Json {
    let mut body = Object::new();
    body.push("contents", request.contents.to_json());
    if let Some(system) = request.system_instruction.as_ref().filter(|text| !text.is_empty()) {
        let part = object([("text", system.to_text().into())]);
        body.push("systemInstruction", object([("parts", vec![part].into())]));
    }
    if !request.tools.is_empty() {
        body.push("tools", request.tools.iter().map(RequestTool::to_json).collect::<Vec<_>>());
    }
    let mut generation = Object::new();
    for field in request.config.iter() {
        // How the client talks to the server is none of the server's business.
        if &*field.name == "httpOptions" || field.value.is_null() {
            continue;
        }
        let target = if BESIDE.contains(&&*field.name) { &mut body } else { &mut generation };
        target.push(field.name.clone(), field.value.clone());
    }
    if !generation.contains_key("maxOutputTokens") {
        generation.push_some("maxOutputTokens", options.max_output_tokens.map(i64::from));
    }
    if !generation.is_empty() {
        body.push("generationConfig", generation);
    }
    Json::Object(body)
}

pub(super) fn decode(body: &Json) -> Result<LlmRequest, BodyError> {
    let mut request = LlmRequest::default();
    let mut decoder = Decoder::new();
    for (at, content) in list(body.get("contents"), "contents")?.iter().enumerate() {
        let content = Content::from_json(content.clone(), &mut decoder)
            .map_err(|_| BodyError::new(format!("contents[{at}]"), "is no content"))?;
        request.contents.push(Arc::new(RequestContent::from_content(&content, |_| origin())));
    }
    if let Some(system) = body.get("systemInstruction") {
        let parts = system.get("parts").and_then(Json::as_array).unwrap_or_default();
        for part in parts {
            request.append_system(RichText::from_span(text(part.get("text")), origin()));
        }
    }
    for tool in body.get("tools").and_then(Json::as_array).unwrap_or_default() {
        match tool.get("functionDeclarations").and_then(Json::as_array) {
            Some(declarations) => {
                for declaration in declarations.iter().filter_map(Json::as_object) {
                    let declaration = strata_model::Declaration::new(declaration.clone(), origin());
                    request.add_declaration(Arc::new(declaration));
                }
            }
            None => {
                let tool = RequestTool::BuiltIn { json: tool.clone(), origin: origin() };
                Arc::make_mut(&mut request.tools).push(tool);
            }
        }
    }
    let generation = body.get("generationConfig").and_then(Json::as_object);
    let beside = body.as_object().into_iter().flat_map(Object::iter);
    let beside = beside.filter(|(key, _)| BESIDE.contains(&&***key));
    for (key, value) in generation.into_iter().flat_map(Object::iter).chain(beside) {
        request.set_config(key, value.clone(), origin());
    }
    Ok(request)
}

/// Takes in a piece of a streamed answer, or a whole one.
pub(super) fn read(collected: &mut Collected, piece: &Json) -> Vec<Delta> {
    let mut deltas = Vec::new();
    collected.name_model(piece.get("modelVersion"));
    if let Some(usage) = piece.get("usageMetadata")
        && let Ok(usage) = Usage::from_json(usage.clone(), &mut Decoder::new())
    {
        collected.usage = Some(usage);
    }
    if let Some(reason) =
        piece.get("promptFeedback").and_then(|feedback| feedback.get("blockReason")?.as_str())
    {
        collected.finish(Finish::Filtered(reason.to_owned()));
    }
    let Some(candidate) = piece.get("candidates").and_then(Json::as_array).and_then(<[Json]>::first) else {
        return deltas;
    };
    let parts =
        candidate.get("content").and_then(|content| content.get("parts")?.as_array()).unwrap_or_default();
    let mut has_calls = false;
    for part in parts {
        let Ok(part) = Part::from_json(part.clone(), &mut Decoder::new()) else { continue };
        let is_plain =
            part.function_call.is_none() && part.other.is_empty() && part.thought_signature.is_none();
        match part.text.as_deref().filter(|_| is_plain) {
            Some(said) if part.is_thought() => deltas.extend(collected.thought(said)),
            Some(said) => deltas.extend(collected.text(said)),
            None => {
                if let Some(call) = &part.function_call {
                    has_calls = true;
                    deltas.push(Delta::Call { name: call.name.as_deref().unwrap_or_default().to_owned() });
                }
                if let Some(said) = part.text.as_deref().filter(|said| !said.is_empty() && !part.is_thought())
                {
                    deltas.push(Delta::Text(said.to_owned()));
                }
                collected.whole(part);
            }
        }
    }
    if let Some(reason) = candidate.get("finishReason").and_then(Json::as_str) {
        collected.finish(match reason {
            "STOP" if has_calls => Finish::ToolCalls,
            "STOP" => Finish::Stop,
            "MAX_TOKENS" => Finish::Length,
            "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" => {
                Finish::Filtered(reason.to_owned())
            }
            other => Finish::Other(other.to_owned()),
        });
    }
    deltas
}
