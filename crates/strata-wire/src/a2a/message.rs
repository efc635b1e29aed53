//! Messages and their parts.

use strata_model::{Json, Object, Str, json};

use super::version::A2aVersion;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum A2aRole {
    User,
    Agent,
}

/// A part of a message or an artifact.
#[derive(Debug, Clone, PartialEq)]
pub enum A2aPart {
    Text(Str),
    Data(Json),
    /// A file, as it was sent.
    File(Object),
}

/// A message.
#[derive(Debug, Clone, PartialEq)]
pub struct A2aMessage {
    pub id: Str,
    pub role: A2aRole,
    pub parts: Vec<A2aPart>,
    pub context_id: Option<String>,
    pub task_id: Option<String>,
}

impl A2aPart {
    /// By the member that is there, or by `kind`. The error says what is wrong with it.
    fn read(part: &Json) -> Result<Self, String> {
        let object = part.as_object().ok_or("a part is an object")?;
        let has = |key: &str| object.get(key).filter(|value| !value.is_null());
        if let Some(text) = has("text") {
            return text
                .as_str()
                .map(|text| Self::Text(text.into()))
                .ok_or_else(|| "`text` is a text".to_owned());
        }
        if let Some(data) = has("data") {
            return Ok(Self::Data(data.clone()));
        }
        if ["file", "raw", "url"].into_iter().any(|key| has(key).is_some()) {
            return Ok(Self::File(object.clone()));
        }
        Err("a part has `text`, `data` or a file".to_owned())
    }

    pub(super) fn to_json(&self, version: A2aVersion) -> Json {
        let (kind, key, value) = match self {
            Self::Text(text) => ("text", "text", Json::from(text.clone())),
            Self::Data(data) => ("data", "data", data.clone()),
            Self::File(file) => return file.clone().into(),
        };
        let mut part = Object::new();
        if version == A2aVersion::V0_3 {
            part.push("kind", kind);
        }
        part.push(key, value);
        part.into()
    }
}

impl A2aMessage {
    /// The message of a call. The error says what is wrong with it.
    pub(super) fn read(message: &Json) -> Result<Self, String> {
        let object = message.as_object().ok_or("`message` is an object")?;
        let text = |key: &str| match object.get(key) {
            None | Some(Json::Null) => Ok(None),
            Some(Json::String(text)) => Ok(Some(text.to_string()).filter(|text| !text.is_empty())),
            Some(_) => Err(format!("`{key}` of the message is a text")),
        };
        let id = text("messageId")?.ok_or("the message has no `messageId`")?;
        let role = match text("role")?.as_deref() {
            None | Some("user" | "ROLE_USER") => A2aRole::User,
            Some("agent" | "ROLE_AGENT") => A2aRole::Agent,
            Some(other) => return Err(format!("`{other}` is no role")),
        };
        let parts = object.get("parts").and_then(Json::as_array).ok_or("the message has no list `parts`")?;
        let parts = parts.iter().map(A2aPart::read).collect::<Result<Vec<_>, _>>()?;
        if parts.is_empty() {
            return Err("the message says nothing: `parts` is empty".to_owned());
        }
        Ok(Self { id: id.into(), role, parts, context_id: text("contextId")?, task_id: text("taskId")? })
    }

    pub fn to_json(&self, version: A2aVersion) -> Json {
        let mut message = Object::new();
        if version == A2aVersion::V0_3 {
            message.push("kind", "message");
        }
        message.push("messageId", self.id.clone());
        let role = match (self.role, version) {
            (A2aRole::User, A2aVersion::V0_3) => "user",
            (A2aRole::Agent, A2aVersion::V0_3) => "agent",
            (A2aRole::User, A2aVersion::V1_0) => "ROLE_USER",
            (A2aRole::Agent, A2aVersion::V1_0) => "ROLE_AGENT",
        };
        message.push("role", role);
        message.push("parts", self.parts.iter().map(|part| part.to_json(version)).collect::<Vec<_>>());
        message.push_some("contextId", self.context_id.as_deref().map(Json::from));
        message.push_some("taskId", self.task_id.as_deref().map(Json::from));
        message.into()
    }

    /// Its texts, and its data as compact JSON, a line each.
    pub fn text(&self) -> String {
        let lines = self.parts.iter().filter_map(|part| match part {
            A2aPart::Text(text) => Some(text.to_string()),
            A2aPart::Data(data) => Some(json::to_compact(data)),
            A2aPart::File(_) => None,
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}
