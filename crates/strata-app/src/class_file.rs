//! Class files: lessons with their sessions, and what learners hand in. One JSON document, or a page that holds it.
//!
//! A page is for whoever has no Strata yet: it can be read in a browser, and Strata finds the document in it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use strata_model::secret;

use crate::error::AppError;

/// Of files that are written.
pub(crate) const VERSION: u32 = 1;
/// The first field of a document with lessons, and of one with results.
pub(crate) const LESSONS: &str = "strata-lessons";
pub(crate) const RESULTS: &str = "strata-results";
/// Around the document in a page.
pub(crate) const ELEMENT: (&str, &str) =
    (r#"<script type="application/json" id="strata-lessons">"#, "</script>");
/// Stands at the beginning of a page.
pub(crate) const GENERATOR: &str = "strata lessons class";
/// Bytes by which a file is told.
const HEAD: u64 = 1024;

/// What a file is, by its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClassKind {
    Lessons,
    Results,
}

/// Lessons with everything they need.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClassFile {
    /// [`LESSONS`].
    pub format: String,
    pub version: u32,
    /// In the order in which they are taken.
    pub lessons: Vec<CarriedLesson>,
    /// What stands beside them, by name.
    pub files: BTreeMap<String, Carried>,
}

/// A lesson as its author wrote it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CarriedLesson {
    /// Of its file.
    pub name: String,
    /// Markdown with front matter.
    pub text: String,
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Carried {
    Text(String),
    /// Of what is no UTF-8.
    Base64(String),
}

impl Carried {
    /// Masks secrets in texts, where that is wanted. How many there were comes with it.
    pub(crate) fn of(bytes: Vec<u8>, masks_secrets: bool) -> (Self, usize) {
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => return (Self::Base64(BASE64_STANDARD.encode(error.as_bytes())), 0),
        };
        match secret::mask(&text).filter(|_| masks_secrets) {
            Some(masked) => (Self::Text(masked.text), masked.kinds.len()),
            None => (Self::Text(text), 0),
        }
    }

    /// Of bytes that are no base64 nothing is left.
    pub(crate) fn bytes(&self) -> Option<Vec<u8>> {
        match self {
            Self::Text(text) => Some(text.as_bytes().to_vec()),
            Self::Base64(text) => BASE64_STANDARD.decode(text).ok(),
        }
    }
}

/// What the file at a path holds; `None` for every other file, and for those that cannot be read.
pub(crate) fn kind_of(path: &Path) -> Option<ClassKind> {
    let mut head = Vec::new();
    File::open(path).ok()?.take(HEAD).read_to_end(&mut head).ok()?;
    let text = String::from_utf8_lossy(&head);
    if text.starts_with("<!DOCTYPE html") && text.contains(GENERATOR) {
        return Some(ClassKind::Lessons);
    }
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let is_it = |format: &str| plain.starts_with(&format!("{{\"format\":\"{format}\""));
    match (is_it(LESSONS), is_it(RESULTS)) {
        (true, _) => Some(ClassKind::Lessons),
        (_, true) => Some(ClassKind::Results),
        _ => None,
    }
}

impl ClassFile {
    /// Reads the file at a path, which people know by `name`.
    pub(crate) fn read(path: &Path, name: &str) -> Result<Self, AppError> {
        let text = read_text(path, name)?;
        let (begin, end) = ELEMENT;
        let document = match text.split_once(begin) {
            Some((_, rest)) => rest.split_once(end).map_or(rest, |(document, _)| document),
            None => &text,
        };
        parse(name, document)
    }

    /// The document, as it also stands in a page.
    pub(crate) fn to_json(&self) -> Result<String, AppError> {
        let text = serde_json::to_string(self).map_err(|error| AppError::internal(error.to_string()))?;
        // In a page, this would end the document. JSON means the same by it.
        Ok(text.replace("</", "<\\/"))
    }
}

pub(crate) fn read_text(path: &Path, name: &str) -> Result<String, AppError> {
    std::fs::read_to_string(path)
        .map_err(|error| AppError::unreadable(format!("{name} could not be read: {error}.")))
}

/// Reads a document, unless it is of a newer version.
pub(crate) fn parse<T: DeserializeOwned>(name: &str, document: &str) -> Result<T, AppError> {
    #[derive(Deserialize)]
    struct Versioned {
        version: u32,
    }
    let refuse =
        |why: String| AppError::unreadable(format!("{name} cannot be used: {why}. Nothing was changed."));
    // A newer document may have fields of which nothing is known here.
    if let Ok(Versioned { version }) = serde_json::from_str(document)
        && version > VERSION
    {
        return Err(refuse(format!("it is of version {version}, and this Strata knows version {VERSION}")));
    }
    serde_json::from_str(document).map_err(|error| refuse(format!("it is cut off, or was changed ({error})")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class() -> ClassFile {
        ClassFile {
            format: LESSONS.to_owned(),
            version: VERSION,
            lessons: vec![CarriedLesson { name: "a.md".to_owned(), text: "</script> ☃\n".to_owned() }],
            files: BTreeMap::from([
                ("a.json".to_owned(), Carried::of(b"{}".to_vec(), true).0),
                ("a.db".to_owned(), Carried::of(vec![0, 159, 146, 150], true).0),
            ]),
        }
    }

    #[test]
    fn what_is_written_is_read_as_a_document_and_out_of_a_page() {
        let folder = tempfile::tempdir().unwrap();
        let (file, page) = (folder.path().join("a.strata"), folder.path().join("a.html"));
        let document = class().to_json().unwrap();
        assert!(!document.contains("</"));
        std::fs::write(&file, &document).unwrap();
        let (begin, end) = ELEMENT;
        let text = format!("<!DOCTYPE html><meta content=\"{GENERATOR}\"><p>{begin}{document}{end}</p>");
        std::fs::write(&page, text).unwrap();
        for path in [file, page] {
            assert_eq!(kind_of(&path), Some(ClassKind::Lessons));
            let read = ClassFile::read(&path, "a").unwrap();
            assert_eq!(read, class());
            assert_eq!(read.files["a.db"].bytes().unwrap(), [0, 159, 146, 150]);
        }
    }

    #[test]
    fn what_cannot_be_used_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.strata");
        let refused = |text: &str| {
            std::fs::write(&path, text).unwrap();
            ClassFile::read(&path, "a").unwrap_err().message
        };
        let document = class().to_json().unwrap();
        let newer = document.replace("\"version\":1", "\"version\":2,\"more\":1");
        assert!(refused(&newer).contains("it is of version 2, and this Strata knows version 1"));
        assert!(refused(&document[..document.len() - 4]).contains("it is cut off, or was changed"));
        std::fs::write(&path, "{\"format\": \"other\"}").unwrap();
        assert_eq!(kind_of(&path), None);
    }

    #[test]
    fn secrets_are_masked_and_counted() {
        let key = "OPENAI_API_KEY=sk-0123456789abcdefghij";
        let (masked, n) = Carried::of(key.as_bytes().to_vec(), true);
        assert!(n == 1 && masked != Carried::Text(key.to_owned()));
        assert_eq!(Carried::of(key.as_bytes().to_vec(), false), (Carried::Text(key.to_owned()), 0));
    }
}
