//! Logs are read as they come in, a session of the first versions when it is whole.

use strata_model::take::take_text;

use super::log;
use crate::documents::read_documents;
use crate::draft::say_message;
use crate::draft::{Draft, EventDraft, Kind};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::{Import, ImportedSession};
use crate::keys::Keys;
use crate::pieces::PieceReader;
use crate::records::Records;
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
    Log(Box<Records>),
}

impl PieceReader for CopilotReader {
    fn feed(&mut self, bytes: &[u8]) {
        self.input.feed(bytes);
    }

    fn finish(self: Box<Self>) -> Import {
        let Self { format, input } = *self;
        input.finish(format)
    }
}

impl Input {
    fn feed(&mut self, bytes: &[u8]) {
        match self {
            Self::Log(log) => log.feed(bytes),
            Self::Document(document) => document.extend_from_slice(bytes),
            Self::Head(head) if head.is_empty() && bytes.len() >= HEAD => *self = Self::begun(bytes),
            Self::Head(head) => {
                head.extend_from_slice(bytes);
                if head.len() >= HEAD {
                    *self = Self::begun(&std::mem::take(head));
                }
            }
        }
    }

    fn finish(self, format: Format) -> Import {
        match self {
            Self::Head(head) => Self::begun(&head).finish(format),
            Self::Document(document) => {
                let mut findings = Findings::default();
                Import::of(read_document(&document, format, &mut findings), findings)
            }
            Self::Log(log) => {
                let (values, mut findings) = log.finish();
                Import::of(log::read(values, format, &mut findings), findings)
            }
        }
    }

    fn begun(bytes: &[u8]) -> Self {
        if is_document(bytes) {
            return Self::Document(bytes.to_vec());
        }
        let mut log = Box::<Records>::default();
        log.feed(bytes);
        Self::Log(log)
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

fn read_document(bytes: &[u8], format: Format, findings: &mut Findings) -> Vec<ImportedSession> {
    let documents = read_documents(bytes, &["chatMessages", "timeline"], findings);
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
        draft.finish(format, findings)
    });
    sessions.collect()
}
