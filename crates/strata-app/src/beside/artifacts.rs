//! Folders of google-adk's `FileArtifactService`.

use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use strata_model::{Base64, Blob, Json, Part, Session, StoredArtifact, StoredVersion, Str, json};

use crate::api::common::{DiagnosticRow, DiagnosticSeverity};

/// Bytes of all files that are read.
const MOST_BYTES: u64 = 256 << 20;
/// Folders of one session that are looked into, and the highest number of a version.
const MOST_FOLDERS: usize = 20_000;

const VERSIONS: &str = "versions";
const METADATA: &str = "metadata.json";

/// The root of an artifact service in a folder, if it has files of the app.
pub(super) fn root_in(folder: &Path, app: &str) -> Option<PathBuf> {
    let root = folder.join("artifacts");
    let is_root = users(&root, app).is_ok_and(|users| users.is_dir());
    is_root.then_some(root)
}

/// The folder with a folder for each user of an app. Earlier releases wrote the same tree without the name of the app.
fn users(root: &Path, app: &str) -> Result<PathBuf, String> {
    let of_app = root.join("apps").join(segment(app)?).join("users");
    Ok(if of_app.is_dir() { of_app } else { root.join("users") })
}

/// The folder whose files all sessions of a user see.
pub(super) fn folder_of_user(root: &Path, session: &Session) -> Option<PathBuf> {
    let users = users(root, &session.app_name).ok()?;
    Some(users.join(segment(&session.user_id).ok()?).join("artifacts"))
}

/// All files that a session can see: its own and its user's.
pub(super) fn read(
    root: &Path,
    session: &Session,
    diagnostics: &mut Vec<DiagnosticRow>,
) -> Result<Vec<StoredArtifact>, String> {
    if !root.is_dir() {
        return Err("it is no folder".to_owned());
    }
    let users = users(root, &session.app_name)?;
    if !users.is_dir() {
        return Err(format!(
            "there are no files of the app {} in it. It should be the root of a FileArtifactService, with the folder \
             `apps` or `users` in it",
            session.app_name
        ));
    }
    let user = users.join(segment(&session.user_id)?);
    let own = user.join("sessions").join(segment(&session.id)?).join("artifacts");
    let mut reader = Reader { left: MOST_BYTES, diagnostics, stored: Vec::new() };
    reader.scope(&own, "");
    reader.scope(&user.join("artifacts"), "user:");
    Ok(reader.stored)
}

/// A name that is one step of a path and no more.
fn segment(name: &str) -> Result<&str, String> {
    let mut steps = Path::new(name).components();
    match (steps.next(), steps.next()) {
        (Some(Component::Normal(_)), None) => Ok(name),
        _ => Err(format!("\"{name}\" cannot be the name of a folder")),
    }
}

struct Reader<'d> {
    /// Bytes that may still be read.
    left: u64,
    diagnostics: &'d mut Vec<DiagnosticRow>,
    stored: Vec<StoredArtifact>,
}

impl Reader<'_> {
    /// All files below the folder of a session or a user.
    fn scope(&mut self, scope: &Path, prefix: &str) {
        let mut folders = vec![scope.to_owned()];
        let mut n_folders = 0;
        while let Some(folder) = folders.pop() {
            n_folders += 1;
            if n_folders > MOST_FOLDERS {
                return self.warn(scope, "It holds more folders than are looked into");
            }
            let mut inner: Vec<PathBuf> = entries(&folder).filter(|path| path.is_dir()).collect();
            inner.sort();
            for path in inner.into_iter().rev() {
                if path.file_name().is_some_and(|name| name == VERSIONS) {
                    let below = folder.strip_prefix(scope).unwrap_or(&folder);
                    self.artifact(&folder, &format!("{prefix}{}", slashed(below)));
                } else {
                    folders.push(path);
                }
            }
        }
    }

    fn artifact(&mut self, folder: &Path, name: &str) {
        let numbers = entries(&folder.join(VERSIONS));
        let numbers = numbers.filter_map(|path| path.file_name()?.to_str()?.parse().ok());
        let mut numbers: Vec<usize> = numbers.filter(|number| *number < MOST_FOLDERS).collect();
        numbers.sort_unstable();
        let Some(last) = numbers.last() else { return };
        let mut artifact = StoredArtifact { name: name.into(), versions: vec![None; last + 1] };
        for number in numbers {
            let version = folder.join(VERSIONS).join(number.to_string());
            let metadata = fs::read(version.join(METADATA)).ok();
            let metadata = metadata.and_then(|bytes| json::parse(&bytes).ok()).unwrap_or_default();
            let named = metadata.get("fileName").and_then(Json::as_str);
            if let Some(named) = named.filter(|name| !name.is_empty()) {
                // google-adk lists a file by the name that its last version was saved under.
                artifact.name = named.into();
            }
            artifact.versions[number] = self.version(&version, folder, &metadata);
        }
        self.stored.push(artifact);
    }

    fn version(&mut self, version: &Path, folder: &Path, metadata: &Json) -> Option<StoredVersion> {
        let file = version.join(folder.file_name()?);
        if fs::metadata(&file).is_ok_and(|known| known.len() > self.left) {
            self.warn(&file, "The files of this session are too large to be read all; this one was left out");
            return None;
        }
        let bytes = match fs::read(&file) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.warn(&file, &format!("A file of this session cannot be read ({error})"));
                return None;
            }
        };
        self.left = self.left.saturating_sub(bytes.len() as u64);
        let text = |key: &str| metadata.get(key).and_then(Json::as_str).map(Str::from);
        let part = match text("mimeType") {
            Some(mime_type) => {
                let blob = Blob {
                    data: Some(Base64::new(URL_SAFE.encode(&bytes))),
                    mime_type: Some(mime_type),
                    display_name: text("displayName"),
                    ..Blob::default()
                };
                Part { inline_data: Some(Box::new(blob)), ..Part::default() }
            }
            None => match String::from_utf8(bytes) {
                Ok(text) => Part::from_text(text),
                Err(_) => {
                    self.warn(&file, "A text file of this session is not in UTF-8");
                    return None;
                }
            },
        };
        let saved_at = metadata.get("createTime").and_then(Json::as_f64);
        Some(StoredVersion { saved_at, part: Arc::new(part) })
    }

    fn warn(&mut self, path: &Path, message: &str) {
        self.diagnostics.push(DiagnosticRow {
            severity: DiagnosticSeverity::Warning,
            code: "artifacts".to_owned(),
            message: format!("{message}. Prompts that it was in are without it."),
            at: path.display().to_string(),
        });
    }
}

fn entries(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path())
}

fn slashed(path: &Path) -> String {
    path.components().map(|step| step.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
}
