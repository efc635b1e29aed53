//! Streams of Chat Completions: chunks whose deltas add up; the usage is in the last.

use std::collections::BTreeMap;

use strata_model::take::{take_list, take_object, take_text};
use strata_model::{Json, Object, Str};

use super::grow::{Delta, PartialAnswer, Sink, Texts, fill, tell};

/// Words that come in pieces.
const WORDS: [&str; 2] = ["content", "refusal"];
/// Thoughts that do; where one stands under several names, the first is shown.
const THOUGHTS: [&str; 3] = ["reasoning_content", "reasoning", "thinking"];

pub(super) fn is_piece(piece: &Object) -> bool {
    piece.get("choices").is_some_and(|choices| choices.as_array().is_some())
}

/// A completion while it comes in.
#[derive(Debug, Default)]
pub(super) struct Completion {
    whole: Object,
    choices: BTreeMap<i64, Choice>,
    /// Of the first chunk; empty where it has none.
    id: Option<Str>,
    is_over: bool,
}

/// A choice while it grows.
#[derive(Debug, Default)]
struct Choice {
    message: Object,
    texts: Texts,
    audio: Option<(Object, Texts)>,
    /// Content that comes in blocks rather than as text.
    blocks: Vec<Json>,
    calls: Vec<Call>,
    fields: Object,
}

#[derive(Debug)]
struct Call {
    index: i64,
    fields: Object,
    name: String,
    arguments: String,
    /// What else the function says.
    function: Object,
}

fn id_of(piece: &Object) -> &str {
    piece.get("id").and_then(Json::as_str).unwrap_or_default()
}

impl PartialAnswer for Completion {
    fn take(&mut self, mut piece: Object, sink: Sink<'_>) -> bool {
        let is_known = ["choices", "usage", "x_groq"].iter().any(|key| piece.contains_key(key));
        self.id.get_or_insert_with(|| id_of(&piece).into());
        for choice in take_list(&mut piece, "choices").unwrap_or_default() {
            let Json::Object(mut choice) = choice else { continue };
            let index = choice.remove("index").and_then(|index| index.as_i64()).unwrap_or(0);
            self.is_over |= choice.get("finish_reason").is_some_and(|reason| !reason.is_null());
            // The first choice is the answer.
            let choices = &mut self.choices;
            let is_first = choices.first_key_value().is_none_or(|(first, _)| index <= *first);
            let grown = choices.entry(index).or_default();
            if is_first { grown.grow(choice, sink) } else { grown.grow(choice, &mut |_| ()) }
        }
        fill(&mut self.whole, piece);
        is_known
    }

    fn is_followed_by(&self, piece: &Object) -> bool {
        self.is_over && is_piece(piece) && self.id.as_deref() != Some(id_of(piece))
    }

    fn is_complete(&self) -> bool {
        self.is_over
    }

    fn into_body(self: Box<Self>) -> Object {
        let Self { mut whole, choices, .. } = *self;
        if !whole.contains_key("usage")
            && let Some(usage) =
                take_object(&mut whole, "x_groq").and_then(|mut own| take_object(&mut own, "usage"))
        {
            whole.insert("usage", usage);
        }
        whole.insert("choices", choices.into_values().map(Choice::finished).collect::<Vec<_>>());
        whole
    }
}

