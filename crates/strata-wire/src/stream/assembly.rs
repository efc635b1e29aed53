//! A streamed answer, put together into the answer it would have been in one piece.

use strata_model::take::take_object;
use strata_model::{Json, Object};

use super::grow::{PartialAnswer, Sink, kind};
use super::sse::{Payload, SseEvent, SseReader, is_stream};
use super::{anthropic, chat, converse, gemini, ollama, responses};

/// An answer while its pieces come in, in whatever dialect they are.
#[derive(Debug, Default)]
pub struct Assembly {
    /// What the first piece of a known kind made of it.
    growing: Option<Box<dyn PartialAnswer>>,
    /// An object that is no piece: the answer itself, where nothing else comes.
    whole: Option<Object>,
    error: Option<Json>,
    is_over: bool,
}

/// An answer that was put together, or came whole.
#[derive(Debug, Clone, PartialEq)]
pub struct JoinedAnswer {
    pub body: Object,
    /// The stream ended before the answer did.
    pub is_cut: bool,
}

/// An answer of several that were recorded one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct SeparatedAnswer {
    /// The place of its first piece among the pieces.
    pub first: usize,
    pub joined: JoinedAnswer,
}

impl Assembly {
    /// Takes in a piece, and tells what came with it. `name` is that of its event, if it has one. Whether it was
    /// understood; what was not leaves the answer as it was.
    pub fn take(&mut self, name: &str, piece: Json, sink: Sink<'_>) -> bool {
        let Json::Object(piece) = unwrapped(piece) else { return false };
        let error = error_of(name, &piece);
        let is_error = error.is_some();
        self.error = self.error.take().or(error);
        if self.growing.is_none() {
            self.growing = growing_of(&piece);
        }
        match &mut self.growing {
            Some(growing) => growing.take(piece, sink) || is_error,
            None if kind(&piece) == "ping" => true,
            None => self.whole(piece),
        }
    }

    /// Takes in an answer that came in one piece.
    pub fn take_whole(&mut self, name: &str, body: Object) -> bool {
        self.error = self.error.take().or(error_of(name, &body));
        self.whole(body)
    }

    fn whole(&mut self, body: Object) -> bool {
        let is_answer = ANSWERS.iter().any(|key| body.contains_key(key)) || self.error.is_some();
        if is_answer {
            self.whole.get_or_insert(body);
        }
        is_answer
    }

    /// Whether nothing came yet.
    pub fn is_empty(&self) -> bool {
        self.growing.is_none() && self.whole.is_none()
    }

    /// The stream says that it is over.
    pub fn close(&mut self) {
        self.is_over = true;
    }

    /// Whether a piece is the first of another answer than this one.
    pub fn is_followed_by(&self, piece: &Json) -> bool {
        let growing = self.growing.as_ref().zip(piece.as_object());
        growing.is_some_and(|(growing, piece)| growing.is_followed_by(piece))
    }

    /// Whether the answer came to its end.
    pub fn is_complete(&self) -> bool {
        self.is_over || self.growing.as_ref().map_or(self.whole.is_some(), |growing| growing.is_complete())
    }

    /// What the provider says went wrong.
    pub fn error(&self) -> Option<&Json> {
        self.error.as_ref()
    }

    /// The answer that came in one piece, if it did.
    pub fn as_whole(&self) -> Option<&Object> {
        self.whole.as_ref().filter(|_| self.growing.is_none())
    }

    /// The answer as far as it came. `None`: nothing came.
    pub fn finish(self) -> Option<JoinedAnswer> {
        let is_cut = !self.is_complete();
        let mut body = self.growing.map(PartialAnswer::into_body).or(self.whole)?;
        if let Some(error) = self.error {
            body.insert("error", error);
        }
        Some(JoinedAnswer { body, is_cut })
    }
}

/// Members of answers in one piece.
const ANSWERS: [&str; 8] =
    ["choices", "candidates", "content", "output", "message", "generations", "response", "completion"];

fn growing_of(piece: &Object) -> Option<Box<dyn PartialAnswer>> {
    let kind = kind(piece);
    Some(if anthropic::is_piece(kind) {
        Box::new(anthropic::Message::default())
    } else if responses::is_piece(kind) {
        Box::new(responses::Response::default())
    } else if chat::is_piece(piece) {
        Box::new(chat::Completion::default())
    } else if gemini::is_piece(piece) {
        Box::new(gemini::Answer::default())
    } else if converse::is_piece(piece) {
        Box::new(converse::Answer::default())
    } else if ollama::is_piece(piece) {
        Box::new(ollama::Answer::default())
    } else {
        return None;
    })
}

