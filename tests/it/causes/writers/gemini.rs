//! Logs of requests in Gemini's dialect, and its contents, which google-adk has too.

use serde_json::{Value, json};

use super::{OTHER_PICTURE, PICTURE};
use crate::causes::conversation::{Request, Said};

pub(super) fn lines(requests: &[Request]) -> Vec<Value> {
    let line = |(at, request): (usize, &Request)| {
        let (role, part) = part(&request.answer);
        let url = format!(
            "https://generativelanguage.googleapis.com/v1beta/models/{}:generateContent",
            request.model
        );
        let body = json!({
            "systemInstruction": {"parts": [{"text": request.system.join("\n\n")}]},
            "contents": contents(request), "tools": [{"functionDeclarations": request.tools}],
            "generationConfig": {"temperature": 0.5},
        });
        json!({
            "request": {"method": "POST", "url": url, "body": body},
            "response": {"status": 200, "body": {"candidates": [
                {"content": {"role": role, "parts": [part]}, "finishReason": "STOP"}],
                "modelVersion": request.model, "responseId": format!("g{at}")}},
            "timestamp": request.time,
        })
    };
    requests.iter().enumerate().map(line).collect()
}

/// The messages of a request; thoughts are not sent again.
pub(super) fn contents(request: &Request) -> Vec<Value> {
    let told = request.history.iter().filter(|said| !matches!(said, Said::Thought(_)));
    told.map(|said| {
        let (role, part) = part(said);
        json!({"role": role, "parts": [part]})
    })
    .collect()
}

pub(super) fn part(said: &Said) -> (&'static str, Value) {
    match said {
        Said::User(text) => ("user", json!({"text": text})),
        Said::Picture => ("user", json!({"inlineData": {"mimeType": "image/png", "data": PICTURE}})),
        Said::OtherPicture => {
            ("user", json!({"inlineData": {"mimeType": "image/png", "data": OTHER_PICTURE}}))
        }
        Said::Thought(text) => ("model", json!({"text": text, "thought": true})),
        Said::Answer(text) => ("model", json!({"text": text})),
        Said::Call { id, args } => {
            ("model", json!({"functionCall": with_id(id, json!({"name": "search", "args": args}))}))
        }
        Said::Result { id, text } => {
            let response: Value = serde_json::from_str(text).unwrap_or_else(|_| json!({"result": text}));
            let response = json!({"name": "search", "response": response});
            ("user", json!({"functionResponse": with_id(id, response)}))
        }
    }
}

/// Gemini's own calls have no ids.
fn with_id(id: &str, mut of: Value) -> Value {
    if !id.is_empty() {
        of["id"] = id.into();
    }
    of
}
