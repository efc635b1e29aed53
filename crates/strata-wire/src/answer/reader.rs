//! An answer out of the bytes that a server sends.

use std::ops::Range;

use strata_model::{Json, json};

use super::answer::Answer;
use super::body::told;
use crate::message::{Reader, ToolNames};
use crate::stream::{
    Assembly, CutValue, Delta, FrameReader, JoinedAnswer, Payload, Sink, SseEvent, SseReader, ValueCutter,
    is_piece, is_stream,
};

/// Characters of what is no answer that are shown.
const EXCERPT: usize = 160;
/// Bytes of the beginning that are kept to be shown.
const HEAD: usize = 4 * EXCERPT;

/// Makes an answer of bytes as they come, in pieces of any size and whatever dialect they are: server-sent events,
/// Amazon's frames, JSON values one after the other, or one document.
///
/// What is not understood changes nothing of the answer, and is known by its place ([`AnswerReader::unread`]): whoever
/// keeps the bytes has it to the byte.
///
/// ```
/// use strata_wire::{AnswerReader, Delta};
///
/// let mut reader = AnswerReader::default();
/// let mut shown = String::new();
/// for bytes in [&b"data: {\"choices\":[{\"delta\":{\"content\":\"Hel"[..], b"lo\"}}]}\n\n", b"data: [DONE]\n\n"] {
///     reader.push(bytes, &mut |delta| if let Delta::Text(text) = delta { shown += &text });
/// }
/// assert!(reader.is_complete());
/// assert_eq!((shown.as_str(), reader.into_answer().text().as_str()), ("Hello", "Hello"));
/// ```
#[derive(Debug, Default)]
pub struct AnswerReader {
    framing: Option<Framing>,
    /// The beginning of what came, white space left out.
    head: Vec<u8>,
    /// Bytes before the framing was known.
    n_skipped: u64,
    taking: Taking,
}

/// How answers lie in the bytes.
#[derive(Debug)]
enum Framing {
    Events(SseReader),
    Frames(FrameReader),
    Values(ValueCutter),
}

/// What is made of what came.
#[derive(Debug, Default)]
struct Taking {
    assembly: Assembly,
    problem: Option<StreamError>,
    unread: Vec<Range<u64>>,
    n_understood: u64,
}

/// What is wrong with what a server sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StreamError {
    /// It is not what a provider sends; with its beginning.
    #[error("what it sent is no answer: {excerpt}")]
    Malformed { excerpt: String },
    /// The provider says that something went wrong, in its words.
    #[error("{message}")]
    Provider { code: String, message: String },
}

impl AnswerReader {
    /// Takes in more bytes, and tells what came with them.
    pub fn push(&mut self, bytes: &[u8], sink: Sink<'_>) {
        let Self { framing, n_skipped, head, taking } = self;
        let blank = if framing.is_some() { 0 } else { bytes.len() - bytes.trim_ascii_start().len() };
        *n_skipped += blank as u64;
        let bytes = &bytes[blank..];
        let Some(first) = bytes.first() else { return };
        head.extend_from_slice(&bytes[..HEAD.saturating_sub(head.len()).min(bytes.len())]);
        match framing.get_or_insert_with(|| Framing::of(*first)) {
            Framing::Events(reader) => {
                reader.push(bytes, &mut |event| taking.event(&event, *n_skipped, sink));
            }
            Framing::Values(cutter) => {
                cutter.push(bytes, &mut |value| taking.value(&value, *n_skipped, sink));
            }
            Framing::Frames(reader) => {
                reader.push(bytes, &mut |frame| {
                    let place = moved(&frame.bytes, *n_skipped);
                    match frame.value {
                        Some(value) => taking.take("", value, place, sink),
                        None => taking.unread.push(place),
                    }
                });
            }
        }
    }

    /// Takes in what lies between the last complete event and the end of the bytes.
    pub fn end(&mut self, sink: Sink<'_>) {
        let Self { framing, n_skipped, head, taking } = self;
        match framing {
            Some(Framing::Events(reader)) => {
                if let Some(event) = reader.finish() {
                    // Half an event is no event; that the answer is not whole is told by `is_complete`.
                    match event.payloads() {
                        (_, true) => taking.event(&event, *n_skipped, sink),
                        _ => taking.unread.push(moved(&event.bytes, *n_skipped)),
                    }
                }
                let text = String::from_utf8_lossy(head);
                // Comments alone keep a connection open.
                if taking.n_understood == 0 && !text.starts_with(':') && !is_stream(&text) {
                    taking.malformed(&text);
                }
            }
            Some(Framing::Values(cutter)) => {
                taking.unread.extend(cutter.finish().map(|half| moved(&half.bytes, *n_skipped)));
            }
            Some(Framing::Frames(_)) | None => {}
        }
        if let Some(body) = self.taking.assembly.as_whole().cloned() {
            let (mut tools, mut unread) = (ToolNames::new(), ());
            let mut reader = Reader { tools: &mut tools, unread: &mut unread };
            tell(&reader.joined(JoinedAnswer { body, is_cut: false }), sink);
        }
    }

