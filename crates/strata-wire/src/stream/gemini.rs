//! Streams of generateContent: answers whose parts follow one another; the counts of the last are those of all.

use strata_model::take::{take_list, take_object};
use strata_model::{Json, Object, Str};

use super::grow::{Delta, PartialAnswer, Sink, fill, tell};

/// Whether a piece is an answer, or part of one.
pub(super) fn is_piece(piece: &Object) -> bool {
    piece.contains_key("candidates") || piece.contains_key("promptFeedback")
}

/// An answer while it comes in.
#[derive(Debug, Default)]
pub(super) struct Answer {
    whole: Object,
    candidate: Object,
    parts: Vec<Json>,
    /// The text of the last part, while it goes on.
    open: String,
    /// Of the last piece.
    response_id: Option<Str>,
    is_finished: bool,
    is_over: bool,
}

impl PartialAnswer for Answer {
    fn take(&mut self, mut piece: Object, sink: Sink<'_>) -> bool {
        let is_known =
            ["candidates", "promptFeedback", "usageMetadata"].iter().any(|key| piece.contains_key(key));
        self.response_id = piece.get("responseId").and_then(Json::as_str).map(Str::from);
        self.is_finished = false;
        self.is_over |= piece.get("promptFeedback").is_some_and(|it| it.get("blockReason").is_some());
        for one in take_list(&mut piece, "candidates").unwrap_or_default().into_iter().take(1) {
            let Json::Object(mut one) = one else { continue };
            self.is_finished |= one.get("finishReason").is_some_and(Json::is_truthy);
            let mut content = take_object(&mut one, "content").unwrap_or_default();
            for part in take_list(&mut content, "parts").unwrap_or_default() {
                told(&part, sink);
                self.add_part(part);
            }
            fill(&mut self.candidate, one);
        }
        self.is_over |= self.is_finished;
        fill(&mut self.whole, piece);
        is_known
    }

    fn is_followed_by(&self, piece: &Object) -> bool {
        if !piece.contains_key("candidates") {
            return false;
        }
        match (&self.response_id, piece.get("responseId").and_then(Json::as_str)) {
            (Some(known), Some(own)) => **known != *own,
            _ => self.is_finished,
        }
    }

    fn is_complete(&self) -> bool {
        self.is_over
    }

    fn into_body(mut self: Box<Self>) -> Object {
        self.close();
        let Self { mut whole, mut candidate, parts, .. } = *self;
        let content = Object::from_iter([("role", Json::from("model")), ("parts", Json::Array(parts))]);
        candidate.insert("content", content);
        whole.insert("candidates", vec![Json::Object(candidate)]);
        whole
    }
}

impl Answer {
    /// Text that goes on in the next piece is one part.
    fn add_part(&mut self, part: Json) {
        if let (Some(Json::Object(last)), Json::Object(next)) = (self.parts.last(), &part)
            && is_text(last)
            && is_text(next)
            && last.get("thought") == next.get("thought")
        {
            if self.open.is_empty() {
                last.get("text").and_then(Json::as_str).unwrap_or_default().clone_into(&mut self.open);
            }
            self.open += next.get("text").and_then(Json::as_str).unwrap_or_default();
            return;
        }
        self.close();
        self.parts.push(part);
    }

    fn close(&mut self) {
        let open = std::mem::take(&mut self.open);
        if !open.is_empty()
            && let Some(Json::Object(last)) = self.parts.last_mut()
        {
            last.insert("text", open);
        }
    }
}

/// Whether a part is text and nothing else.
fn is_text(part: &Object) -> bool {
    part.get("text").and_then(Json::as_str).is_some()
        && part.keys().all(|key| matches!(&**key, "text" | "thought"))
}

fn told(part: &Json, sink: Sink<'_>) {
    if let Some(call) = part.get("functionCall") {
        let name = call.get("name").and_then(Json::as_str).unwrap_or_default();
        sink(Delta::Call { name: name.into() });
    }
    if let Some(Json::String(text)) = part.get("text") {
        let is_thought = part.get("thought").is_some_and(Json::is_truthy);
        tell(text, if is_thought { Delta::Thought } else { Delta::Text }, sink);
    }
}
