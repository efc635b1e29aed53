//! What an agent is told before the history.

use crate::Str;
use crate::content::{Content, Part};
use crate::decode::{Decoder, FromJson};
use crate::json::{Json, Object};

/// An instruction: a template that is filled from state, or text a provider function returned.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Instruction {
    Template(Str),
    /// Never filled: ADK takes what a provider returns as it is.
    Provider {
        text: Str,
        /// The provider, as `module.function`, where it is known.
        name: Option<Str>,
    },
}

impl Instruction {
    pub fn text(&self) -> &Str {
        match self {
            Self::Template(text) | Self::Provider { text, .. } => text,
        }
    }

    /// The name of the provider that returns it.
    pub fn provider(&self) -> Option<&Str> {
        match self {
            Self::Template(_) => None,
            Self::Provider { name, .. } => name.as_ref(),
        }
    }

    /// A provider always counts as an instruction; an empty template does not.
    pub fn is_set(&self) -> bool {
        match self {
            Self::Template(text) => !text.is_empty(),
            Self::Provider { .. } => true,
        }
    }
}

impl FromJson for Instruction {
    const EXPECTED: &'static str = "a template or {provider: text, name?}";

    fn from_json(value: Json, _: &mut Decoder) -> Result<Self, Json> {
        match value {
            Json::String(text) => Ok(Self::Template(text)),
            other => match other.get("provider") {
                Some(Json::String(text)) => Ok(Self::Provider {
                    text: text.clone(),
                    name: other.get("name").and_then(Json::as_str).map(Str::from),
                }),
                _ => Err(other),
            },
        }
    }

    fn to_json(&self) -> Json {
        match self {
            Self::Template(text) => Json::String(text.clone()),
            Self::Provider { text, name } => {
                let mut out = Object::new();
                out.push("provider", text.clone());
                out.push_some("name", name.clone());
                Json::Object(out)
            }
        }
    }
}

/// An instruction that never changes: text, files or both.
#[derive(Debug, Clone, PartialEq)]
pub struct StaticInstruction {
    pub content: Content,
    /// False for an empty text or list, which ADK takes for no static instruction.
    pub is_set: bool,
}

impl FromJson for StaticInstruction {
    const EXPECTED: &'static str = "a text, a part, a content, or a list of texts and parts";

    fn from_json(value: Json, decoder: &mut Decoder) -> Result<Self, Json> {
        let is_set = value.is_truthy();
        let parts = match value {
            Json::String(text) => vec![Part::from_text(text)],
            Json::Array(items) => {
                let mut parts = Vec::with_capacity(items.len());
                for item in items {
                    parts.push(match item {
                        Json::String(text) => Part::from_text(text),
                        part => Part::from_json(part, decoder)?,
                    });
                }
                parts
            }
            Json::Object(object) if object.contains_key("parts") => {
                return Content::from_json(Json::Object(object), decoder)
                    .map(|content| Self { content, is_set });
            }
            other => vec![Part::from_json(other, decoder)?],
        };
        Ok(Self { content: Content::new("user", parts), is_set })
    }

    fn to_json(&self) -> Json {
        self.content.to_json()
    }
}
