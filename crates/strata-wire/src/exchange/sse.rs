//! Server-sent events out of bytes that arrive in pieces of any size.

/// Reads events; keeps what is not complete for the next piece.
#[derive(Debug, Default)]
pub struct SseReader {
    /// Bytes of a line that has not ended.
    line: Vec<u8>,
    data: String,
    event: String,
    has_data: bool,
    ended_with_return: bool,
}

/// One event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SseEvent {
    /// Empty where it has no name.
    pub name: String,
    pub data: String,
}

impl SseReader {
    /// The events that are complete with these bytes.
    pub fn push(&mut self, bytes: &[u8]) -> Vec<SseEvent> {
        let mut events = Vec::new();
        for &byte in bytes {
            let follows_return = std::mem::take(&mut self.ended_with_return);
            match byte {
                b'\n' if follows_return => {}
                b'\n' | b'\r' => {
                    self.ended_with_return = byte == b'\r';
                    let line = std::mem::take(&mut self.line);
                    events.extend(self.end_line(&line));
                }
                _ => self.line.push(byte),
            }
        }
        events
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
        let line = String::from_utf8_lossy(line);
        let line = line.strip_prefix('\u{feff}').unwrap_or(&line);
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.has_data {
                    self.data.push('\n');
                }
                self.data.push_str(value);
                self.has_data = true;
            }
            "event" => value.clone_into(&mut self.event),
            // Comments keep a connection open; ids and times to wait mean nothing here.
            _ => {}
        }
        None
    }

    fn end_event(&mut self) -> Option<SseEvent> {
        let (name, data) = (std::mem::take(&mut self.event), std::mem::take(&mut self.data));
        std::mem::take(&mut self.has_data).then_some(SseEvent { name, data })
    }
}
