//! Results of tools, in every dialect.

use strata_model::{FromJson as _, FunctionResponse, Json, Object, Part, Str, json};

use super::media::media;
use super::reading::Messages;
use super::turn::{Role, Turn};

impl Messages<'_> {
    /// What a tool returned, in the shape ADK gives it: text under `result`, a list under `content`, media apart.
    pub fn result(
        &mut self,
        id: Option<Str>,
        name: Option<Str>,
        content: Option<Json>,
        is_error: bool,
        turn: &mut Turn,
    ) {
        let name = name.or_else(|| id.as_ref().and_then(|id| self.tools.get(id).cloned()));
        let mut response = FunctionResponse { id, name, ..FunctionResponse::default() };
        let mut answer = Object::new();
        let bytes = match content {
            Some(Json::Array(items)) => result_list(items, &mut answer, &mut response),
            Some(Json::String(text)) => {
                let bytes = text.len();
                answer.push("result", text);
                bytes
            }
            None | Some(Json::Null) => 0,
            Some(Json::Object(object)) => {
                let bytes = json::object_compact_len(&object);
                answer = object;
                bytes
            }
            Some(other) => {
                let bytes = json::compact_len(&other);
                answer.push("result", other);
                bytes
            }
        };
        if is_error {
            answer.insert("isError", true);
        }
        turn.result_bytes = turn.result_bytes.max(bytes as u64);
        response.response = Some(std::sync::Arc::new(answer));
        turn.push(Part::from_response(response));
        if turn.role == Role::User {
            turn.role = Role::Tool;
        }
    }
}

fn result_list(items: Vec<Json>, answer: &mut Object, response: &mut FunctionResponse) -> usize {
    let mut rest = Vec::new();
    let mut files = Vec::new();
    let mut bytes = 0;
    for item in items {
        let kind = item.get("type").and_then(Json::as_str).unwrap_or_default().to_owned();
        match item {
            Json::Object(mut object) => match media(&kind, &mut object) {
                Some(part) => files.push(part.to_json()),
                None => {
                    bytes += object.get("text").and_then(Json::as_str).map_or(0, str::len);
                    rest.push(Json::Object(object));
                }
            },
            other => {
                bytes += other.as_str().map_or(0, str::len);
                rest.push(other);
            }
        }
    }
    let only_text = match &rest[..] {
        [item] => match item.get("text").unwrap_or(item) {
            Json::String(text) => Some(text.clone()),
            _ => None,
        },
        _ => None,
    };
    match only_text {
        Some(text) => answer.push("result", text),
        None if !rest.is_empty() => answer.push("content", rest),
        None => {}
    }
    if !files.is_empty() {
        response.other.push("parts", files);
    }
    bytes
}
