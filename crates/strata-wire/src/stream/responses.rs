//! Streams of the Responses API. The last event has the whole answer, but servers may leave its items out, and a stream
//! may break off before it: then the items are those that were streamed.

use strata_model::take::{take_list, take_object, take_text};
use strata_model::{Json, Object, Str, namespace};

use super::grow::{Delta, PartialAnswer, Sink, Texts, fill, kind, tell};

/// Kinds of events that add nothing to the items, or are told again in them; beginnings of their names.
const TOLD_ELSEWHERE: [&str; 12] = [
    "response.content_part.",
    "response.output_text.",
    "response.refusal.",
    "response.reasoning",
    "response.function_call_arguments.",
    "response.custom_tool_call_input.",
    "response.code_interpreter_call",
    "response.web_search_call.",
    "response.file_search_call.",
    "response.image_generation_call.",
    "response.mcp_",
    "response.audio.",
];

pub(super) fn is_piece(kind: &str) -> bool {
    kind.starts_with("response.")
}

/// A response while it comes in.
#[derive(Debug, Default)]
pub(super) struct Response {
    whole: Object,
    items: Vec<(Place, Item)>,
    is_begun: bool,
    is_over: bool,
}

/// What tells the items of a response apart: their places, or their ids where servers leave the places out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    At(i64),
    Of(Option<Str>),
}

#[derive(Debug, Default)]
struct Item {
    fields: Object,
    /// Texts of its own: arguments, input, code.
    texts: Texts,
    /// Texts of the pieces of its content and of its summary.
    content: Vec<Piece>,
    summary: Vec<Piece>,
}

#[derive(Debug)]
struct Piece {
    kind: &'static str,
    text: String,
}

impl PartialAnswer for Response {
    fn take(&mut self, mut piece: Object, sink: Sink<'_>) -> bool {
        let name = kind(&piece).to_owned();
        if let Some(response) = take_object(&mut piece, "response") {
            fill(&mut self.whole, response);
        }
        match &*name {
            "response.created" => self.is_begun = true,
            "response.queued" | "response.in_progress" => {}
            "response.completed" | "response.incomplete" | "response.failed" | "response.cancelled" => {
                self.is_over = true;
            }
            "response.output_item.added" | "response.output_item.done" => {
                let fields = take_object(&mut piece, "item").unwrap_or_default();
                let place = Place::of(&piece, fields.get("id"));
                if name.ends_with("added") {
                    begun(&fields, sink);
                }
                *self.item(place) = Item { fields, ..Item::default() };
            }
            _ if name.rsplit('.').next() == Some("delta") => {
                if let Some(more) = take_text(&mut piece, "delta") {
                    let at =
                        ["content_index", "summary_index"].iter().find_map(|key| piece.get(key)?.as_i64());
                    let at = usize::try_from(at.unwrap_or(0)).unwrap_or(0);
                    let item = self.item(Place::of(&piece, piece.get("item_id")));
                    return item.grow(&name, at, &more, sink);
                }
            }
            _ => return TOLD_ELSEWHERE.iter().any(|known| name.starts_with(known)),
        }
        true
    }

    fn is_followed_by(&self, piece: &Object) -> bool {
        self.is_begun && kind(piece) == "response.created"
    }

    fn is_complete(&self) -> bool {
        self.is_over
    }

    fn into_body(self: Box<Self>) -> Object {
        let Self { mut whole, mut items, .. } = *self;
        let has_items = whole.get("output").and_then(Json::as_array).is_some_and(|output| !output.is_empty());
        if !has_items {
            // Those without a place stay in the order in which they came.
            items.sort_by_key(|(place, _)| if let Place::At(at) = place { *at } else { i64::MAX });
            let items: Vec<Json> = items.into_iter().map(|(_, item)| item.finished().into()).collect();
            whole.insert("output", items);
        }
        whole
    }
}

impl Response {
    fn item(&mut self, place: Place) -> &mut Item {
        let at = self.items.iter().rposition(|(known, _)| *known == place).unwrap_or_else(|| {
            self.items.push((place, Item::default()));
            self.items.len() - 1
        });
        &mut self.items[at].1
    }
}

impl Place {
    fn of(piece: &Object, id: Option<&Json>) -> Self {
        match piece.get("output_index").and_then(Json::as_i64) {
            Some(at) => Self::At(at),
            None => Self::Of(id.and_then(Json::as_str).map(Str::from)),
        }
    }
}

/// Tells of a call that begins.
fn begun(item: &Object, sink: Sink<'_>) {
    let text = |key: &str| item.get(key).and_then(Json::as_str).unwrap_or_default();
    if matches!(kind(item), "function_call" | "custom_tool_call") {
        sink(Delta::Call { name: namespace::name_in(Some(text("namespace")), text("name")) });
        let begun = [text("arguments"), text("input")].concat();
        tell(&begun.into(), Delta::Arguments, sink);
    }
}

impl Item {
    /// Adds a piece of a text. Whether it is known where.
    fn grow(&mut self, event: &str, at: usize, more: &Str, sink: Sink<'_>) -> bool {
        /// No item has more pieces of content.
        const MAX_PIECES: usize = 4096;
        let (list, kind, delta): (_, _, fn(Str) -> Delta) = match event {
            "response.output_text.delta" => (&mut self.content, "output_text", Delta::Text),
            "response.refusal.delta" => (&mut self.content, "refusal", Delta::Text),
            "response.reasoning_text.delta" => (&mut self.content, "reasoning_text", Delta::Thought),
            "response.reasoning_summary_text.delta" => (&mut self.summary, "summary_text", Delta::Thought),
            "response.function_call_arguments.delta" => {
                self.texts.append("arguments", more);
                tell(more, Delta::Arguments, sink);
                return true;
            }
            "response.custom_tool_call_input.delta" => {
                self.texts.append("input", more);
                tell(more, Delta::Arguments, sink);
                return true;
            }
            "response.code_interpreter_call_code.delta" => {
                self.texts.append("code", more);
                return true;
            }
            _ => return false,
        };
        let at = at.min(MAX_PIECES);
        while list.len() <= at {
            list.push(Piece { kind, text: String::new() });
        }
        let piece = &mut list[at];
        piece.kind = kind;
        piece.text += more;
        tell(more, delta, sink);
        true
    }

    fn finished(self) -> Object {
        let Self { mut fields, texts, content, summary } = self;
        texts.put_into(&mut fields);
        // An item whose beginning was not seen.
        if !fields.contains_key("type") {
            let is_thought = content.iter().chain(&summary).any(|piece| piece.kind.contains("reasoning"))
                || !summary.is_empty();
            let is_call = fields.contains_key("arguments");
            let kind = if is_call {
                "function_call"
            } else if is_thought {
                "reasoning"
            } else {
                "message"
            };
            fields.insert("type", kind);
        }
        for (list, pieces) in [("content", content), ("summary", summary)] {
            if !pieces.is_empty() {
                let mut known = take_list(&mut fields, list).unwrap_or_default();
                for (at, piece) in pieces.into_iter().enumerate() {
                    while known.len() <= at {
                        known.push(Object::from_iter([("type", piece.kind)]).into());
                    }
                    if let Json::Object(known) = &mut known[at] {
                        let key = if piece.kind == "refusal" { "refusal" } else { "text" };
                        let begun = known.get(key).and_then(Json::as_str).unwrap_or_default();
                        let whole = begun.to_owned() + &piece.text;
                        known.insert(key, whole);
                    }
                }
                fields.insert(list, known);
            }
        }
        fields
    }
}
