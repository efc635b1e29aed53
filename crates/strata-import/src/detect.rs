//! Recognising formats by content. File names say nothing: they lie, or there are none.

use strata_model::{Json, json};

use crate::adk::is_memory_database;
use crate::format::{Format, UnreadFormat};
use crate::head::Head;
use crate::keys::Keys;
use crate::lines::UTF8_MARK;
use crate::outline::{FIRST_VALUES, Outlines};
use crate::registry::{ROWS, Sign, UNREAD};
use crate::tables::Table;

/// Bytes from the start of a file by which most are recognised.
pub const HEAD_BYTES: usize = 256 * 1024;

/// What the beginning of a file tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadDetection {
    pub detection: Detection,
    /// No more of the file would tell otherwise. JSON may have its telling keys behind others of any length.
    pub is_settled: bool,
}

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

/// Recognises a file by as much of its beginning as it takes: what would tell nothing more is not looked at.
pub fn detect(bytes: &[u8]) -> Detection {
    let mut length = HEAD_BYTES;
    loop {
        let head = &bytes[..bytes.len().min(length)];
        let HeadDetection { detection, is_settled } = detect_head(head);
        if is_settled || head.len() == bytes.len() {
            return detection;
        }
        length = longer_head(length);
    }
}

/// How much of a file is looked at next where so many bytes did not settle it. All of them are looked at again, which
/// comes to little where each time is several times the one before.
pub const fn longer_head(length: usize) -> usize {
    length.saturating_mul(4)
}

/// Recognises a file by its beginning: of JSON and of streams of it all is looked at, of other files the first
/// [`HEAD_BYTES`].
pub fn detect_head(bytes: &[u8]) -> HeadDetection {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    if let Some(detection) = by_signature(head) {
        return settled(detection);
    }
    let text = bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes).trim_ascii_start();
    match text.first() {
        None => settled(not_a_session("the file is empty")),
        Some(b'"') if text.starts_with(b"\"{") => by_written(text),
        Some(b'{' | b'[') => by_values(text),
        Some(_) => {
            let detection = by_text(text);
            // The keys of an event that is cut off may tell more.
            let is_cut =
                detection == Detection::Readable(Format::PROVIDER_LOG) && Head::new(text).ends_in_event();
            HeadDetection { detection, is_settled: !is_cut }
        }
    }
}

fn settled(detection: Detection) -> HeadDetection {
    HeadDetection { detection, is_settled: true }
}

/// Recognises a database by its tables.
pub fn detect_tables(tables: &[Table]) -> Detection {
    let is_it = |sign: &Sign| matches!(sign, Sign::InTables(holds) if holds(tables));
    let found = by_signs(is_it).map(Detection::Readable);
    found.or_else(|| unread(is_it)).unwrap_or_else(|| {
        not_a_session(if is_memory_database(tables) {
            "what an ADK app remembers. Give it to a session of the app, as its memory"
        } else {
            "a database without tables of a known tool"
        })
    })
}

/// The first format of which a sign is found.
fn by_signs(is_found: impl Fn(&Sign) -> bool) -> Option<Format> {
    ROWS.iter().find(|row| row.signs.iter().any(&is_found)).map(|row| row.format)
}

fn unread(is_found: impl Fn(&Sign) -> bool) -> Option<Detection> {
    UNREAD.iter().find(|(_, sign)| is_found(sign)).map(|(format, _)| Detection::Unread(*format))
}

/// Behind what a file is: what tells its kind may be missing.
const CUT_OFF: &str = ". It is cut off in the middle: save it again, and import all of it";

