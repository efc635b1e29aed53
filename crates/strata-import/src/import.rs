//! The way in: bytes or tables, sessions and diagnostics out.

use crate::detect::{Detection, detect, detect_tables};
use crate::findings::Findings;
use crate::format::Format;
use crate::imported::{Import, ImportedSession};
use crate::lines::UTF8_MARK;
use crate::pieces::PieceReader;
use crate::registry::Reads;
use crate::tables::{TableError, TableSource};

/// Reads a file of a known format piece by piece.
///
/// Transcripts are read as they come in, so that a large one is never in memory as text; a JSON document is kept until
/// [`Importer::finish`] and read then. To stop, stop feeding.
#[derive(Debug)]
pub struct Importer {
    format: Format,
    input: Input,
}

#[derive(Debug)]
enum Input {
    Pieces(Box<dyn PieceReader>),
    /// Kept until it is whole.
    Whole(Vec<u8>),
    /// The format is not in the bytes of a file.
    Tables,
}

impl Importer {
    pub fn new(format: Format) -> Self {
        let input = match (format.piece_reader(), format.reads()) {
            (Some(reader), _) => Input::Pieces(reader),
            (None, Reads::Tables(_)) => Input::Tables,
            (None, _) => Input::Whole(Vec::new()),
        };
        Self { format, input }
    }

    pub fn feed(&mut self, bytes: &[u8]) {
        match &mut self.input {
            Input::Pieces(reader) => reader.feed(bytes),
            Input::Whole(whole) => whole.extend_from_slice(bytes),
            Input::Tables => {}
        }
    }

    pub fn finish(self) -> Import {
        let format = self.format;
        match (self.input, format.reads()) {
            (Input::Pieces(reader), _) => reader.finish(),
            (Input::Whole(bytes), Reads::Whole(read)) => read_whole(&bytes, format, read),
            _ => Import::refused("needs-tables", "a database is imported by its tables, not its bytes"),
        }
    }
}

/// Reads all bytes of a file.
type ReadWhole = fn(&[u8], Format, &mut Findings) -> Vec<ImportedSession>;

/// Reads a file that is in memory.
fn read_whole(bytes: &[u8], format: Format, read: ReadWhole) -> Import {
    let mut findings = Findings::default();
    let text = bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes);
    let mut sessions = read(text, format, &mut findings);
    let skipped = (bytes.len() - text.len()) as u64;
    if skipped > 0 {
        for session in &mut sessions {
            session.move_places(skipped);
        }
    }
    Import::of(sessions, findings)
}

/// Recognises `bytes` and reads them.
pub fn import(bytes: &[u8]) -> Import {
    match detect(bytes) {
        Detection::Readable(format) => {
            match format.reads() {
                Reads::Whole(read) => return read_whole(bytes, format, read),
                Reads::Documents(documents) => return documents.import(bytes, format),
                Reads::Records(_) | Reads::Pieces(_) | Reads::Tables(_) => {}
            }
            let mut importer = Importer::new(format);
            importer.feed(bytes);
            importer.finish()
        }
        Detection::Sqlite => Import::refused(
            "needs-tables",
            "this is an SQLite database; open it as one and import its tables",
        ),
        Detection::Archive(_) => Import::refused(
            "archive",
            "this is an archive inside of another, or one that was given as bytes; unpack it and import what is inside",
        ),
        Detection::Unread(format) => Import::refused("unread-format", format.refusal()),
        Detection::NotASession(what) => Import::refused("not-a-session", what),
    }
}

/// Recognises a database by its tables and reads every session of it.
pub fn import_tables(source: &mut dyn TableSource) -> Import {
    let tables = match source.tables() {
        Ok(tables) => tables,
        Err(error) => return unreadable(&error),
    };
    let format = match detect_tables(&tables) {
        Detection::Readable(format) => format,
        Detection::Unread(format) => return Import::refused("unread-format", format.refusal()),
        Detection::NotASession(what) => return Import::refused("not-a-session", what),
        Detection::Sqlite | Detection::Archive(_) => {
            return Import::refused("not-a-session", "not a session: a database in a database");
        }
    };
    let mut findings = Findings::default();
    let read = match format.reads() {
        Reads::Tables(read) => read(source, format, &mut findings),
        _ => Ok(Vec::new()),
    };
    match read {
        Ok(sessions) => Import::of(sessions, findings),
        Err(error) => unreadable(&error),
    }
}

fn unreadable(error: &TableError) -> Import {
    Import::refused("database", format!("the database could not be read ({error})"))
}
