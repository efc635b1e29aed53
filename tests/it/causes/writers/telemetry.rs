//! What programs tell of their requests: spans of OpenTelemetry, and a trace as Langfuse exports it.

use serde_json::{Value, json};

use super::{OTHER_PICTURE, PICTURE, iso, openai};
use crate::causes::conversation::{Request, Said};

const TRACE: &str = "2cac58c438e3f8f4b7dc8729107e5729";

/// An export with the attributes of the conventions for generative AI.
pub(super) fn spans(requests: &[Request]) -> Value {
    let spans: Vec<Value> = requests.iter().enumerate().map(|(at, request)| span(at, request)).collect();
    let service = json!({"attributes": [attribute("service.name", "shop")]});
    json!({"resourceSpans": [{"resource": service, "scopeSpans": [{"scope": {"name": "shop"}, "spans": spans}]}]})
}

fn span(at: usize, request: &Request) -> Value {
    let told = request.history.iter().filter(|said| !matches!(said, Said::Thought(_)));
    let tools = request.tools.iter().map(|tool| {
        let mut definition = json!({"type": "function"});
        for (name, value) in tool.as_object().into_iter().flatten() {
            definition[name] = value.clone();
        }
        definition
    });
    let system: Vec<Value> =
        request.system.iter().map(|text| json!({"type": "text", "content": text})).collect();
    let attributes = [
        ("gen_ai.operation.name", "chat".to_owned()),
        ("gen_ai.provider.name", "openai".to_owned()),
        ("gen_ai.conversation.id", "c1".to_owned()),
        ("gen_ai.request.model", request.model.clone()),
        ("gen_ai.response.model", request.model.clone()),
        ("gen_ai.response.id", format!("r{at}")),
        ("gen_ai.system_instructions", Value::from(system).to_string()),
        ("gen_ai.tool.definitions", tools.collect::<Value>().to_string()),
        ("gen_ai.input.messages", told.map(message).collect::<Value>().to_string()),
        ("gen_ai.output.messages", json!([message(&request.answer)]).to_string()),
    ];
    let nanoseconds = |time: f64| format!("{}000000000", time as u64);
    json!({"traceId": TRACE, "spanId": format!("{:016x}", at + 1), "name": "chat", "kind": 3,
        "startTimeUnixNano": nanoseconds(request.time), "endTimeUnixNano": nanoseconds(request.time + 1.0),
        "attributes": attributes.map(|(key, value)| attribute(key, &value))})
}

fn attribute(key: &str, value: &str) -> Value {
    json!({"key": key, "value": {"stringValue": value}})
}

fn message(said: &Said) -> Value {
    let picture = |data: &str| json!({"type": "blob", "mime_type": "image/png", "content": data});
    let (role, part) = match said {
        Said::User(text) => ("user", json!({"type": "text", "content": text})),
        Said::Picture => ("user", picture(PICTURE)),
        Said::OtherPicture => ("user", picture(OTHER_PICTURE)),
        Said::Thought(text) => ("assistant", json!({"type": "reasoning", "content": text})),
        Said::Answer(text) => ("assistant", json!({"type": "text", "content": text})),
        Said::Call { id, args } => {
            ("assistant", json!({"type": "tool_call", "id": id, "name": "search", "arguments": args}))
        }
        Said::Result { id, text } => {
            ("tool", json!({"type": "tool_call_response", "id": id, "response": text}))
        }
    };
    json!({"role": role, "parts": [part]})
}

/// A trace with an observation for each request.
pub(super) fn trace(requests: &[Request]) -> Value {
    let observations: Vec<Value> = requests
        .iter()
        .enumerate()
        .map(|(at, request)| {
            let body = openai::chat_body(request);
            json!({"id": format!("o{at}"), "traceId": "t", "type": "GENERATION", "name": "chat",
                "startTime": iso(request.time), "endTime": iso(request.time + 1.0), "model": body["model"],
                "modelParameters": {"temperature": body["temperature"]},
                "input": {"messages": body["messages"], "tools": body["tools"]},
                "output": openai::chat_message(&request.answer), "usageDetails": {}, "metadata": {}})
        })
        .collect();
    let time = requests.first().map_or(0.0, |request| request.time);
    json!({"trace": {"id": "t", "name": "shop", "timestamp": iso(time)}, "observations": observations})
}
