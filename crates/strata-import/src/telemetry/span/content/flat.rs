//! Attributes that spell lists out, an attribute a leaf.

use std::collections::BTreeMap;

use strata_model::take::unpacked;
use strata_model::{Json, Object};

use super::body::of_body;
use super::logged::as_blocks;
use crate::draft::Draft;
use crate::exchange::Exchange;
use crate::telemetry::span::recorded::Span;

/// Attributes that spell a list out: `llm.input_messages.0.message.role`, `gen_ai.prompt.0.content`.
pub(super) fn exchange(span: &Span, draft: &mut Draft) -> Option<Exchange> {
    const PAIRS: [[&str; 2]; 3] = [
        ["llm.input_messages", "llm.output_messages"],
        ["gen_ai.prompt", "gen_ai.completion"],
        ["llm.prompts", "llm.completions"],
    ];
    let (input, output) = PAIRS.iter().find_map(|[input, output]| {
        let pair = (unflattened(&span.attributes, input), unflattened(&span.attributes, output));
        (pair.0.is_some() || pair.1.is_some()).then_some(pair)
    })?;
    let mut body = Object::new();
    body.push_some("model", span.first_text(&["llm.model_name", "gen_ai.request.model"]));
    body.push_some("tools", tools(span));
    body.push("messages", spelled(input.unwrap_or_else(|| Json::Array(Vec::new()))));
    Some(of_body(span, body, output.map(spelled), draft))
}

/// Definitions of tools, which some write as text.
fn tools(span: &Span) -> Option<Json> {
    let lists = ["llm.tools", "llm.request.functions", "gen_ai.request.functions"];
    let tools = lists.iter().find_map(|list| unflattened(&span.attributes, list))?;
    let Json::Array(tools) = tools else { return Some(tools) };
    let tools = tools.into_iter().map(|tool| {
        let schema = tool.get("tool").and_then(|it| it.get("json_schema")).cloned();
        let Json::Object(mut tool) = schema.map_or(tool, unpacked) else { return Json::Null };
        if let Some(parameters) = tool.remove("parameters") {
            tool.insert("parameters", unpacked(parameters));
        }
        Json::Object(tool)
    });
    Some(tools.filter(|tool| !tool.is_null()).collect::<Vec<_>>().into())
}

/// The value whose members are spelled out in attribute names.
fn unflattened(attributes: &Object, name: &str) -> Option<Json> {
    if let Some(whole @ (Json::Array(_) | Json::String(_))) = attributes.get(name)
        && let list @ Json::Array(_) = unpacked(whole.clone())
    {
        return Some(list);
    }
    let mut root = Node::default();
    for (key, value) in attributes.iter() {
        if let Some(path) = key.strip_prefix(name).and_then(|path| path.strip_prefix('.')) {
            root.set(&path.split('.').take(MAX_PATH).collect::<Vec<_>>(), value);
        }
    }
    (!root.members.is_empty()).then(|| root.json())
}

/// No name spells out more levels.
const MAX_PATH: usize = 24;

#[derive(Default)]
struct Node {
    value: Option<Json>,
    members: BTreeMap<(usize, String), Node>,
}

impl Node {
    fn set(&mut self, path: &[&str], value: &Json) {
        match path {
            [] => self.value = Some(value.clone()),
            [first, rest @ ..] => {
                let number = first.parse().unwrap_or(usize::MAX);
                self.members.entry((number, (*first).to_owned())).or_default().set(rest, value);
            }
        }
    }

    fn json(self) -> Json {
        if self.members.is_empty() {
            return self.value.unwrap_or_default();
        }
        let is_list = self.members.keys().all(|(number, _)| *number != usize::MAX);
        let members = self.members.into_iter().map(|((_, name), node)| (name, node.json()));
        if is_list {
            return members.map(|(_, value)| value).collect::<Vec<_>>().into();
        }
        members.collect::<Object>().into()
    }
}

/// Messages as the dialects write them, from OpenInference's spelling.
fn spelled(messages: Json) -> Json {
    let Json::Array(messages) = messages else { return messages };
    let messages = messages.into_iter().map(|message| {
        let Some(inner) = message.get("message").and_then(Json::as_object) else { return unwritten(message) };
        let mut out = Object::new();
        for (key, value) in inner.iter() {
            match (&**key, value) {
                ("contents", Json::Array(pieces)) => {
                    let pieces =
                        pieces.iter().map(|piece| piece_of(piece.get("message_content").unwrap_or(piece)));
                    out.insert("content", pieces.collect::<Vec<_>>());
                }
                ("tool_calls", Json::Array(calls)) => {
                    let calls = calls.iter().map(|call| call.get("tool_call").unwrap_or(call).clone());
                    out.insert("tool_calls", calls.collect::<Vec<_>>());
                }
                _ => {
                    out.insert(key.clone(), value.clone());
                }
            }
        }
        Json::Object(out)
    });
    messages.collect::<Vec<_>>().into()
}

fn piece_of(piece: &Json) -> Json {
    let image =
        piece.get("image").and_then(|image| image.get("image")?.get("url").or(image.get("url")).cloned());
    match (image, piece) {
        (Some(url), _) => Object::from_iter([("type", Json::from("image_url")), ("image_url", url)]).into(),
        (None, piece) => piece.clone(),
    }
}

/// A message whose blocks are written as text into its content.
fn unwritten(message: Json) -> Json {
    let Json::Object(mut message) = message else { return message };
    if let Some(content) = message.get_mut("content") {
        *content = as_blocks(std::mem::take(content));
    }
    Json::Object(message)
}
