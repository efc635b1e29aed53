//! Files of JSON documents, one after the other, as they come in.

use strata_model::json::{Interner, Repeats};

use crate::documents::{Document, read_documents, read_known, read_repeating_documents};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::{Import, ImportedSession};
use crate::lines::UTF8_MARK;
use crate::pieces::PieceReader;

/// How a format's documents are read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DocumentFormat {
    /// Paths of lists whose elements know their places, such as `log.entries`; the empty path is a list at the top.
    pub(crate) lists: &'static [&'static str],
    /// Documents repeat much of those before them, as logs of requests do.
    pub(crate) repeats: bool,
    pub(crate) read: fn(Vec<Document>, Format, &mut Findings) -> Vec<ImportedSession>,
    /// Reads the files of the format that are no JSON; `None` for those that are.
    pub(crate) read_other: Option<ReadOther>,
}

type ReadOther = fn(&[u8], Format, &mut Findings) -> Option<Vec<ImportedSession>>;

impl DocumentFormat {
    /// Reads all bytes of a file.
    pub(crate) fn import(&self, bytes: &[u8], format: Format) -> Import {
        let mut findings = Findings::default();
        if let Some(sessions) = self.other(bytes, format, &mut findings) {
            return Import::of(sessions, findings);
        }
        let documents = if self.repeats {
            read_repeating_documents(bytes, self.lists, &mut findings)
        } else {
            read_documents(bytes, self.lists, &mut findings)
        };
        Import::of((self.read)(documents, format, &mut findings), findings)
    }

    fn other(&self, bytes: &[u8], format: Format, findings: &mut Findings) -> Option<Vec<ImportedSession>> {
        let text = bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes);
        let mut sessions = (self.read_other?)(text, format, findings)?;
        for session in &mut sessions {
            session.move_places((bytes.len() - text.len()) as u64);
        }
        Some(sessions)
    }
}

/// Keeps a file's text until it is asked what it holds, and from then on its documents instead, as far as they are whole.
#[derive(Debug)]
pub(crate) struct DocumentFile {
    format: Format,
    how: &'static DocumentFormat,
    documents: Vec<Document>,
    interner: Interner,
    repeats: Option<Repeats>,
    /// The text behind the documents, and where it begins in the file.
    rest: Vec<u8>,
    start: usize,
}

impl DocumentFile {
    pub(crate) fn new(format: Format, how: &'static DocumentFormat) -> Self {
        Self {
            format,
            how,
            documents: Vec::new(),
            interner: Interner::default(),
            repeats: how.repeats.then(Repeats::default),
            rest: Vec::new(),
            start: 0,
        }
    }
}

impl PieceReader for DocumentFile {
    fn feed(&mut self, bytes: &[u8]) {
        self.rest.extend_from_slice(bytes);
    }

    fn finish(self: Box<Self>) -> Import {
        self.how.import(&self.rest, self.format)
    }

    fn so_far(&mut self) -> Option<Import> {
        let mut findings = Findings::default();
        let is_first = self.start == 0;
        if is_first && self.how.other(&self.rest, self.format, &mut findings).is_some() {
            return Some(self.how.import(&self.rest, self.format));
        }
        let (interner, repeats) = (std::mem::take(&mut self.interner), self.repeats.take());
        let mut known =
            read_known(&self.rest, self.start, self.how.lists, (interner, repeats), &mut findings);
        (self.interner, self.repeats) = std::mem::take(&mut known.shared);
        if known.is_broken {
            // What is repaired is repaired as a whole.
            return is_first.then(|| self.how.import(&self.rest, self.format));
        }
        let unsettled = known.documents.split_off(known.n_whole);
        self.documents.append(&mut known.documents);
        self.rest.drain(..known.end - self.start);
        self.start = known.end;
        let documents = self.documents.iter().cloned().chain(unsettled).collect();
        Some(Import::of((self.how.read)(documents, self.format, &mut findings), findings))
    }
}