/// An error that came in place of an answer, or in the middle of one.
fn error_of(name: &str, piece: &Object) -> Option<Json> {
    let within = piece.get("response").and_then(|response| response.get("error"));
    let error = piece.get("error").or(within).filter(|error| !error.is_null());
    match error {
        Some(error) => Some(error.clone()),
        None if name == "error" || kind(piece) == "error" => Some(Json::Object(piece.clone())),
        None => None,
    }
}

/// The piece inside of what a gateway wrote around it.
fn unwrapped(piece: Json) -> Json {
    let Json::Object(mut object) = piece else { return piece };
    let is_wrapper = !object.contains_key("type") && !object.contains_key("choices");
    let inner = if is_wrapper { take_object(&mut object, "response") } else { None };
    Json::Object(inner.unwrap_or(object))
}

/// Whether a value is a piece of a streamed answer rather than a whole one.
pub fn is_piece(piece: &Object) -> bool {
    let kind = kind(piece);
    let is_chunk = piece.get("object").and_then(Json::as_str) == Some("chat.completion.chunk");
    // A whole answer of Gemini's says why it ends.
    let is_open = piece.get("candidates").and_then(Json::as_array).is_some_and(|candidates| {
        candidates.iter().all(|candidate| candidate.get("finishReason").is_none_or(Json::is_null))
    });
    is_chunk
        || is_open
        || responses::is_piece(kind)
        || anthropic::is_piece(kind)
        || converse::is_piece(piece)
        || piece.get("done").and_then(Json::as_bool) == Some(false)
}

/// The whole answer, from the pieces of its stream; the list itself when they are no pieces.
pub fn joined(pieces: Vec<Json>) -> Result<JoinedAnswer, Vec<Json>> {
    let is_known = |piece: &Json| {
        let inner =
            piece.get("response").filter(|_| piece.get("type").is_none() && piece.get("choices").is_none());
        let piece = inner.and_then(Json::as_object).or(piece.as_object());
        piece.is_some_and(|piece| growing_of(piece).is_some() || error_of("", piece).is_some())
    };
    if !pieces.iter().any(is_known) {
        return Err(pieces);
    }
    let mut assembly = Assembly::default();
    for piece in pieces {
        assembly.take("", piece, &mut |_| ());
    }
    // A list has a piece of a known kind, so there is an answer.
    assembly.finish().ok_or_else(Vec::new)
}

/// Every answer of a list of pieces; a recording may hold several streams, one after the other. What stands between them
/// is left out, as the text that ends a stream is.
pub fn separated(pieces: Vec<Json>) -> Vec<SeparatedAnswer> {
    let mut all = Vec::new();
    let mut open: Option<(usize, Assembly)> = None;
    let end = |open: Option<(usize, Assembly)>, all: &mut Vec<SeparatedAnswer>| {
        let ended =
            open.and_then(|(first, assembly)| Some(SeparatedAnswer { first, joined: assembly.finish()? }));
        all.extend(ended);
    };
    for (at, piece) in pieces.into_iter().enumerate() {
        if open.as_ref().is_some_and(|(_, assembly)| assembly.is_followed_by(&piece)) {
            end(open.take(), &mut all);
        }
        let (_, assembly) = open.get_or_insert_with(|| (at, Assembly::default()));
        if piece.as_object().is_some() {
            assembly.take("", piece, &mut |_| ());
        } else {
            assembly.close();
            end(open.take(), &mut all);
        }
    }
    end(open, &mut all);
    all
}

/// The pieces of a streamed answer, from the text of its stream; `None` when the text only begins like one.
pub fn pieces(text: &str) -> Option<Vec<Json>> {
    is_stream(text).then(|| payloads(text)).filter(|pieces| !pieces.is_empty())
}

/// Every answer of a text of server-sent events.
pub fn answers(text: &str) -> Vec<JoinedAnswer> {
    separated(payloads(text)).into_iter().map(|separated| separated.joined).collect()
}

/// What the events of a stream hold, the end of each answer as the text that says so.
fn payloads(text: &str) -> Vec<Json> {
    let mut payloads = Vec::new();
    let mut take = |event: SseEvent| {
        let (read, _) = event.payloads();
        payloads.extend(read.into_iter().map(|payload| match payload {
            Payload::Json(value) => value,
            Payload::Done => Json::from("[DONE]"),
        }));
    };
    let mut reader = SseReader::default();
    reader.push(text.as_bytes(), &mut take);
    if let Some(last) = reader.finish() {
        take(last);
    }
    payloads
}
