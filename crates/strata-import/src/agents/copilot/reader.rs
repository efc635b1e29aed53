//! Logs are read as they come in, a session of the first versions when it is whole.

use strata_model::take::take_text;

use crate::documents::read_documents;
use crate::draft::say_message;
use crate::draft::{Draft, Kind, Say};
use crate::findings::Findings;
use crate::format::Format;
use crate::import::{Import, ImportedSession};
use crate::records::Records;
use crate::time::time_of;

/// The bytes of a file by which the two are told apart.
const HEAD: usize = 64 * 1024;

#[derive(Debug)]
pub(crate) enum CopilotReader {
    /// Too little came yet to tell.
    Head(Vec<u8>),
    Document(Vec<u8>),
    Log(Box<Records>),
}

impl Default for CopilotReader {
    fn default() -> Self {
        Self::Head(Vec::new())
    }
}

impl CopilotReader {
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
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

    pub(crate) fn finish(self) -> Import {
        match self {
            Self::Head(head) => Self::begun(&head).finish(),
            Self::Document(document) => {
                let mut findings = Findings::default();
                Import::of(read_document(&document, &mut findings), findings)
            }
            Self::Log(log) => {
                let (values, mut findings) = log.finish();
                Import::of(super::read(values, &mut findings), findings)
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

fn read_document(bytes: &[u8], findings: &mut Findings) -> Vec<ImportedSession> {
    let documents = read_documents(bytes, &["chatMessages", "timeline"], findings);
    let sessions = documents.into_iter().filter_map(|mut document| {
        let mut draft = Draft::new("copilot", "copilot");
        draft.session.id = take_text(&mut document.fields, "sessionId").unwrap_or_default();
        let start = document.fields.remove("startTime");
        draft.set_clock(start.as_ref().and_then(time_of));
        for value in document.take("chatMessages") {
            let say = Say::new(Kind::Notice, Vec::new(), value.source());
            say_message(&mut draft, "chatMessages", value.json, say);
        }
        // It says what messages say, for the interface.
        for value in document.take("timeline") {
            draft.unmapped.record("timeline", value.source());
        }
        draft.note_rest("session", &document.fields);
        draft.finish(Format::CopilotCli, findings)
    });
    sessions.collect()
}
