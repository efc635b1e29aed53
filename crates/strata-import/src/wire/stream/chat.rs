//! Streams of Chat Completions: chunks whose deltas add up; the usage is in the last.

use std::collections::BTreeMap;

use strata_model::{Json, Object};

use super::{append, fill};
use crate::take::{take_list, take_object, take_text};

/// Texts that come in pieces.
const TEXTS: [&str; 5] = ["content", "refusal", "reasoning_content", "reasoning", "thinking"];

/// A choice while it grows.
#[derive(Default)]
struct Choice {
    message: Object,
    /// Content that comes in blocks rather than as text.
    blocks: Vec<Json>,
    calls: Vec<Call>,
    fields: Object,
}

struct Call {
    index: i64,
    fields: Object,
    function: Object,
}

/// Why a chunk says the answer ended, if it does.
pub(super) fn finish_of(piece: &Object) -> Option<&Json> {
    let choices = piece.get("choices")?.as_array()?;
    choices.iter().find_map(|choice| choice.get("finish_reason").filter(|reason| !reason.is_null()))
}

pub(super) fn whole(pieces: Vec<Json>) -> Object {
    let mut whole = Object::new();
    let mut choices: BTreeMap<i64, Choice> = BTreeMap::new();
    for piece in pieces {
        let Json::Object(mut piece) = piece else { continue };
        for choice in take_list(&mut piece, "choices").unwrap_or_default() {
            let Json::Object(mut choice) = choice else { continue };
            let index = choice.remove("index").and_then(|index| index.as_i64()).unwrap_or(0);
            choices.entry(index).or_default().grow(choice);
        }
        fill(&mut whole, piece);
    }
    if !whole.contains_key("usage")
        && let Some(usage) =
            take_object(&mut whole, "x_groq").and_then(|mut own| take_object(&mut own, "usage"))
    {
        whole.insert("usage", usage);
    }
    whole.insert("choices", choices.into_values().map(Choice::finished).collect::<Vec<_>>());
    whole
}

impl Choice {
    fn grow(&mut self, mut choice: Object) {
        let mut delta = take_object(&mut choice, "delta")
            .or_else(|| take_object(&mut choice, "message"))
            .unwrap_or_default();
        // Plain completions have a text and no message.
        if let Some(more) = take_text(&mut choice, "text") {
            append(&mut self.message, "content", &more);
        }
        for key in TEXTS {
            if let Some(more) = take_text(&mut delta, key) {
                append(&mut self.message, key, &more);
            }
        }
        self.blocks.extend(take_list(&mut delta, "content").unwrap_or_default());
        for call in take_list(&mut delta, "tool_calls").unwrap_or_default() {
            self.call(call);
        }
        if let Some(call) = take_object(&mut delta, "function_call") {
            self.call(Object::from_iter([("index", Json::Int(0)), ("function", call.into())]).into());
        }
        if let Some(mut audio) = take_object(&mut delta, "audio") {
            let mut known = take_object(&mut self.message, "audio").unwrap_or_default();
            for key in ["transcript", "data"] {
                if let Some(more) = take_text(&mut audio, key) {
                    append(&mut known, key, &more);
                }
            }
            fill(&mut known, audio);
            self.message.insert("audio", known);
        }
        for (key, value) in delta {
            match (self.message.get_mut(&key), value) {
                (_, Json::Null) => {}
                (Some(Json::Array(known)), Json::Array(more)) => known.extend(more),
                (_, value) => {
                    self.message.insert(key, value);
                }
            }
        }
        fill(&mut self.fields, choice);
    }

    /// A call goes on where its number is the same; servers that number all calls 0 give each an id of its own.
    fn call(&mut self, call: Json) {
        let Json::Object(mut call) = call else { return };
        let index = call.remove("index").and_then(|index| index.as_i64());
        let id = call.get("id").and_then(Json::as_str).filter(|id| !id.is_empty()).map(str::to_owned);
        let is_named = call
            .get("function")
            .and_then(|function| function.get("name")?.as_str())
            .is_some_and(|it| !it.is_empty());
        let is_same = |known: &&mut Call| {
            let known_id = known.fields.get("id").and_then(Json::as_str);
            let is_other = id.is_some() && is_named && known_id != id.as_deref();
            index.is_none_or(|index| known.index == index) && !is_other
        };
        let at = match self.calls.iter_mut().rev().find(is_same) {
            Some(known) => known,
            None => {
                let index = index.unwrap_or(self.calls.len() as i64);
                self.calls.push(Call { index, fields: Object::new(), function: Object::new() });
                let last = self.calls.len() - 1;
                &mut self.calls[last]
            }
        };
        let mut function = take_object(&mut call, "function").unwrap_or_default();
        let known = at.function.get("name").and_then(Json::as_str).unwrap_or_default().to_owned();
        if let Some(name) = take_text(&mut function, "name").filter(|name| **name != *known) {
            append(&mut at.function, "name", &name);
        }
        match function.remove("arguments") {
            Some(Json::String(more)) => append(&mut at.function, "arguments", &more),
            Some(Json::Null) | None => {}
            Some(whole) => {
                at.function.insert("arguments", whole);
            }
        }
        fill(&mut at.function, function);
        call.retain(|key, value| value.is_truthy() && (key != "id" || !at.fields.contains_key("id")));
        fill(&mut at.fields, call);
    }

    fn finished(mut self) -> Json {
        self.message.insert("role", "assistant");
        if !self.blocks.is_empty() {
            let mut blocks: Vec<Json> = Vec::new();
            if let Some(text) = take_text(&mut self.message, "content").filter(|text| !text.is_empty()) {
                blocks.push(text.into());
            }
            self.blocks.into_iter().for_each(|block| add_block(block, &mut blocks));
            self.message.insert("content", blocks);
        }
        if !self.calls.is_empty() {
            self.calls.sort_by_key(|call| call.index);
            let calls = self.calls.into_iter().map(|call| {
                let mut fields = call.fields;
                fields.insert("function", call.function);
                Json::Object(fields)
            });
            self.message.insert("tool_calls", calls.collect::<Vec<_>>());
        }
        let mut fields = self.fields;
        fields.insert("message", self.message);
        Json::Object(fields)
    }
}

/// Text that goes on in the next block is one block.
fn add_block(block: Json, blocks: &mut Vec<Json>) {
    fn text_of(block: &Object) -> Option<&str> {
        let is_text = block.get("type").and_then(Json::as_str) == Some("text");
        block.get("text").and_then(Json::as_str).filter(|_| is_text)
    }
    if let (Some(more), Some(Json::Object(last))) = (block.as_object().and_then(text_of), blocks.last_mut())
        && text_of(last).is_some()
    {
        append(last, "text", more);
        return;
    }
    blocks.push(block);
}
