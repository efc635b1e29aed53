//! Artifacts as a prompt can show them.

use std::collections::HashMap;
use std::io::{Cursor, Read as _};
use std::sync::{Arc, OnceLock};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use strata_model::{
    Base64, Blob, Fingerprint, FingerprintBuilder, FromJson as _, Part, SharedList, Str, python,
};

/// A named file with its versions, oldest first. A version without a part is listed but cannot be loaded.
#[derive(Debug, Clone, PartialEq)]
pub struct Artifact {
    /// `user:` names belong to the user, others to the session.
    pub name: Str,
    pub versions: Vec<Option<Arc<Part>>>,
}

impl Artifact {
    fn fingerprint(&self) -> Fingerprint {
        let mut hash = FingerprintBuilder::new();
        hash.text(&self.name).number(self.versions.len() as u64);
        for part in self.versions.iter().flatten() {
            hash.json(&part.to_json());
        }
        hash.finish()
    }
}

/// Versions of artifacts that were saved one after the other. A copy is cheap.
#[derive(Debug, Clone, Default)]
pub struct SavedArtifacts {
    list: SharedList<(Str, Arc<Part>)>,
    fingerprint: Fingerprint,
}

impl SavedArtifacts {
    pub fn push(&mut self, name: Str, part: Arc<Part>) {
        let mut hash = FingerprintBuilder::new();
        hash.text(&name).json(&part.to_json());
        self.fingerprint = self.fingerprint.then(hash.finish());
        self.list.push((name, part));
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl FromIterator<(Str, Arc<Part>)> for SavedArtifacts {
    fn from_iter<I: IntoIterator<Item = (Str, Arc<Part>)>>(saved: I) -> Self {
        let mut all = Self::default();
        saved.into_iter().for_each(|(name, part)| all.push(name, part));
        all
    }
}

/// The artifacts a session can see.
#[derive(Debug, Clone)]
pub struct Artifacts {
    /// Shared with the artifacts at other points of a session, which are its other beginnings.
    all: Arc<Vec<Artifact>>,
    len: usize,
    /// What was saved after them.
    later: Option<Arc<Later>>,
    fingerprint: Fingerprint,
}

/// What a stage saved. Most that is saved in a call is never looked at again in it, so the list is made when somebody does.
#[derive(Debug)]
struct Later {
    saved: SavedArtifacts,
    list: OnceLock<Vec<Artifact>>,
}

impl PartialEq for Artifacts {
    fn eq(&self, other: &Self) -> bool {
        self.list() == other.list()
    }
}

impl Artifacts {
    pub fn new(list: Vec<Artifact>) -> Self {
        let fingerprint =
            list.iter().fold(Fingerprint::default(), |hash, next| hash.then(next.fingerprint()));
        Self { len: list.len(), all: Arc::new(list), later: None, fingerprint }
    }

    /// The first `n` artifacts for every `n` from 0 on. They share their list.
    pub(crate) fn beginnings(list: Vec<Artifact>) -> Vec<Self> {
        let all = Arc::new(list);
        let nothing = Self { all: all.clone(), len: 0, later: None, fingerprint: Fingerprint::default() };
        let mut beginnings = vec![nothing];
        let mut fingerprint = Fingerprint::default();
        for (at, artifact) in all.iter().enumerate() {
            fingerprint = fingerprint.then(artifact.fingerprint());
            beginnings.push(Self { all: all.clone(), len: at + 1, later: None, fingerprint });
        }
        beginnings
    }

    pub fn list(&self) -> &[Artifact] {
        let first = &self.all[..self.len];
        let Some(later) = &self.later else { return first };
        later.list.get_or_init(|| {
            let mut list = first.to_vec();
            let mut places: HashMap<Str, usize> =
                first.iter().enumerate().map(|(at, artifact)| (artifact.name.clone(), at)).collect();
            for (name, part) in &later.saved.list {
                let at = *places.entry(name.clone()).or_insert(list.len());
                if at == list.len() {
                    list.push(Artifact { name: name.clone(), versions: Vec::new() });
                }
                list[at].versions.push(Some(part.clone()));
            }
            list
        })
    }

    /// Identifies all names and versions.
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Names in the order ADK lists them: by code point, a name once.
    pub fn names(&self) -> Vec<Str> {
        let mut names: Vec<Str> = self.list().iter().map(|artifact| artifact.name.clone()).collect();
        names.sort();
        names.dedup();
        names
    }

    /// How many versions of an artifact were saved.
    pub fn n_versions(&self, name: &str) -> usize {
        self.list()
            .iter()
            .rfind(|artifact| *artifact.name == *name)
            .map_or(0, |artifact| artifact.versions.len())
    }

    /// The artifacts after saving another version of one.
    #[must_use]
    pub fn with_saved(&self, name: &Str, part: Option<Arc<Part>>) -> Self {
        let mut list = self.list().to_vec();
        match list.iter_mut().rfind(|artifact| artifact.name == *name) {
            Some(artifact) => artifact.versions.push(part),
            None => list.push(Artifact { name: name.clone(), versions: vec![part] }),
        }
        Self::new(list)
    }

    /// The artifacts after all of these were saved.
    #[must_use]
    pub(crate) fn with_all_saved(&self, saved: SavedArtifacts) -> Self {
        let fingerprint = self.fingerprint.then(saved.fingerprint);
        let (all, len) = match &self.later {
            None => (self.all.clone(), self.len),
            Some(_) => (Arc::new(self.list().to_vec()), self.list().len()),
        };
        Self { all, len, later: Some(Arc::new(Later { saved, list: OnceLock::new() })), fingerprint }
    }

    /// The artifacts after this version of one was saved; earlier ones that are not there cannot be loaded.
    #[must_use]
    pub(crate) fn with_version(&self, name: &Str, version: usize, part: Option<&Arc<Part>>) -> Self {
        let mut list = self.list().to_vec();
        let at = list.iter().rposition(|artifact| artifact.name == *name).unwrap_or_else(|| {
            list.push(Artifact { name: name.clone(), versions: Vec::new() });
            list.len() - 1
        });
        let versions = &mut list[at].versions;
        versions.resize(versions.len().max(version + 1), None);
        versions[version] = part.cloned();
        let mut saved = FingerprintBuilder::new();
        saved.fingerprint(self.fingerprint).text(name).number(version as u64);
        if let Some(part) = part {
            saved.json(&part.to_json());
        }
        Self { len: list.len(), all: Arc::new(list), later: None, fingerprint: saved.finish() }
    }

    /// The latest version of an artifact, if it can be loaded.
    pub fn load(&self, name: &str) -> Option<&Arc<Part>> {
        self.resolved(self.versions(name)?.last()?.as_ref()?)
    }

    /// Whether it is known what was saved last under a name, and be it nothing.
    pub(crate) fn has_content(&self, name: &str) -> bool {
        let last = self.versions(name).and_then(<[_]>::last);
        match last.and_then(Option::as_ref) {
            // A reference that leads nowhere may lead somewhere in the app.
            Some(part) => Reference::of(part).is_none() || self.load(name).is_some(),
            None => false,
        }
    }

    /// A version of an artifact counted from 0, if it can be loaded.
    pub fn load_version(&self, name: &str, version: usize) -> Option<&Arc<Part>> {
        self.resolved(self.versions(name)?.get(version)?.as_ref()?)
    }

    fn versions(&self, name: &str) -> Option<&[Option<Arc<Part>>]> {
        self.list().iter().rfind(|artifact| *artifact.name == *name).map(|artifact| &*artifact.versions)
    }

    /// What a stored part stands for.
    fn resolved<'a>(&'a self, mut part: &'a Arc<Part>) -> Option<&'a Arc<Part>> {
        for _ in 0..MAX_REFERENCES {
            let Some(reference) = Reference::of(part) else {
                return Some(part).filter(|part| is_loadable(part));
            };
            part = self.versions(reference.name)?.get(reference.version)?.as_ref()?;
        }
        None
    }
}

/// References one look-up follows before it gives up.
const MAX_REFERENCES: usize = 5;

/// An artifact that stands for a version of another one. References lead nowhere outside of what a session sees.
struct Reference<'u> {
    name: &'u str,
    version: usize,
}

impl<'u> Reference<'u> {
    fn of(part: &'u Part) -> Option<Self> {
        let uri = part.file_data.as_ref()?.file_uri.as_deref()?.strip_prefix("artifact://")?;
        let (_, artifact) = uri.split_once("/artifacts/")?;
        let (name, version) = artifact.rsplit_once("/versions/")?;
        Some(Self { name, version: version.parse().ok()? })
    }
}

/// What a rewind saves to remove an artifact: its name stays listed.
pub(crate) fn removed_marker() -> Arc<Part> {
    let blob = Blob {
        data: Some(Base64::new("")),
        mime_type: Some("application/octet-stream".into()),
        ..Blob::default()
    };
    Arc::new(Part { inline_data: Some(Box::new(blob)), ..Part::default() })
}

/// A version that holds nothing, or the marker of a rewind, loads as absent.
fn is_loadable(part: &Arc<Part>) -> bool {
    **part != Part::default() && *part != removed_marker()
}

/// The name the model asked for as one that is listed: itself, with `user:` put before it, or without it.
pub(crate) fn resolve_name(asked: &str, listed: &[Str]) -> Option<String> {
    let is_listed = |name: &str| listed.iter().any(|known| **known == *name);
    if is_listed(asked) {
        return Some(asked.to_owned());
    }
    let with_prefix = format!("user:{asked}");
    if !asked.starts_with("user:") && is_listed(&with_prefix) {
        return Some(with_prefix);
    }
    asked.strip_prefix("user:").filter(|bare| is_listed(bare)).map(|_| asked.to_owned())
}

/// The part in a form Gemini accepts: media it knows as they are, documents as text, anything else as a sentence
/// about it (`ADK.md` 7.4).
pub(crate) fn safe_part(part: &Arc<Part>, name: &str) -> Arc<Part> {
    let Some(blob) = &part.inline_data else { return part.clone() };
    let given = blob.mime_type.as_deref().unwrap_or_default();
    let normal = python::strip(given.split(';').next().unwrap_or_default()).to_lowercase();
    if is_supported_inline(&normal) {
        return with_normal_mime_type(part, given);
    }
    let mime_type = if normal.is_empty() { "application/octet-stream" } else { &normal };
    let Some(data) = &blob.data else {
        return text(format!("[Artifact: {name}, type: {mime_type}. No inline data was provided.]"));
    };
    let Ok(bytes) = URL_SAFE.decode(data.as_bytes()) else { return text(data.to_string()) };
    if let Some(document) = docx_text(&bytes, mime_type, name) {
        return text(document);
    }
    if is_text_like(mime_type, name) {
        return text(String::from_utf8_lossy(&bytes).into_owned());
    }
    let kilobytes = bytes.len() as f64 / 1024.0;
    text(format!(
        "[Binary artifact: {name}, type: {mime_type}, size: {kilobytes:.1} KB. Content cannot be displayed inline.]"
    ))
}

fn text(text: String) -> Arc<Part> {
    Arc::new(Part::from_text(text))
}

fn is_supported_inline(mime_type: &str) -> bool {
    let is_drawing = matches!(mime_type, "image/svg" | "image/svg+xml" | "image/xml");
    let is_media = ["image/", "audio/", "video/"].iter().any(|prefix| mime_type.starts_with(prefix));
    (is_media && !is_drawing) || mime_type == "application/pdf"
}

/// The same part with its type in lower case; parameters stay as they are.
fn with_normal_mime_type(part: &Arc<Part>, given: &str) -> Arc<Part> {
    let (base, parameters) = given.find(';').map_or((given, ""), |at| given.split_at(at));
    let normal = python::strip(base).to_lowercase() + parameters;
    if normal == given {
        return part.clone();
    }
    let mut changed = Part::clone(part);
    if let Some(blob) = &mut changed.inline_data {
        blob.mime_type = Some(normal.into());
    }
    Arc::new(changed)
}

fn is_text_like(mime_type: &str, name: &str) -> bool {
    const TYPES: [&str; 7] = [
        "application/csv",
        "application/json",
        "application/svg+xml",
        "application/xml",
        "image/svg",
        "image/svg+xml",
        "image/xml",
    ];
    let name = name.to_lowercase();
    mime_type.starts_with("text/")
        || TYPES.contains(&mime_type)
        || [".csv", ".txt", ".json", ".xml"].iter().any(|ending| name.ends_with(ending))
}

/// The paragraphs of a Word document.
fn docx_text(bytes: &[u8], mime_type: &str, name: &str) -> Option<String> {
    const DOCX: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    const MAX_XML_BYTES: u64 = 10 * 1024 * 1024;
    if mime_type != DOCX && mime_type != "application/octet-stream" && !name.to_lowercase().ends_with(".docx")
    {
        return None;
    }
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).ok()?;
    let document = archive.by_name("word/document.xml").ok()?;
    let mut xml = Vec::new();
    document.take(MAX_XML_BYTES).read_to_end(&mut xml).ok()?;
    let xml: String = xml.utf8_chunks().map(|chunk| chunk.valid()).collect();
    Some(paragraphs(&xml).join("\n"))
}

