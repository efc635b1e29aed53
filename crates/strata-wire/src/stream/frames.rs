//! Amazon's binary event streams: `[total length][length of headers][checksum][headers][payload][checksum]`, big endian.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use strata_model::{Json, Object, json};

/// Bytes before the headers, and behind the payload.
const PRELUDE: usize = 12;
const END: usize = 4;

/// Reads events; keeps what is not complete for the next piece.
#[derive(Debug, Default)]
pub struct FrameReader {
    pending: Vec<u8>,
    offset: u64,
    is_broken: bool,
}

/// One event, with its bytes in the stream. `None` where its payload is no JSON object.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameEvent {
    pub value: Option<Json>,
    pub bytes: Range<u64>,
}

impl FrameReader {
    /// Hands over the events that are complete with these bytes. Nothing is read behind a frame whose lengths cannot be.
    pub fn push(&mut self, bytes: &[u8], sink: &mut dyn FnMut(FrameEvent)) {
        self.pending.extend_from_slice(bytes);
        let mut used = 0;
        while !self.is_broken {
            match frame(&self.pending[used..]) {
                Frame::Whole { headers, payload, length } => {
                    let value = match json::parse(payload) {
                        Ok(Json::Object(payload)) => Some(event(&kind(headers), payload)),
                        _ => None,
                    };
                    let start = self.offset + used as u64;
                    used += length;
                    sink(FrameEvent { value, bytes: start..start + length as u64 });
                }
                Frame::Incomplete => break,
                Frame::Impossible => self.is_broken = true,
            }
        }
        self.pending.drain(..used);
        self.offset += used as u64;
    }

    /// Whether it stopped at bytes that are no frame.
    pub fn is_broken(&self) -> bool {
        self.is_broken
    }
}

/// The events of a stream that is there as a whole; `None` when the bytes are none. A frame that is cut off ends the
/// stream.
pub fn frame_payloads(bytes: &[u8]) -> Option<Vec<Json>> {
    let mut events = Vec::new();
    // Text has no first byte of zero, which the length of every frame has.
    if bytes.first() == Some(&0) {
        FrameReader::default().push(bytes, &mut |event| events.extend(event.value));
    }
    (!events.is_empty()).then_some(events)
}

enum Frame<'b> {
    Whole { headers: &'b [u8], payload: &'b [u8], length: usize },
    Incomplete,
    Impossible,
}

fn frame(bytes: &[u8]) -> Frame<'_> {
    let number = |at: usize| {
        let digits = bytes.get(at..at + 4)?;
        usize::try_from(u32::from_be_bytes(digits.try_into().ok()?)).ok()
    };
    let (Some(length), Some(n_headers)) = (number(0), number(4)) else { return Frame::Incomplete };
    let payload = PRELUDE.saturating_add(n_headers);
    match length.checked_sub(END) {
        Some(end) if payload <= end && bytes.len() >= length => {
            Frame::Whole { headers: &bytes[PRELUDE..payload], payload: &bytes[payload..end], length }
        }
        Some(end) if payload <= end => Frame::Incomplete,
        _ => Frame::Impossible,
    }
}

/// The name of the event, from headers of texts: `[length][name][7][length of 2][text]`.
fn kind(mut headers: &[u8]) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    while let Some((length, rest)) = headers.split_first() {
        let Some((name, rest)) = rest.split_at_checked(usize::from(*length)) else { break };
        let Some((7, rest)) = rest.split_first().map(|(kind, rest)| (*kind, rest)) else { break };
        let Some((length, rest)) = rest.split_first_chunk::<2>() else { break };
        let Some((value, rest)) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length))) else {
            break;
        };
        if name == b":event-type" || name == b":exception-type" {
            return text(value);
        }
        headers = rest;
    }
    String::new()
}

/// Converse names its events in the headers; other models stream their own events as bytes within.
fn event(kind: &str, payload: Object) -> Json {
    let inner = payload.get("bytes").and_then(Json::as_str).and_then(|bytes| STANDARD.decode(bytes).ok());
    if let Some(inner) = inner.and_then(|inner| json::parse(&inner).ok()) {
        return inner;
    }
    if kind.is_empty() {
        return Json::Object(payload);
    }
    Object::from_iter([(kind, Json::Object(payload))]).into()
}
