//! How the scripted server reads prompts: a template of its own, words for tokens, and one slot that holds what it read.

use std::collections::HashMap;
use std::fmt::Write as _;

use strata_model::{Json, json};

/// What its template says before anything else, as Llama's does.
const PREAMBLE: &str = "<|begin|>system\nCutting knowledge: December 2023. Today: 27 November 2026.\n\n";

/// Prompts as one server reads them.
#[derive(Default)]
pub(super) struct Prompts {
    vocabulary: HashMap<String, u32>,
    slot: Vec<u32>,
}

/// A prompt that was read.
pub(super) struct Read {
    pub tokens: usize,
    /// Tokens of it that stood in the slot.
    pub found: usize,
}

impl Prompts {
    /// One text of a conversation: the instruction, the tools behind it, the messages, the beginning of the answer.
    pub(super) fn render(body: &Json) -> String {
        let mut text = PREAMBLE.to_owned();
        let messages = body.get("messages").and_then(Json::as_array).unwrap_or_default();
        let is_system = |message: &Json| message.get("role").and_then(Json::as_str) == Some("system");
        for message in messages.iter().filter(|message| is_system(message)) {
            text += &said(message);
        }
        text += "<|end|>";
        if let Some(tools) = body.get("tools") {
            let _ = write!(text, "<|tools|>{}<|end|>", json::to_compact(tools));
        }
        for message in messages.iter().filter(|message| !is_system(message)) {
            let role = message.get("role").and_then(Json::as_str).unwrap_or_default();
            let _ = write!(text, "<|{role}|>{}<|end|>", said(message));
        }
        text + "<|assistant|>"
    }

    /// The numbers of a text's tokens: words, and whatever stands between them.
    pub(super) fn cut(&mut self, text: &str) -> Vec<u32> {
        let mut ids = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let word = rest.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(rest.len());
            let (token, behind) = rest.split_at(word.max(first.len_utf8()));
            let next = self.vocabulary.len() as u32;
            ids.push(*self.vocabulary.entry(token.to_owned()).or_insert(next));
            rest = behind;
        }
        ids
    }

    /// The next prompt. The slot holds it from then on.
    pub(super) fn read(&mut self, body: &Json) -> Read {
        let ids = self.cut(&Self::render(body));
        let common = self.slot.iter().zip(&ids).take_while(|(before, now)| before == now).count();
        // The last token is always read anew.
        let read = Read { tokens: ids.len(), found: common.min(ids.len().saturating_sub(1)) };
        self.slot = ids;
        read
    }
}

/// What a message says and calls.
fn said(message: &Json) -> String {
    let content = message.get("content");
    let text = content.and_then(|content| content.as_str().map(str::to_owned));
    let text = text.or_else(|| content.map(json::to_compact)).unwrap_or_default();
    text + &message.get("tool_calls").map(json::to_compact).unwrap_or_default()
}
