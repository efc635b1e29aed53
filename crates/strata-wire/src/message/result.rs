//! Results of tools, in every dialect.

use strata_model::take::take_text;
use strata_model::{FromJson as _, FunctionResponse, Json, Object, Part, Str, json};

use super::media::media;
use super::reading::Messages;
use super::turn::{Role, Turn};

/// What Pydantic AI calls the files that a tool returns, under `kind` where others have a `type`.
const FILES: [&str; 6] = ["binary", "image-url", "audio-url", "video-url", "document-url", "uploaded-file"];

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
        let bytes = match content.map(|content| self.returned(content)) {
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

    /// What a tool returned, its files as blocks with a `type`.
    fn returned(&mut self, content: Json) -> Json {
        match content {
            Json::Object(file) if is_file(&file) => vec![self.file(file)].into(),
            Json::Array(items) => {
                let items = items.into_iter().map(|item| match item {
                    Json::Object(file) if is_file(&file) => self.file(file),
                    other => other,
                });
                items.collect::<Vec<_>>().into()
            }
            other => other,
        }
    }

    fn file(&mut self, mut file: Object) -> Json {
        let kind = take_text(&mut file, "kind").unwrap_or_default();
        file.remove("identifier");
        for (key, value) in
            file.iter().filter(|(key, _)| !matches!(&***key, "data" | "url" | "file_id" | "media_type"))
        {
            self.unread.field(&format!("content.{kind}"), key, value);
        }
        file.insert("type", kind);
        Json::Object(file)
    }
}

fn is_file(object: &Object) -> bool {
    let text = |key: &str| object.get(key).and_then(Json::as_str);
    text("kind").is_some_and(|kind| FILES.contains(&kind))
        && ["data", "url", "file_id"].iter().any(|key| text(key).is_some())
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