/// The text runs of each paragraph, joined; paragraphs without any are left out.
fn paragraphs(xml: &str) -> Vec<String> {
    const NAMESPACE: &str = "=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"";
    let prefix = xml
        .find(NAMESPACE)
        .and_then(|at| xml[..at].rfind("xmlns:").map(|start| &xml[start + "xmlns:".len()..at]))
        .filter(|prefix| !prefix.is_empty() && prefix.chars().all(python::is_word))
        .unwrap_or("w");
    split_at_tags(xml, &format!("<{prefix}:p"))
        .into_iter()
        .map(|paragraph| runs(paragraph, prefix))
        .filter(|runs| !runs.is_empty())
        .map(|runs| runs.concat())
        .collect()
}

/// The pieces between tags that start with `open` and go on to the next `>`.
fn split_at_tags<'x>(xml: &'x str, open: &str) -> Vec<&'x str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(found) = xml[at..].find(open).map(|offset| at + offset) {
        let Some(end) = xml[found..].find('>').map(|offset| found + offset + 1) else { break };
        pieces.push(&xml[start..found]);
        start = end;
        at = end;
    }
    pieces.push(&xml[start..]);
    pieces
}

fn runs<'x>(paragraph: &'x str, prefix: &str) -> Vec<&'x str> {
    let (open, close) = (format!("<{prefix}:t"), format!("</{prefix}:t>"));
    let mut runs = Vec::new();
    let mut at = 0;
    while let Some(found) = paragraph[at..].find(&open).map(|offset| at + offset) {
        let Some(start) = paragraph[found..].find('>').map(|offset| found + offset + 1) else { break };
        let end = paragraph[start..].find('<').map_or(paragraph.len(), |offset| start + offset);
        if paragraph[end..].starts_with(&close) {
            runs.push(&paragraph[start..end]);
        }
        at = start;
    }
    runs
}

