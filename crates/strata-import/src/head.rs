//! The beginning of a file that is no JSON.

use std::borrow::Cow;

use strata_wire::stream::is_stream;

use crate::keys::Keys;
use crate::outline::first_values;

/// Bytes that are looked at as text.
const TEXT_BYTES: usize = 256 * 1024;
/// Events of a stream that are looked at; more would not tell more.
const MAX_EVENTS: usize = 20;

/// Text that a file begins with.
#[derive(Debug)]
pub(crate) struct Head<'t> {
    pub(crate) bytes: &'t [u8],
    text: Cow<'t, str>,
}

impl<'t> Head<'t> {
    pub(crate) fn new(bytes: &'t [u8]) -> Self {
        Self { bytes, text: String::from_utf8_lossy(&bytes[..bytes.len().min(TEXT_BYTES)]) }
    }

    /// Whether a line begins so.
    pub(crate) fn has_line(&self, start: &str) -> bool {
        self.text.lines().any(|line| line.starts_with(start))
    }

    /// Whether it is a stream of server-sent events, of which one holds such an object.
    pub(crate) fn streams(&self, is_wanted: impl Fn(Keys<'_>) -> bool) -> bool {
        is_stream(&self.text)
            && self.payloads().any(|payload| {
                let value = first_values(payload).and_then(|values| values.into_iter().next());
                value.as_ref().and_then(Keys::of).is_some_and(&is_wanted)
            })
    }

    /// Whether it is a stream of server-sent events with an object that goes on in the next line.
    pub(crate) fn streams_indented(&self) -> bool {
        is_stream(&self.text) && self.payloads().any(|payload| payload == b"{")
    }

    /// Whether an event that would be looked at is cut off by the end of what there is.
    pub(crate) fn ends_in_event(&self) -> bool {
        let is_cut = self.bytes.rsplit(|byte| *byte == b'\n').next().is_some_and(|line| !line.is_empty());
        is_cut && is_stream(&self.text) && self.payloads().count() < MAX_EVENTS
    }

    fn payloads(&self) -> impl Iterator<Item = &'t [u8]> {
        let lines = self.bytes.split(|byte| *byte == b'\n');
        lines.filter_map(|line| Some(line.strip_prefix(b"data:")?.trim_ascii())).take(MAX_EVENTS)
    }
}
