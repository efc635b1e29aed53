//! Streams of Bedrock's Converse: an object an event, named by its only key.

use std::collections::BTreeMap;

use strata_model::take::{take_object, take_text};
use strata_model::{Json, Object, Str, json};

use super::grow::{Delta, PartialAnswer, Sink, Texts, fill, tell};

const EVENTS: [&str; 6] =
    ["messageStart", "contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStop", "metadata"];

pub(super) fn is_piece(piece: &Object) -> bool {
    piece.len() == 1 && piece.keys().all(|key| EVENTS.contains(&&**key) || key.ends_with("Exception"))
}

/// An answer while it comes in.
#[derive(Debug, Default)]
pub(super) struct Answer {
    whole: Object,
    blocks: BTreeMap<i64, Block>,
    is_begun: bool,
    is_over: bool,
}

#[derive(Debug, Default)]
struct Block {
    fields: Object,
    text: Texts,
    input: String,
    reasoning: Option<(Object, Texts)>,
}

impl PartialAnswer for Answer {
    fn take(&mut self, piece: Object, sink: Sink<'_>) -> bool {
        let is_known = is_piece(&piece);
        for (name, event) in piece {
            let Json::Object(mut event) = event else { continue };
            let index = event.get("contentBlockIndex").and_then(Json::as_i64).unwrap_or(0);
            match &*name {
                "messageStart" => self.is_begun = true,
                "contentBlockStart" => {
                    let fields = take_object(&mut event, "start").unwrap_or_default();
                    if let Some(tool) = fields.get("toolUse") {
                        let name = tool.get("name").and_then(Json::as_str).unwrap_or_default();
                        sink(Delta::Call { name: name.into() });
                    }
                    self.blocks.insert(index, Block { fields, ..Block::default() });
                }
                "contentBlockDelta" => {
                    let delta = take_object(&mut event, "delta").unwrap_or_default();
                    self.blocks.entry(index).or_default().grow(delta, sink);
                }
                "messageStop" | "metadata" => {
                    self.is_over |= &*name == "messageStop";
                    event.remove("p");
                    fill(&mut self.whole, event);
                }
                name if name.ends_with("Exception") => {
                    event.push("type", name);
                    self.whole.insert("error", event);
                }
                _ => {}
            }
        }
        is_known
    }

    fn is_followed_by(&self, piece: &Object) -> bool {
        self.is_begun && piece.contains_key("messageStart")
    }

    fn is_complete(&self) -> bool {
        self.is_over
    }

    fn into_body(self: Box<Self>) -> Object {
        let Self { mut whole, blocks, .. } = *self;
        let blocks: Vec<Json> = blocks.into_values().map(|block| block.finished().into()).collect();
        let message =
            Object::from_iter([("role", Json::from("assistant")), ("content", Json::Array(blocks))]);
        whole.insert("output", Object::from_iter([("message", message)]));
        whole
    }
}

impl Block {
    fn grow(&mut self, mut delta: Object, sink: Sink<'_>) {
        if let Some(more) = take_text(&mut delta, "text") {
            self.text.append("text", &more);
            tell(&more, Delta::Text, sink);
        }
        if let Some(mut tool) = take_object(&mut delta, "toolUse") {
            let more: Str = take_text(&mut tool, "input").unwrap_or_default();
            self.input += &more;
            tell(&more, Delta::Arguments, sink);
        }
        if let Some(mut reasoning) = take_object(&mut delta, "reasoningContent") {
            let (known, texts) = self.reasoning.get_or_insert_default();
            for key in ["text", "signature"] {
                if let Some(more) = take_text(&mut reasoning, key) {
                    texts.append(key, &more);
                    if key == "text" {
                        tell(&more, Delta::Thought, sink);
                    }
                }
            }
            fill(known, reasoning);
        }
        fill(&mut self.fields, delta);
    }

    fn finished(mut self) -> Object {
        self.text.put_into(&mut self.fields);
        if let Some((mut known, texts)) = self.reasoning {
            let mut inner = Object::new();
            texts.put_into(&mut inner);
            known.insert("reasoningText", inner);
            self.fields.insert("reasoningContent", known);
        }
        if let Some(mut tool) = take_object(&mut self.fields, "toolUse") {
            if !self.input.is_empty() {
                tool.insert(
                    "input",
                    json::parse(self.input.as_bytes()).unwrap_or_else(|_| self.input.into()),
                );
            }
            self.fields.insert("toolUse", tool);
        }
        self.fields
    }
}
