//! A compiled request as a body of OpenAI's chat completions.

use serde_json::{Value, json};
use strata_model::{FromJson as _, LlmRequest, RequestContent, RequestTool, json::to_compact};

/// Asks for one token: what the server finds of the prompt is all that counts.
pub(crate) fn body(request: &LlmRequest, model: &str) -> Value {
    let mut messages = Vec::new();
    if let Some(system) = &request.system_instruction {
        messages.push(json!({"role": "system", "content": system.to_text()}));
    }
    for content in request.contents.iter() {
        add(content, &mut messages);
    }
    json!({
        "model": model,
        "messages": messages,
        "tools": tools(request),
        "temperature": 0,
        "max_tokens": 1,
        "stream": false,
        "cache_prompt": true,
    })
}

fn tools(request: &LlmRequest) -> Vec<Value> {
    let declarations = request.tools.iter().flat_map(|tool| match tool {
        RequestTool::Functions(declarations) => declarations.iter().collect(),
        RequestTool::BuiltIn { .. } => Vec::new(),
    });
    let function = |json: Value| {
        json!({"type": "function", "function": {
            "name": json["name"],
            "description": json["description"],
            "parameters": json["parametersJsonSchema"],
        }})
    };
    declarations.map(|declaration| function(value(&declaration.json.clone().into()))).collect()
}

fn value(json: &strata_model::Json) -> Value {
    serde_json::from_str(&to_compact(json)).expect("compact JSON is JSON")
}

fn add(content: &RequestContent, messages: &mut Vec<Value>) {
    let is_model = content.role.as_deref() == Some("model");
    for part in content.parts.iter().map(|part| &part.part) {
        messages.push(if let Some(call) = &part.function_call {
            let call = value(&call.to_json());
            json!({"role": "assistant", "content": "", "tool_calls": [{
                "id": call["id"], "type": "function",
                "function": {"name": call["name"], "arguments": call["args"].to_string()},
            }]})
        } else if let Some(response) = &part.function_response {
            let response = value(&response.to_json());
            json!({"role": "tool", "tool_call_id": response["id"], "content": response["response"].to_string()})
        } else {
            let role = if is_model { "assistant" } else { "user" };
            json!({"role": role, "content": part.text.as_deref().unwrap_or_default()})
        });
    }
}