/// How Python prints a part that has no text, as a template shows it (`ADK.md` 2.4.4).
pub(crate) fn python_str(part: &Part) -> String {
    let mut fields = Vec::new();
    let none = "None".to_owned();
    fields.push("media_resolution=None".to_owned());
    fields.push("code_execution_result=None".to_owned());
    fields.push("executable_code=None".to_owned());
    fields.push(format!(
        "file_data={}",
        part.file_data.as_ref().map_or(none.clone(), |file| {
            record(
                "FileData",
                &[
                    ("display_name", file.display_name.as_deref().map(python::repr_str)),
                    ("file_uri", file.file_uri.as_deref().map(python::repr_str)),
                    ("mime_type", file.mime_type.as_deref().map(python::repr_str)),
                ],
            )
        })
    ));
    fields.push("function_call=None".to_owned());
    fields.push("function_response=None".to_owned());
    fields.push(format!(
        "inline_data={}",
        part.inline_data.as_ref().map_or(none, |blob| {
            record(
                "Blob",
                &[
                    ("data", blob.data.as_ref().map(|data| bytes_repr(data))),
                    ("display_name", blob.display_name.as_deref().map(python::repr_str)),
                    ("mime_type", blob.mime_type.as_deref().map(python::repr_str)),
                ],
            )
        })
    ));
    let text = part.text.as_deref().map_or_else(|| "None".to_owned(), python::repr_str);
    fields.push(format!("text={text}"));
    for field in [
        "thought",
        "thought_signature",
        "video_metadata",
        "tool_call",
        "tool_response",
        "part_metadata",
        "audio_transcription",
        "media_processing",
        "speech_metadata",
    ] {
        fields.push(format!("{field}=None"));
    }
    fields.join(" ")
}

