//! Gemini's `generateContent`: the form ADK's own requests are nearest to.

use strata_model::{Json, LlmRequest, Object, RequestTool};

use super::body::{BodyOptions, object};

/// Fields of `config` that stand beside `generationConfig`.
const BESIDE: [&str; 4] = ["toolConfig", "safetySettings", "cachedContent", "labels"];

pub(super) fn encode(request: &LlmRequest, options: BodyOptions) -> Json {
    let mut body = Object::new();
    body.push("contents", request.contents.to_json());
    if let Some(system) = request.system_instruction.as_ref().filter(|text| !text.is_empty()) {
        let part = object([("text", system.to_text().into())]);
        body.push("systemInstruction", object([("parts", vec![part].into())]));
    }
    // Namespaces are the Responses API's; their functions are among the others.
    let tools = request.tools.iter().filter(|tool| tool.namespace().is_none());
    let tools: Vec<Json> = tools.map(RequestTool::to_json).collect();
    if !tools.is_empty() {
        body.push("tools", tools);
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
