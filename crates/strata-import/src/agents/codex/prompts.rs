//! Telling what was typed from what was injected, by what the interface recorded.

use std::borrow::Cow;
use std::collections::HashMap;

use strata_model::{Fingerprint, Json};
use strata_wire::message::Turn;

use crate::injected::client_words;
use crate::values::Value;

/// Prompts as the interface and items recorded them, over all of a file.
#[derive(Debug, Clone, Default)]
pub(super) struct Prompts {
    /// How often the interface recorded each.
    events: HashMap<Fingerprint, usize>,
    /// How often an item says it.
    items: HashMap<Fingerprint, usize>,
}

/// How often it was asked so far what the same words are.
#[derive(Debug, Clone, Default)]
pub(super) struct Asked(HashMap<Fingerprint, OfWords>);

#[derive(Debug, Clone, Copy, Default)]
struct OfWords {
    by_items: usize,
    by_events: usize,
}

/// What an item of the role `user` is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum TypedByUser {
    Yes,
    No,
    /// The interface recorded no prompts at all.
    Unsaid,
}

impl Prompts {
    /// Takes note of a record, wherever it stands in the file.
    pub(super) fn note(&mut self, value: &Value) {
        let kind = value.json.get("type").and_then(Json::as_str).unwrap_or_default();
        let payload = value.json.get("payload").or_else(|| value.json.get("msg"));
        let Some(payload) = payload else { return };
        if kind == "response_item" {
            if let Some(text) = text_of_item(payload) {
                *self.items.entry(text).or_default() += 1;
            }
        } else if let Some(text) = prompt_of(payload) {
            *self.events.entry(text).or_default() += 1;
        }
    }

    /// Whether some prompt is an item.
    pub(super) fn has_items(&self) -> bool {
        !self.items.is_empty()
    }

    fn n_events(&self, words: Fingerprint) -> usize {
        self.events.get(&words).copied().unwrap_or(0)
    }

    /// How many events are the only record of these words.
    fn n_lone(&self, words: Fingerprint) -> usize {
        let n_items = self.items.get(&words).copied().unwrap_or(0);
        self.n_events(words).saturating_sub(n_items)
    }
}

impl Asked {
    /// Whether this item is a prompt.
    pub(super) fn item(&mut self, turn: &Turn, prompts: &Prompts) -> TypedByUser {
        let words = typed_words(turn);
        let n_asked = &mut self.0.entry(words).or_default().by_items;
        *n_asked += 1;
        if *n_asked <= prompts.n_events(words) {
            TypedByUser::Yes
        } else if prompts.events.is_empty() {
            TypedByUser::Unsaid
        } else {
            TypedByUser::No
        }
    }

    /// Whether this event is the only record of its words.
    pub(super) fn event(&mut self, words: Fingerprint, prompts: &Prompts) -> bool {
        let n_asked = &mut self.0.entry(words).or_default().by_events;
        *n_asked += 1;
        *n_asked <= prompts.n_lone(words)
    }

    /// Whether everything that was asked has the same answers when a file holds `now` instead of `before`.
    pub(super) fn agrees(&self, before: &Prompts, now: &Prompts) -> bool {
        let is_told_alike =
            before.events.is_empty() == now.events.is_empty() && before.has_items() == now.has_items();
        let agrees = |(words, asked): (&Fingerprint, &OfWords)| {
            let (words, OfWords { by_items, by_events }) = (*words, *asked);
            by_items.min(before.n_events(words)) == by_items.min(now.n_events(words))
                && by_events.min(before.n_lone(words)) == by_events.min(now.n_lone(words))
        };
        self.0.is_empty() || (is_told_alike && self.0.iter().all(agrees))
    }
}

/// The prompt an event of the interface records, as it is compared.
pub(super) fn prompt_of(event: &Json) -> Option<Fingerprint> {
    let text = match event.get("type")?.as_str()? {
        // Early versions also record what the client injects, and say so.
        "user_message" if event.get("kind").and_then(Json::as_str).is_none_or(|kind| kind == "plain") => {
            Cow::Borrowed(event.get("message")?.as_str()?)
        }
        "item_completed" => {
            let item = event.get("item")?;
            if item.get("type")?.as_str()? != "UserMessage" {
                return None;
            }
            let texts = item.get("content")?.as_array()?.iter().filter_map(|it| it.get("text")?.as_str());
            Cow::Owned(texts.collect::<Vec<_>>().join("\n"))
        }
        _ => return None,
    };
    let is_injected = !text.trim().is_empty() && client_words(&text).is_some();
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
    let mut words = String::new();
    let mut add = |word: &str| {
        words.push_str(word);
        words.push(' ');
    };
    for text in texts {
        if text.is_ascii() {
            text.split_ascii_whitespace().for_each(&mut add);
        } else {
            text.split_whitespace().for_each(&mut add);
        }
    }
    Fingerprint::of(words.as_bytes())
}
