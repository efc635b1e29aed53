//! What was read of files, kept so that those that stay as they are need not be read again: the tokens of each call, by
//! session, and nothing that was said but titles. All of it can be read again, so nothing is said where it cannot be kept.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use strata_measure::prices::ChargedTokens;
use strata_model::{Fingerprint, secret};

use super::call::{CallKind, UsedCall, UsedSession};
use super::reading::{ReadFile, UnreadFile};
use crate::api::common::DiagnosticRow;
use crate::import::NotRead;

const KINDS: [CallKind; 6] = [
    CallKind::Reported,
    CallKind::Combined,
    CallKind::Unreported,
    CallKind::Unpaid,
    CallKind::Relayed,
    CallKind::Summary,
];

#[derive(Serialize, Deserialize)]
pub(crate) struct KeptSession {
    id: String,
    parent: Option<String>,
    title: String,
    tool: String,
    project: Option<String>,
    began: Option<i64>,
    calls: Vec<KeptCall>,
}

/// Key, time, model, kind, and the tokens that are charged.
#[derive(Serialize, Deserialize)]
struct KeptCall(String, Option<i64>, Option<String>, u8, [u64; 5]);

impl KeptSession {
    pub(crate) fn of(session: &UsedSession) -> Self {
        let UsedSession { id, parent, title, tool, project, began_ms, calls } = session;
        let calls = calls.iter().map(|call| {
            let UsedCall { key, time_ms, model, kind, tokens } = call;
            let ChargedTokens { prompt, cached, written, written_long, output } = *tokens;
            let kind = KINDS.iter().position(|known| known == kind).unwrap_or_default() as u8;
            let tokens = [prompt, cached, written, written_long, output];
            KeptCall(format!("{:x}", key.0), *time_ms, model.as_ref().map(ToString::to_string), kind, tokens)
        });
        Self {
            id: id.to_string(),
            parent: parent.as_ref().map(ToString::to_string),
            title: title.clone(),
            tool: tool.clone(),
            project: project.clone(),
            began: *began_ms,
            calls: calls.collect(),
        }
    }

    pub(crate) fn read(self) -> Option<UsedSession> {
        let calls = self.calls.into_iter().map(|KeptCall(key, time_ms, model, kind, tokens)| {
            let [prompt, cached, written, written_long, output] = tokens;
            Some(UsedCall {
                key: Fingerprint(u128::from_str_radix(&key, 16).ok()?),
                time_ms,
                model: model.map(Into::into),
                kind: *KINDS.get(usize::from(kind))?,
                tokens: ChargedTokens { prompt, cached, written, written_long, output },
            })
        });
        Some(UsedSession {
            id: self.id.into(),
            parent: self.parent.map(Into::into),
            title: self.title,
            tool: self.tool,
            project: self.project,
            began_ms: self.began,
            calls: calls.collect::<Option<_>>()?,
        })
    }
}

/// What is kept of files, by their absolute paths.
pub(super) struct KeptFiles {
    file: PathBuf,
    by_path: HashMap<PathBuf, KeptFile>,
    n_taken: usize,
}

#[derive(Serialize, Deserialize)]
struct KeptFolder {
    writer: String,
    files: Vec<KeptFile>,
}

#[derive(Serialize, Deserialize)]
struct KeptFile {
    absolute: PathBuf,
    /// As it was named: a session without an id has that of its file.
    path: PathBuf,
    /// Of the place, which names the tool of its sessions.
    tool: Option<String>,
    size: u64,
    modified: Option<i64>,
    /// `Err` with what it is instead, where there is none in it.
    sessions: Result<Vec<KeptSession>, String>,
    said: Vec<DiagnosticRow>,
}

impl KeptFiles {
    /// Those in the cache folder of this computer.
    pub(super) fn open() -> Option<Self> {
        let file = dirs::cache_dir()?.join("strata").join("usage.json");
        let kept = fs::read(&file).ok().and_then(|bytes| serde_json::from_slice::<KeptFolder>(&bytes).ok());
        let files = kept.filter(|kept| Some(&kept.writer) == writer().as_ref()).map(|kept| kept.files);
        let by_path = files.unwrap_or_default().into_iter().map(|file| (file.absolute.clone(), file));
        Some(Self { file, by_path: by_path.collect(), n_taken: 0 })
    }

    /// What is known of a file, if it is as it was when it was read.
    pub(super) fn take(&mut self, unread: &UnreadFile) -> Option<ReadFile> {
        let (path, stamp) = (unread.file.path(), unread.file.stamp());
        let absolute = std::path::absolute(path).ok()?;
        let kept = self.by_path.get(&absolute)?;
        let is_same = kept.path == path
            && kept.tool == unread.tool
            && kept.size == stamp.size_bytes
            && kept.modified.is_some()
            && kept.modified == stamp.modified_ms;
        if !is_same {
            return None;
        }
        let kept = self.by_path.remove(&absolute)?;
        let outcome = match kept.sessions {
            Ok(sessions) => Ok(sessions.into_iter().map(KeptSession::read).collect::<Option<_>>()?),
            Err(instead) => Err(NotRead::NoSession(instead)),
        };
        self.n_taken += 1;
        Some(ReadFile { path: kept.path, stamp, place: unread.place, outcome, diagnostics: kept.said })
    }

    /// Keeps what is known now of files, and what is kept of others that are still there.
    pub(super) fn keep(self, files: &[UnreadFile], read: &[ReadFile]) {
        let Some(writer) = writer().filter(|_| self.n_taken < files.len()) else { return };
        let known = files.iter().zip(read).filter_map(|(unread, read)| KeptFile::of(unread, read));
        let known: Vec<KeptFile> = known.collect();
        let paths: HashSet<&Path> = known.iter().map(|file| &*file.absolute).collect();
        let is_other = |file: &KeptFile| !paths.contains(&*file.absolute) && file.absolute.exists();
        let others: Vec<KeptFile> = self.by_path.into_values().filter(is_other).collect();
        let kept = KeptFolder { writer, files: known.into_iter().chain(others).collect() };
        let Ok(text) = serde_json::to_string(&kept) else { return };
        // As in the store, credentials are not written.
        let text = secret::mask_in_place(&text).map_or(text, |masked| masked.text);
        let _ = write(&self.file, text.as_bytes());
    }
}

impl KeptFile {
    /// `None` where it is to be tried again.
    fn of(unread: &UnreadFile, read: &ReadFile) -> Option<Self> {
        let sessions = match &read.outcome {
            Ok(sessions) => Ok(sessions.iter().map(KeptSession::of).collect()),
            Err(NotRead::NoSession(instead)) => Err(instead.clone()),
            Err(NotRead::Failed(_) | NotRead::Cancelled) => return None,
        };
        Some(Self {
            absolute: std::path::absolute(&read.path).ok()?,
            path: read.path.clone(),
            tool: unread.tool.clone(),
            size: read.stamp.size_bytes,
            modified: read.stamp.modified_ms,
            sessions,
            said: read.diagnostics.clone(),
        })
    }
}

/// All of it or nothing; on Unix for its owner only, as the store is.
fn write(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}

/// This very program: another one may read files otherwise.
fn writer() -> Option<String> {
    let program = std::env::current_exe().ok()?;
    let about = program.metadata().ok()?;
    let modified = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{} {} {}", env!("CARGO_PKG_VERSION"), about.len(), modified.as_nanos()))
}
