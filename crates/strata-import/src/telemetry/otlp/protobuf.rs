//! OTLP as protobuf: one export request, as it is sent, or many with their lengths before them, as the collector writes
//! them to files.

use std::ops::Range;

use strata_model::Object;
use strata_wire::otlp::export_request;

use crate::findings::Findings;

/// Bytes of the length before a request in a file.
const PREFIX: usize = 4;
/// Fields 1 and 2 of a message, with a length.
const FIRST: u8 = 0x0a;
const SECOND: u8 = 0x12;

/// Whether bytes begin an export request: a resource with attributes, or one without and the list of a scope.
pub(crate) fn is_protobuf(head: &[u8]) -> bool {
    let request = if head.first() == Some(&0) { head.get(PREFIX..).unwrap_or_default() } else { head };
    let Some(of_resource) = field(FIRST, request) else { return false };
    let about = field(FIRST, of_resource).unwrap_or_default();
    let key = field(FIRST, about).and_then(|attribute| field(FIRST, attribute)).unwrap_or_default();
    let is_named = !key.is_empty() && key.iter().all(u8::is_ascii_graphic);
    // Nothing in a text has this byte.
    let behind = of_resource.strip_prefix(&[FIRST, 0]).unwrap_or(of_resource);
    let of_scope = field(SECOND, behind).unwrap_or_default();
    is_named || matches!(of_scope.first(), Some(&(FIRST | SECOND)))
}

/// What a field holds that a message begins with, as far as the bytes go.
fn field(tag: u8, message: &[u8]) -> Option<&[u8]> {
    let mut rest = message.strip_prefix(&[tag])?;
    let length = prost::decode_length_delimiter(&mut rest).ok()?;
    Some(&rest[..length.min(rest.len())])
}

/// The requests of a file, with their places.
pub(super) fn requests(bytes: &[u8], findings: &mut Findings) -> Vec<(Object, Range<u64>)> {
    let mut requests = Vec::new();
    for place in places(bytes, findings) {
        match export_request(&bytes[place.clone()]) {
            Some(request) => requests.push((request, place.start as u64..place.end as u64)),
            None => {
                let message = "a request holds neither spans nor log records; it was left out";
                findings.warning("no-telemetry", format!("byte {}", place.start), message);
            }
        }
    }
    requests
}

fn places(bytes: &[u8], findings: &mut Findings) -> Vec<Range<usize>> {
    if bytes.first() != Some(&0) {
        return std::iter::once(0..bytes.len()).collect();
    }
    let mut places = Vec::new();
    let mut at = 0;
    while let Some((length, _)) = bytes[at..].split_first_chunk::<PREFIX>() {
        let start = at + PREFIX;
        let end = start.saturating_add(u32::from_be_bytes(*length) as usize);
        if end > bytes.len() {
            break;
        }
        places.push(start..end);
        at = end;
    }
    if at < bytes.len() {
        let message = "the file ends in the middle of a record; everything before it was kept. Import the file \
                       again when it has been written to the end";
        findings.warning("truncated", format!("byte {at}"), message);
    }
    places
}
