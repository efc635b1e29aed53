//! What a message says, whatever dialect it was said in.

use strata_model::{Content, Object, Part, Str};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    System,
    User,
    Model,
    Tool,
}

/// One message.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    pub role: Role,
    pub parts: Vec<Part>,
    /// Bytes of text in the largest tool result.
    pub result_bytes: u64,
    /// The words of a model that would not answer; they are among the parts, too.
    pub refusal: Option<Str>,
    /// Fields that say something about the message rather than in it.
    pub rest: Object,
}

impl Turn {
    pub fn new(role: Role) -> Self {
        Self { role, parts: Vec::new(), result_bytes: 0, refusal: None, rest: Object::new() }
    }

    /// All text of the message, thoughts excluded, a line between parts.
    pub fn text(&self) -> String {
        self.texts().collect::<Vec<_>>().join("\n")
    }

    /// The texts of its parts, thoughts excluded.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter(|part| !part.is_thought()).filter_map(|part| part.text.as_deref())
    }

    /// Whether it answers calls of tools.
    pub fn has_results(&self) -> bool {
        self.parts.iter().any(|part| part.function_response.is_some())
    }

    /// Whether it calls tools.
    pub fn has_calls(&self) -> bool {
        self.parts.iter().any(|part| part.function_call.is_some())
    }

    /// Its parts as a content of genai's.
    pub fn into_content(self) -> Content {
        let role = match self.role {
            Role::Model => "model",
            Role::System => "system",
            Role::User | Role::Tool => "user",
        };
        Content::new(role, self.parts)
    }

    pub(super) fn push(&mut self, part: Part) {
        self.parts.push(part);
    }
}

/// A thought in words.
pub fn thought(text: impl Into<Str>) -> Part {
    Part { thought: Some(true), ..Part::from_text(text) }
}
