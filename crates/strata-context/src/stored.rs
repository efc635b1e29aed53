//! Contexts, messages and tasks as texts, for whoever stores them.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::context::Context;
use crate::message::Message;
use crate::task::Task;

/// A stored text that was not written here.
#[derive(Debug, thiserror::Error)]
#[error("what was stored of a context cannot be read: {0}")]
pub struct UnreadableContext(String);

fn read<T: DeserializeOwned>(text: &str) -> Result<T, UnreadableContext> {
    serde_json::from_str(text).map_err(|error| UnreadableContext(error.to_string()))
}

fn written(value: &impl Serialize) -> String {
    // Keys are texts and values are JSON: there is nothing in them that cannot be written.
    serde_json::to_string(value).unwrap_or_default()
}

impl Context {
    /// Without its messages, which are stored one by one.
    pub fn to_text(&self) -> String {
        written(self)
    }

    /// Reads what [`Self::to_text`] wrote.
    pub fn from_text(text: &str) -> Result<Self, UnreadableContext> {
        read(text)
    }
}

impl Message {
    pub fn to_text(&self) -> String {
        written(self)
    }

    pub fn from_text(text: &str) -> Result<Self, UnreadableContext> {
        read(text)
    }
}

impl Task {
    pub fn to_text(&self) -> String {
        written(self)
    }

    pub fn from_text(text: &str) -> Result<Self, UnreadableContext> {
        read(text)
    }
}