/// A record as google-genai prints it: one field a line, absent ones left out.
fn record(name: &str, fields: &[(&str, Option<String>)]) -> String {
    if fields.iter().all(|(_, value)| value.is_none()) {
        return format!("{name}()");
    }
    let lines: Vec<String> =
        fields.iter().filter_map(|(field, value)| Some(format!("  {field}={}", value.as_ref()?))).collect();
    format!("{name}(\n{}\n)", lines.join(",\n"))
}

/// `repr` of bytes; google-genai shows the first 97 of more than 100.
fn bytes_repr(data: &str) -> String {
    let bytes = URL_SAFE.decode(data.as_bytes()).unwrap_or_default();
    if bytes.len() <= 100 {
        return python_bytes(&bytes);
    }
    let mut shown = python_bytes(&bytes[..97]);
    shown.pop();
    shown + "...'"
}

fn python_bytes(bytes: &[u8]) -> String {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') { '"' } else { '\'' };
    let mut out = format!("b{quote}");
    for byte in bytes {
        match byte {
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            _ if char::from(*byte) == quote => {
                out.push('\\');
                out.push(quote);
            }
            0x20..=0x7e => out.push(char::from(*byte)),
            _ => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out.push(quote);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_at_once_is_as_if_saved_one_by_one() {
        let part = |text: &str| Arc::new(Part::from_text(text));
        let known = Artifacts::new(vec![Artifact { name: "a".into(), versions: vec![Some(part("0"))] }]);
        let saved: Vec<(Str, Arc<Part>)> =
            [("b", "1"), ("a", "2"), ("b", "3")].map(|(name, text)| (name.into(), part(text))).into();
        let one_by_one =
            saved.iter().fold(known.clone(), |all, (name, part)| all.with_saved(name, Some(part.clone())));
        let at_once = known.with_all_saved(saved.iter().cloned().collect());
        assert_eq!(at_once, one_by_one);
        assert_eq!((at_once.n_versions("a"), at_once.load("b")), (2, Some(&part("3"))));
        let in_two = known.with_all_saved(saved[..1].iter().cloned().collect());
        let in_two = in_two.with_all_saved(saved[1..].iter().cloned().collect());
        assert_eq!(in_two, one_by_one);
        assert_ne!(at_once.fingerprint(), known.fingerprint());
    }
}
