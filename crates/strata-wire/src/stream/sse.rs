//! Server-sent events out of bytes that arrive in pieces of any size.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr2;
use strata_model::{Json, json};

/// The mark that some programs put before UTF-8 text.
const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

/// What ends a stream of Chat Completions.
const DONE: &[u8] = b"[DONE]";

/// Reads events; keeps what is not complete for the next piece.
#[derive(Debug, Default)]
pub struct SseReader {
    /// Bytes of a line that has not ended.
    line: Vec<u8>,
    name: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    ended_with_return: bool,
    /// Where the event under way begins, and where what was read ends.
    start: u64,
    offset: u64,
}

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    /// What `event:` says; empty where it has no name.
    pub name: String,
    /// What its `data:` lines say, with a line feed between them, as it came.
    pub data: Vec<u8>,
    /// Its bytes in the stream: from the end of the event before it to its own.
    pub bytes: Range<u64>,
}

/// What an event holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Payload {
    /// The stream is over.
    Done,
    Json(Json),
}

impl SseReader {
    /// Hands over the events that are complete with these bytes.
    pub fn push(&mut self, bytes: &[u8], sink: &mut dyn FnMut(SseEvent)) {
        let mut rest = bytes;
        while !rest.is_empty() {
            // A line ends with the return; the line feed behind it belongs to the next one.
            if std::mem::take(&mut self.ended_with_return) && rest[0] == b'\n' {
                self.offset += 1;
                rest = &rest[1..];
                continue;
            }
            let Some(at) = memchr2(b'\n', b'\r', rest) else {
                self.line.extend_from_slice(rest);
                self.offset += rest.len() as u64;
                return;
            };
            self.ended_with_return = rest[at] == b'\r';
            self.offset += at as u64 + 1;
            let event = if self.line.is_empty() {
                self.end_line(&rest[..at])
            } else {
                let mut line = std::mem::take(&mut self.line);
                line.extend_from_slice(&rest[..at]);
                self.end_line(&line)
            };
            if let Some(event) = event {
                sink(event);
            }
            rest = &rest[at + 1..];
        }
    }

    /// The event that was under way when the bytes ended, if it has any data.
    pub fn finish(&mut self) -> Option<SseEvent> {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.end_line(&line);
        }
        self.end_event()
    }

    fn end_line(&mut self, line: &[u8]) -> Option<SseEvent> {
        if line.is_empty() {
            return self.end_event();
        }
        let line = line.strip_prefix(UTF8_MARK).unwrap_or(line);
        let (field, value) = match line.iter().position(|byte| *byte == b':') {
            Some(at) => (&line[..at], &line[at + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
                self.has_data = true;
            }
            b"event" => value.clone_into(&mut self.name),
            // Comments keep a connection open; ids and times to wait mean nothing here.
            _ => {}
        }
        None
    }

    fn end_event(&mut self) -> Option<SseEvent> {
        let (name, data) = (std::mem::take(&mut self.name), std::mem::take(&mut self.data));
        if !std::mem::take(&mut self.has_data) {
            return None;
        }
        let bytes = self.start..self.offset;
        self.start = self.offset;
        Some(SseEvent { name: String::from_utf8_lossy(&name).into_owned(), data, bytes })
    }
}

impl SseEvent {
    /// Its data as text.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.data)
    }

    /// What its data says. Some servers write an event a line and no empty lines between them: then each line is a
    /// payload. What is neither JSON nor the end is left out, and told by `is_understood`.
    pub fn payloads(&self) -> (Vec<Payload>, bool) {
        if let Some(payload) = payload(&self.data) {
            return (vec![payload], true);
        }
        let lines = self.data.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
        let payloads: Vec<Option<Payload>> = lines.map(payload).collect();
        let is_understood = payloads.iter().all(Option::is_some);
        (payloads.into_iter().flatten().collect(), is_understood)
    }
}

fn payload(data: &[u8]) -> Option<Payload> {
    let data = data.trim_ascii();
    if data == DONE {
        return Some(Payload::Done);
    }
    json::parse(data).ok().map(Payload::Json)
}

/// Whether a text is that of server-sent events. Comments may come before the first of them.
pub fn is_stream(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty() && !line.starts_with(':'));
    lines.next().is_some_and(|line| {
        ["data:", "event:", "id:", "retry:"]
            .iter()
            .any(|field| line.trim_start_matches('\u{feff}').starts_with(field))
    })
}
