//! Recognising formats by content. File names say nothing: they lie, or there are none.

mod partial;
mod rules;

use strata_model::{Json, json};

use crate::format::{Format, UnreadFormat};
use crate::lines::UTF8_MARK;
use crate::tables::Table;

/// Bytes from the start of a file that are enough to recognise it.
pub const HEAD_BYTES: usize = 256 * 1024;

/// What some bytes are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Detection {
    /// A format that [`Importer`](crate::Importer) or [`import_tables`](crate::import_tables) reads.
    Readable(Format),
    /// An SQLite database; [`detect_tables`] says which.
    Sqlite,
    /// Files in one: what is inside is to be recognised by itself.
    Archive(Archive),
    /// A format with a name that cannot be read yet.
    Unread(UnreadFormat),
    /// No recorded session; the sentence says what it is instead.
    NotASession(String),
}

/// How files are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Archive {
    Zip,
    Tar,
    /// One file, which may be a tar archive.
    Gzip,
}

/// Recognises a file by its beginning, of which the first [`HEAD_BYTES`] are looked at.
pub fn detect(head: &[u8]) -> Detection {
    let head = &head[..head.len().min(HEAD_BYTES)];
    if let Some(detection) = by_signature(head) {
        return detection;
    }
    let text = head.strip_prefix(UTF8_MARK).unwrap_or(head).trim_ascii_start();
    if text.is_empty() {
        return not_a_session("the file is empty");
    }
    if text.starts_with(b"\"{") {
        return by_written(text);
    }
    match partial::first_values(text) {
        Some(values) if matches!(text[0], b'{' | b'[') => by_values(&values),
        _ => by_text(text),
    }
}

/// Recognises a database by its tables.
pub fn detect_tables(tables: &[Table]) -> Detection {
    rules::tables(tables)
}

/// Where a tar archive calls itself one.
const TAR_MARK: std::ops::Range<usize> = 257..262;

fn not_a_session(what: &str) -> Detection {
    Detection::NotASession(format!("not a session: {what}"))
}

fn by_signature(head: &[u8]) -> Option<Detection> {
    const SQLITE: &[u8] = b"SQLite format 3\0";
    if head.starts_with(SQLITE) {
        return Some(Detection::Sqlite);
    }
    if head.starts_with(b"PK\x03\x04") {
        return Some(zip(head));
    }
    if head.starts_with(b"\x1f\x8b") {
        return Some(Detection::Archive(Archive::Gzip));
    }
    if head.get(TAR_MARK.start..TAR_MARK.end) == Some(b"ustar") {
        return Some(Detection::Archive(Archive::Tar));
    }
    let (_, name) = rules::SIGNATURES.iter().find(|(signature, _)| head.starts_with(signature))?;
    Some(not_a_session(name))
}

/// Inspect writes its logs as ZIP archives that begin with one of these members.
fn zip(head: &[u8]) -> Detection {
    let has = |name: &[u8]| memchr::memmem::find(head, name).is_some();
    if has(b"_journal/start.json") || has(b"header.json") {
        return Detection::Readable(Format::Inspect);
    }
    Detection::Archive(Archive::Zip)
}

fn by_values(values: &[Json]) -> Detection {
    // A task folder of Cline is read as one text, of which the first file may be a list of plain messages.
    let of_interface = values.iter().any(rules::is_interface_of_cline);
    if of_interface && values.len() > 1 {
        return Detection::Readable(Format::Cline);
    }
    if let Some(detection) = values.iter().find_map(rules::value) {
        return detection;
    }
    match &values[0] {
        Json::Object(object) if !object.is_empty() => {
            let keys: Vec<_> = object.keys().take(8).map(|key| &**key).collect();
            not_a_session(&format!("JSON of no known shape, with the keys {}", keys.join(", ")))
        }
        other => not_a_session(&format!("JSON that holds {}", other.kind())),
    }
}

/// A document that was written down as the text of one, as ADK keeps the results of evaluations.
fn by_written(text: &[u8]) -> Detection {
    let mut is_escaped = false;
    let end = text[1..].iter().position(|byte| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    });
    let written = &text[..end.map_or(text.len(), |end| end + 1)];
    // The head may end within an escape, of which the longest is a pair of halves.
    let inner = (0..12.min(written.len())).find_map(|n_cut| {
        let closed = [&written[..written.len() - n_cut], b"\""].concat();
        json::parse(&closed).ok()?.as_str().map(str::to_owned)
    });
    let inner = inner.unwrap_or_default();
    match partial::first_values(inner.as_bytes()).map(|values| by_values(&values)) {
        Some(Detection::Readable(
            format @ (Format::AdkEvalResult | Format::AdkEvalSet | Format::AdkSession),
        )) => Detection::Readable(format),
        _ => not_a_session("JSON that holds a text"),
    }
}

fn by_text(text: &[u8]) -> Detection {
    if let Some(detection) = rules::text(text) {
        return detection;
    }
    if looks_like_utf16(text) {
        return not_a_session("text in UTF-16; save it as UTF-8 and import it again");
    }
    let n_odd = text.iter().filter(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31)).count();
    if n_odd * 50 > text.len() || text.contains(&0) {
        return not_a_session("a binary file of no known kind");
    }
    if matches!(text[0], b'{' | b'[') {
        return not_a_session("text that begins like JSON but is none");
    }
    not_a_session("plain text")
}

/// Every other byte is zero, as in ASCII letters of UTF-16.
fn looks_like_utf16(text: &[u8]) -> bool {
    let pairs = text.as_chunks::<2>().0;
    let n_zero = pairs.iter().filter(|pair| (pair[0] == 0) != (pair[1] == 0)).count();
    pairs.len() >= 2 && n_zero * 10 >= pairs.len() * 9
}
