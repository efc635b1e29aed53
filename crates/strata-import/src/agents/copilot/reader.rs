//! Logs are read as they come in, a session of the first versions when it is whole.

use strata_model::take::take_text;

use super::log;
use crate::documents::read_documents;
use crate::draft::say_message;
use crate::draft::{Draft, EventDraft, Kind};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::Import;
use crate::keys::Keys;
use crate::pieces::PieceReader;
use crate::records::RecordFile;
use crate::time::time_of;

/// The bytes of a file by which the two are told apart.
const HEAD: usize = 64 * 1024;

pub(crate) fn is_log(keys: Keys<'_>) -> bool {
    let kind = keys.kind();
    kind.starts_with("session.start")
        || (keys.has("data") && kind.starts_with("session."))
        || keys.has_all(&["sessionId", "chatMessages"])
}

pub(crate) fn reader(format: Format) -> Box<dyn PieceReader> {
    Box::new(CopilotReader { format, input: Input::Head(Vec::new()) })
}

#[derive(Debug)]
struct CopilotReader {
    format: Format,
    input: Input,
}

#[derive(Debug)]
enum Input {
    /// Too little came yet to tell.
    Head(Vec<u8>),
    Document(Vec<u8>),
    Log(Box<RecordFile>),
}

impl CopilotReader {
    /// What the bytes are that came, as far as they tell.
    fn begun(format: Format, bytes: Vec<u8>) -> Input {
        if is_document(&bytes) {
            return Input::Document(bytes);
        }
        let mut log = RecordFile::new(format, log::read);
        log.feed(&bytes);
        Input::Log(Box::new(log))
    }
}

impl PieceReader for CopilotReader {
    fn feed(&mut self, bytes: &[u8]) {
        match &mut self.input {
            Input::Log(log) => log.feed(bytes),
            Input::Document(document) => document.extend_from_slice(bytes),
            Input::Head(head) => {
                head.extend_from_slice(bytes);
                if head.len() >= HEAD {
                    self.input = Self::begun(self.format, std::mem::take(head));
                }
            }
        }
    }

    fn finish(self: Box<Self>) -> Import {
        let input = match self.input {
            Input::Head(head) => Self::begun(self.format, head),
            input => input,
        };
        match input {
            Input::Log(log) => log.finish(),
            Input::Head(document) | Input::Document(document) => read_document(&document, self.format),
        }
    }

    fn so_far(&mut self) -> Option<Import> {
        match &mut self.input {
            Input::Log(log) => log.so_far(),
            Input::Document(document) => Some(read_document(document, self.format)),
            Input::Head(head) => {
                let reader = Self { format: self.format, input: Input::Head(head.clone()) };
                Some(Box::new(reader).finish())
            }
        }
    }
}

/// Whether the bytes begin a session of the first versions.
fn is_document(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEAD)];
    let at = |name: &[u8]| memchr::memmem::find(head, name);
    match (at(b"\"chatMessages\""), at(b"\"session.start\"")) {
        (Some(messages), Some(start)) => messages < start,
        (messages, _) => messages.is_some(),
    }
}

fn read_document(bytes: &[u8], format: Format) -> Import {
    let mut findings = Findings::default();
    let documents = read_documents(bytes, &["chatMessages", "timeline"], &mut findings);
    let sessions = documents.into_iter().filter_map(|mut document| {
        let mut draft = Draft::new("copilot", "copilot");
        draft.session.id = take_text(&mut document.fields, "sessionId").unwrap_or_default();
        let start = document.fields.remove("startTime");
        draft.set_clock(start.as_ref().and_then(time_of));
        for value in document.take("chatMessages") {
            let say = EventDraft::new(Kind::Notice, Vec::new(), value.source());
            say_message(&mut draft, "chatMessages", value.json, say);
        }
        // It says what messages say, for the interface.
        for value in document.take("timeline") {
            draft.unmapped.record("timeline", value.source());
        }
        draft.note_rest("session", &document.fields);
        draft.finish(format, &mut findings)
    });
    let sessions = sessions.collect();
    Import::of(sessions, findings)
}