impl Choice {
    fn grow(&mut self, mut choice: Object, sink: Sink<'_>) {
        let mut delta = take_object(&mut choice, "delta")
            .or_else(|| take_object(&mut choice, "message"))
            .unwrap_or_default();
        let mut is_shown = false;
        for key in THOUGHTS {
            if let Some(more) = take_text(&mut delta, key) {
                self.texts.append(key, &more);
                if !is_shown {
                    tell(&more, Delta::Thought, sink);
                    is_shown = !more.is_empty();
                }
            }
        }
        for key in WORDS {
            if let Some(more) = take_text(&mut delta, key) {
                self.texts.append(key, &more);
                tell(&more, Delta::Text, sink);
            }
        }
        // Plain completions have a text and no message.
        if let Some(more) = take_text(&mut choice, "text") {
            self.texts.append("content", &more);
            tell(&more, Delta::Text, sink);
        }
        for block in take_list(&mut delta, "content").unwrap_or_default() {
            if let Some(Json::String(text)) = block.get("text") {
                tell(text, Delta::Text, sink);
            }
            self.blocks.push(block);
        }
        for call in take_list(&mut delta, "tool_calls").unwrap_or_default() {
            self.call(call, sink);
        }
        if let Some(call) = take_object(&mut delta, "function_call") {
            self.call(Object::from_iter([("index", Json::Int(0)), ("function", call.into())]).into(), sink);
        }
        if let Some(mut audio) = take_object(&mut delta, "audio") {
            let (known, texts) = self.audio.get_or_insert_default();
            for key in ["transcript", "data"] {
                if let Some(more) = take_text(&mut audio, key) {
                    texts.append(key, &more);
                }
            }
            fill(known, audio);
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
    fn call(&mut self, call: Json, sink: Sink<'_>) {
        let Json::Object(mut call) = call else { return };
        let index = call.remove("index").and_then(|index| index.as_i64());
        let mut function = take_object(&mut call, "function").unwrap_or_default();
        let name = take_text(&mut function, "name").unwrap_or_default();
        let id = call.get("id").and_then(Json::as_str).filter(|id| !id.is_empty());
        let is_same = |known: &Call| {
            let known_id = known.fields.get("id").and_then(Json::as_str);
            let is_other = id.is_some() && !name.is_empty() && known_id != id;
            index.is_none_or(|index| known.index == index) && !is_other
        };
        let at = self.calls.iter().rposition(is_same).unwrap_or_else(|| {
            sink(Delta::Call { name: name.clone() });
            self.calls.push(Call::new(index.unwrap_or(self.calls.len() as i64)));
            self.calls.len() - 1
        });
        self.calls[at].grow(&name, function, call, sink);
    }

    fn finished(mut self) -> Json {
        self.texts.put_into(&mut self.message);
        if let Some((mut audio, texts)) = self.audio {
            texts.put_into(&mut audio);
            self.message.insert("audio", audio);
        }
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
            let calls: Vec<Json> = self.calls.into_iter().map(Call::finished).collect();
            self.message.insert("tool_calls", calls);
        }
        let mut fields = self.fields;
        fields.insert("message", self.message);
        Json::Object(fields)
    }
}

impl Call {
    fn new(index: i64) -> Self {
        Self {
            index,
            fields: Object::new(),
            name: String::new(),
            arguments: String::new(),
            function: Object::new(),
        }
    }

    fn grow(&mut self, name: &str, mut function: Object, mut call: Object, sink: Sink<'_>) {
        // Some servers repeat the name in every piece.
        if *name != *self.name {
            self.name += name;
        }
        match function.remove("arguments") {
            Some(Json::String(more)) => {
                self.arguments += &more;
                tell(&more, Delta::Arguments, sink);
            }
            Some(Json::Null) | None => {}
            Some(whole) => {
                self.function.insert("arguments", whole);
            }
        }
        fill(&mut self.function, function);
        call.retain(|key, value| value.is_truthy() && (key != "id" || !self.fields.contains_key("id")));
        fill(&mut self.fields, call);
    }

    fn finished(self) -> Json {
        let mut function = self.function;
        if !self.name.is_empty() {
            function.insert("name", self.name);
        }
        if !self.arguments.is_empty() {
            function.insert("arguments", self.arguments);
        }
        let mut fields = self.fields;
        fields.insert("function", function);
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
        let whole = text_of(last).unwrap_or_default().to_owned() + more;
        last.insert("text", whole);
        return;
    }
    blocks.push(block);
}
