//! Streams of Ollama: an answer a line, of which the last is done and has the counts.

use strata_model::take::{take_list, take_object, take_text};
use strata_model::{Json, Object};

use super::grow::{Delta, PartialAnswer, Sink, Texts, fill, tell};

pub(super) fn is_piece(piece: &Object) -> bool {
    piece.get("done").and_then(Json::as_bool).is_some()
        && (piece.contains_key("message") || piece.contains_key("response"))
}

/// An answer while it comes in.
#[derive(Debug, Default)]
pub(super) struct Answer {
    whole: Object,
    message: Object,
    texts: Texts,
    calls: Vec<Json>,
    is_done: bool,
}

impl PartialAnswer for Answer {
    fn take(&mut self, mut piece: Object, sink: Sink<'_>) -> bool {
        let is_known = is_piece(&piece);
        self.is_done = piece.get("done").and_then(Json::as_bool) == Some(true);
        let mut delta = take_object(&mut piece, "message").unwrap_or_default();
        for (key, kind) in [("thinking", Delta::Thought as fn(_) -> _), ("content", Delta::Text)] {
            if let Some(more) = take_text(&mut delta, key) {
                self.texts.append(key, &more);
                tell(&more, kind, sink);
            }
        }
        if let Some(more) = take_text(&mut piece, "response") {
            self.texts.append("content", &more);
            tell(&more, Delta::Text, sink);
        }
        for call in take_list(&mut delta, "tool_calls").unwrap_or_default() {
            let name = call.get("function").and_then(|function| function.get("name")?.as_str());
            sink(Delta::Call { name: name.unwrap_or_default().into() });
            self.calls.push(call);
        }
        fill(&mut self.message, delta);
        fill(&mut self.whole, piece);
        is_known
    }

    fn is_followed_by(&self, _: &Object) -> bool {
        self.is_done
    }

    fn is_complete(&self) -> bool {
        self.is_done
    }

    fn into_body(self: Box<Self>) -> Object {
        let Self { mut whole, mut message, texts, calls, .. } = *self;
        message.insert("role", "assistant");
        texts.put_into(&mut message);
        if !calls.is_empty() {
            message.insert("tool_calls", calls);
        }
        whole.insert("message", message);
        whole
    }
}
