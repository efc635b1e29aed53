//! Amazon's binary event streams: `[total length][length of headers][checksum][headers][payload][checksum]`, big endian.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use strata_model::{Json, Object, json};

/// Bytes before the headers, and behind the payload.
const PRELUDE: usize = 12;
const END: usize = 4;

/// The events of a stream of frames; `None` when the bytes are none. A frame that is cut off ends the stream.
pub(crate) fn payloads(bytes: &[u8]) -> Option<Vec<Json>> {
    let mut events = Vec::new();
    let mut rest = bytes;
    while let Some((headers, payload, behind)) = frame(rest) {
        if let Ok(Json::Object(payload)) = json::parse(payload) {
            events.push(event(&kind(headers), payload));
        }
        rest = behind;
    }
    (!events.is_empty()).then_some(events)
}

fn frame(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let number = |at: usize| {
        let digits = bytes.get(at..at + 4)?;
        usize::try_from(u32::from_be_bytes(digits.try_into().ok()?)).ok()
    };
    let (total, n_headers) = (number(0)?, number(4)?);
    let payload = PRELUDE.checked_add(n_headers)?;
    let end = total.checked_sub(END)?;
    if payload > end || bytes.len() < total {
        return None;
    }
    Some((&bytes[PRELUDE..payload], &bytes[payload..end], &bytes[total..]))
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
