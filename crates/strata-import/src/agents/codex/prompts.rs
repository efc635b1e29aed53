//! Telling what was typed from what was injected, by what the interface recorded.

use std::collections::HashMap;

use strata_model::{Fingerprint, FingerprintBuilder, Json, Part};
use strata_wire::message::Turn;

use crate::injected::injected_kind;
use crate::values::Value;

/// Prompts as the interface recorded them.
#[derive(Default)]
pub(super) struct Prompts {
    /// Those whose item has not come yet, with how often.
    left: HashMap<Fingerprint, usize>,
    /// Those that no item repeats word by word.
    lone: HashMap<Fingerprint, usize>,
    has_events: bool,
    /// Some prompt is an item.
    pub(super) has_items: bool,
}

/// What an item of the role `user` is.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Typed {
    Yes,
    No,
    /// The interface recorded no prompts at all.
    Unsaid,
}

impl Prompts {
    pub(super) fn of(values: &[Value]) -> Self {
        let mut prompts = Self::default();
        let mut items: HashMap<Fingerprint, usize> = HashMap::new();
        for value in values {
            let kind = value.json.get("type").and_then(Json::as_str).unwrap_or_default();
            let payload = value.json.get("payload").or_else(|| value.json.get("msg"));
            let Some(payload) = payload else { continue };
            if kind == "response_item" {
                if let Some(text) = text_of_item(payload) {
                    *items.entry(text).or_default() += 1;
                }
            } else if let Some(text) = prompt_of(payload) {
                *prompts.left.entry(text).or_default() += 1;
            }
        }
        prompts.has_events = !prompts.left.is_empty();
        prompts.has_items = !items.is_empty();
        let lone = prompts.left.iter().map(|(text, n)| (text, n - n.min(items.get(text).unwrap_or(&0))));
        prompts.lone = lone.filter(|(_, n)| *n > 0).map(|(text, n)| (*text, n)).collect();
        prompts
    }

    /// Whether this item is a prompt.
    pub(super) fn take(&mut self, turn: &Turn) -> Typed {
        match self.left.get_mut(&typed_words(turn)) {
            Some(left) if *left > 0 => {
                *left -= 1;
                Typed::Yes
            }
            _ if self.has_events => Typed::No,
            _ => Typed::Unsaid,
        }
    }

    /// Whether this event is the only record of its words.
    pub(super) fn take_lone(&mut self, prompt: Fingerprint) -> bool {
        match self.lone.get_mut(&prompt) {
            Some(left) if *left > 0 => {
                *left -= 1;
                true
            }
            _ => false,
        }
    }
}

/// The prompt an event of the interface records, as it is compared.
pub(super) fn prompt_of(event: &Json) -> Option<Fingerprint> {
    let text = match event.get("type")?.as_str()? {
        // Early versions also record what the client injects, and say so.
        "user_message" if event.get("kind").and_then(Json::as_str).is_none_or(|kind| kind == "plain") => {
            event.get("message")?.as_str()?.to_owned()
        }
        "item_completed" => {
            let item = event.get("item")?;
            if item.get("type")?.as_str()? != "UserMessage" {
                return None;
            }
            let texts = item.get("content")?.as_array()?.iter().filter_map(|it| it.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => return None,
    };
    let is_injected = !text.trim().is_empty() && injected_kind(&[Part::from_text(&*text)]).is_some();
    (!is_injected).then(|| normal(&text))
}

fn text_of_item(item: &Json) -> Option<Fingerprint> {
    if item.get("role")?.as_str()? != "user" {
        return None;
    }
    let content = item.get("content")?;
    let texts = content.as_array().unwrap_or_default().iter().filter_map(|it| it.get("text")?.as_str());
    Some(words(texts.chain(content.as_str())))
}

/// What of an item was typed: the client puts marks around images.
fn typed_words(turn: &Turn) -> Fingerprint {
    words(turn.parts.iter().filter_map(|part| part.text.as_deref()))
}

fn words<'t>(texts: impl Iterator<Item = &'t str>) -> Fingerprint {
    let is_mark = |text: &str| {
        let text = text.trim();
        (text.starts_with("<image") && text.ends_with('>') && !text.contains('\n')) || text == "</image>"
    };
    known_by(texts.filter(|text| !is_mark(text)))
}

/// What a prompt is known by: its words, whatever white space stands around them and between.
fn normal(text: &str) -> Fingerprint {
    known_by([text])
}

fn known_by<'t>(texts: impl IntoIterator<Item = &'t str>) -> Fingerprint {
    let mut words = FingerprintBuilder::new();
    for text in texts {
        if text.is_ascii() {
            text.split_ascii_whitespace().for_each(|word| _ = words.text(word));
        } else {
            text.split_whitespace().for_each(|word| _ = words.text(word));
        }
    }
    words.finish()
}
