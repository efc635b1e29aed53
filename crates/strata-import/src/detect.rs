//! Recognising formats by content. File names say nothing: they lie, or there are none.

use strata_model::{Json, json};

use crate::format::{Format, UnreadFormat};
use crate::head::Head;
use crate::keys::Keys;
use crate::lines::UTF8_MARK;
use crate::outline::first_values;
use crate::registry::{ROWS, Sign, UNREAD};
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
    match first_values(text) {
        Some(values) if matches!(text[0], b'{' | b'[') => by_values(&values),
        _ => by_text(text),
    }
}

/// Recognises a database by its tables.
pub fn detect_tables(tables: &[Table]) -> Detection {
    let is_it = |sign: &Sign| matches!(sign, Sign::InTables(holds) if holds(tables));
    let found = by_signs(is_it).map(Detection::Readable);
    found
        .or_else(|| unread(is_it))
        .unwrap_or_else(|| not_a_session("a database without tables of a known tool"))
}

/// The first format of which a sign is found.
fn by_signs(is_found: impl Fn(&Sign) -> bool) -> Option<Format> {
    ROWS.iter().find(|row| row.signs.iter().any(&is_found)).map(|row| row.format)
}

fn unread(is_found: impl Fn(&Sign) -> bool) -> Option<Detection> {
    UNREAD.iter().find(|(_, sign)| is_found(sign)).map(|(format, _)| Detection::Unread(*format))
}

/// Beginnings of files that are no sessions.
const SIGNATURES: [(&[u8], &str); 13] = [
    (b"\x89PNG", "an image (PNG)"),
    (b"\xff\xd8\xff", "an image (JPEG)"),
    (b"GIF8", "an image (GIF)"),
    (b"RIFF", "a media file"),
    (b"%PDF", "a PDF document"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard file; unpack it and import what is inside"),
    (b"BZh", "a bzip2 file; unpack it and import what is inside"),
    (b"\xfd7zXZ", "an xz file; unpack it and import what is inside"),
    (b"7z\xbc\xaf", "a 7z archive; unpack it and import what is inside"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
    (b"\xff\xfe", "text in UTF-16; save it as UTF-8 and import it again"),
    (b"\xfe\xff", "text in UTF-16; save it as UTF-8 and import it again"),
];

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
    if let Some(format) = by_signs(|sign| matches!(sign, Sign::Bytes(is_it) if is_it(head))) {
        return Some(Detection::Readable(format));
    }
    if head.starts_with(b"PK\x03\x04") {
        return Some(Detection::Archive(Archive::Zip));
    }
    if head.starts_with(b"\x1f\x8b") {
        return Some(Detection::Archive(Archive::Gzip));
    }
    if head.get(TAR_MARK.start..TAR_MARK.end) == Some(b"ustar") {
        return Some(Detection::Archive(Archive::Tar));
    }
    let (_, name) = SIGNATURES.iter().find(|(signature, _)| head.starts_with(signature))?;
    Some(not_a_session(name))
}

fn by_values(values: &[Json]) -> Detection {
    if let Some(format) = by_signs(|sign| matches!(sign, Sign::Values(are_it) if are_it(values))) {
        return Detection::Readable(format);
    }
    if let Some(detection) = values.iter().find_map(by_value) {
        return detection;
    }
    match Keys::of(&values[0]) {
        Some(keys) if !keys.is_empty() => {
            not_a_session(&format!("JSON of no known shape, with the keys {}", keys.shown()))
        }
        _ => not_a_session(&format!("JSON that holds {}", values[0].kind())),
    }
}

/// Names what a JSON value of the file is, if its keys tell.
fn by_value(value: &Json) -> Option<Detection> {
    let Json::Array(items) = value else { return by_object(Keys::of(value)?) };
    let first = Keys::of(items.first()?)?;
    let of_list = by_signs(|sign| matches!(sign, Sign::ListOf(is_it) if is_it(first)));
    of_list.map(Detection::Readable).or_else(|| by_object(first))
}

fn by_object(keys: Keys<'_>) -> Option<Detection> {
    let is_it = |sign: &Sign| matches!(sign, Sign::Object(is_it) if is_it(keys));
    unread(is_it).or_else(|| by_signs(is_it).map(Detection::Readable))
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
    match first_values(inner.as_bytes()).map(|values| by_values(&values)) {
        Some(Detection::Readable(format)) if format.is_found_in_text() => Detection::Readable(format),
        _ => not_a_session("JSON that holds a text"),
    }
}

fn by_text(text: &[u8]) -> Detection {
    let head = Head::new(text);
    if let Some(format) = by_signs(|sign| matches!(sign, Sign::Text(is_it) if is_it(&head))) {
        return Detection::Readable(format);
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