    /// Whether the answer came to its end.
    pub fn is_complete(&self) -> bool {
        self.taking.assembly.is_complete()
    }

    /// The first thing that went wrong. What came before it and behind it counts all the same.
    pub fn problem(&self) -> Option<&StreamError> {
        self.taking.problem.as_ref()
    }

    /// Places in the stream of what was not understood, in their order.
    pub fn unread(&self) -> &[Range<u64>] {
        &self.taking.unread
    }

    /// The answer as far as it came, as the body it would have been in one piece; to be read by
    /// [`Reader::joined`]. `None`: nothing came.
    pub fn into_body(self) -> Option<JoinedAnswer> {
        self.taking.assembly.finish()
    }

    /// The answer as far as it came.
    pub fn into_answer(self) -> Answer {
        let (mut tools, mut unread) = (ToolNames::new(), ());
        let mut reader = Reader { tools: &mut tools, unread: &mut unread };
        self.into_body()
            .map_or_else(|| Answer { is_cut: true, ..Answer::default() }, |joined| reader.joined(joined))
    }
}

impl Framing {
    fn of(first: u8) -> Self {
        match first {
            b'{' | b'[' => Self::Values(ValueCutter::default()),
            // The length of a frame has less than 17 million in it.
            0 => Self::Frames(FrameReader::default()),
            _ => Self::Events(SseReader::default()),
        }
    }
}

impl Taking {
    fn event(&mut self, event: &SseEvent, n_skipped: u64, sink: Sink<'_>) {
        let place = moved(&event.bytes, n_skipped);
        let (payloads, is_understood) = event.payloads();
        for payload in payloads {
            match payload {
                Payload::Json(value) => self.take(&event.name, value, place.clone(), sink),
                Payload::Done => {
                    self.assembly.close();
                    self.n_understood += 1;
                }
            }
        }
        if !is_understood {
            self.malformed(&event.text());
            self.note(place);
        }
    }

    /// A value that stands by itself: a piece, or the whole answer.
    fn value(&mut self, value: &CutValue, n_skipped: u64, sink: Sink<'_>) {
        let place = moved(&value.bytes, n_skipped);
        match json::parse(&value.text) {
            Ok(Json::Object(body)) if self.assembly.is_empty() && !is_piece(&body) => {
                if self.assembly.take_whole("", body) {
                    self.n_understood += 1;
                } else {
                    self.note(place);
                }
                self.provider_problem();
            }
            Ok(value) => self.take("", value, place, sink),
            Err(_) => {
                self.malformed(&String::from_utf8_lossy(&value.text));
                self.note(place);
            }
        }
    }

    fn take(&mut self, name: &str, value: Json, place: Range<u64>, sink: Sink<'_>) {
        if value.as_object().is_none() {
            self.malformed(&json::to_compact(&value));
        }
        if self.assembly.take(name, value, sink) {
            self.n_understood += 1;
        } else {
            self.note(place);
        }
        self.provider_problem();
    }

    /// A place that is not understood; an event of several payloads is noted once.
    fn note(&mut self, place: Range<u64>) {
        if self.unread.last() != Some(&place) {
            self.unread.push(place);
        }
    }

    fn malformed(&mut self, text: &str) {
        self.problem
            .get_or_insert_with(|| StreamError::Malformed { excerpt: text.chars().take(EXCERPT).collect() });
    }

    fn provider_problem(&mut self) {
        if self.problem.is_none()
            && let Some(error) = self.assembly.error()
        {
            let (code, message) = told(error.clone());
            self.problem =
                Some(StreamError::Provider { code: code.to_string(), message: message.to_string() });
        }
    }
}

/// Tells of an answer that came in one piece.
fn tell(answer: &Answer, sink: Sink<'_>) {
    for part in answer.parts() {
        if let Some(text) = part.text.as_ref().filter(|text| !text.is_empty()) {
            sink(if part.is_thought() { Delta::Thought(text.clone()) } else { Delta::Text(text.clone()) });
        }
        if let Some(call) = &part.function_call {
            sink(Delta::Call { name: call.name.clone().unwrap_or_default() });
            let args = call.args.as_ref().filter(|args| !args.is_empty());
            if let Some(args) = args {
                sink(Delta::Arguments(json::object_to_compact(args).into()));
            }
        }
    }
}

fn moved(place: &Range<u64>, by: u64) -> Range<u64> {
    place.start + by..place.end + by
}