/// Beginnings of files that are no sessions.
const SIGNATURES: [(&[u8], &str); 15] = [
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
    (
        b"{\"format\":\"strata-lessons\"",
        "a class file with lessons; `strata serve` and the window open it, and Learn has them",
    ),
    (
        b"{\"format\":\"strata-results\"",
        "what a learner did in lessons; `strata lessons results` joins it with others",
    ),
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

/// Formats that what is found in many files gives away: keys that come later may tell another one.
const PLAIN_FORMATS: [Format; 2] = [Format::MESSAGES, Format::PROVIDER_LOG];

fn by_values(text: &[u8]) -> HeadDetection {
    let mut outlines = Outlines::of(text);
    let values: Vec<Json> = outlines.by_ref().take(FIRST_VALUES).collect();
    let Some(first) = values.first() else {
        let detection = by_text(text);
        return HeadDetection { detection, is_settled: !outlines.is_cut };
    };
    if let Some(format) = by_signs(|sign| matches!(sign, Sign::Values(are_it) if are_it(&values))) {
        return settled(Detection::Readable(format));
    }
    let told = values.iter().enumerate().find_map(|(at, value)| {
        let is_last = at + 1 == values.len();
        Some((by_value(value)?, is_last && is_open(value)))
    });
    let found = told.or_else(|| outlines.find_map(|value| Some((by_value(&value)?, is_open(&value)))));
    match (found, Keys::of(first)) {
        (Some((detection, is_open)), _) => {
            let is_plain =
                matches!(detection, Detection::Readable(format) if PLAIN_FORMATS.contains(&format));
            HeadDetection { detection, is_settled: !(is_plain && is_open && outlines.is_cut) }
        }
        (None, keys) => {
            let what = match keys.filter(|keys| !keys.is_empty()) {
                Some(keys) => format!("JSON of no known shape, with the keys {}", keys.shown()),
                None => format!("JSON that holds {}", first.kind()),
            };
            // Of a longer file, more than this is looked at.
            let is_all = text.len() < HEAD_BYTES / 2;
            let end = if outlines.is_cut && is_all { CUT_OFF } else { "" };
            unsettled(&(what + end))
        }
    }
}

/// Whether what a value is known by may go on, where it is the one that the text ends in.
fn is_open(value: &Json) -> bool {
    value.as_array().is_none_or(|items| items.len() < 2)
}

fn unsettled(what: &str) -> HeadDetection {
    HeadDetection { detection: not_a_session(what), is_settled: false }
}

/// Names what a JSON value of the file is, if its keys tell.
fn by_value(value: &Json) -> Option<Detection> {
    let Json::Array(items) = value else { return by_object(Keys::of(value)?) };
    items.iter().filter_map(Keys::of).find_map(|element| {
        let of_list = by_signs(|sign| matches!(sign, Sign::ListOf(is_it) if is_it(element)));
        of_list.map(Detection::Readable).or_else(|| by_object(element))
    })
}

fn by_object(keys: Keys<'_>) -> Option<Detection> {
    let is_it = |sign: &Sign| matches!(sign, Sign::Object(is_it) if is_it(keys));
    unread(is_it).or_else(|| by_signs(is_it).map(Detection::Readable))
}

/// A document that was written down as the text of one, as ADK keeps the results of evaluations.
fn by_written(text: &[u8]) -> HeadDetection {
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
    match by_values(inner.as_bytes()).detection {
        Detection::Readable(format) if format.is_found_in_text() => settled(Detection::Readable(format)),
        _ => HeadDetection { is_settled: end.is_some(), ..unsettled("JSON that holds a text") },
    }
}

fn by_text(text: &[u8]) -> Detection {
    let head = Head::new(text);
    if let Some(format) = by_signs(|sign| matches!(sign, Sign::Text(is_it) if is_it(&head))) {
        return Detection::Readable(format);
    }
    let text = &text[..text.len().min(HEAD_BYTES)];
    if looks_like_utf16(text) {
        return not_a_session("text in UTF-16; save it as UTF-8 and import it again");
    }
    let n_odd = text.iter().filter(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31)).count();
    if n_odd * 50 > text.len() || text.contains(&0) {
        return not_a_session("a binary file of no known kind");
    }
    if matches!(text.first(), Some(b'{' | b'[')) {
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
