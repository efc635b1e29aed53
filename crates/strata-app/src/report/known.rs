//! The sessions that can be asked about without importing anything: those of the store, those that agents left on this
//! computer, and what was captured.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use strata_import::import;
use strata_store::{Store, StoreError};

use super::list::list;
use super::source::Source;
use crate::capture_folder::logs_of;
use crate::data_folder::existing_database;
use crate::error::AppError;
use crate::import::{SessionFiles, Stamp, folder_of};
use crate::places::{Environment, recording_places};
use crate::sample;

/// So much of a file is read for its title and its folder.
const HEAD_BYTES: u64 = 256 * 1024;

/// Where a session is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownPlace {
    Store,
    /// A file of the client that made it.
    Client,
    /// A log of the gateway.
    Capture,
}

/// A session, as far as that is known without reading it.
#[derive(Debug, Clone)]
pub struct KnownSession {
    /// What it is asked for by.
    pub id: String,
    /// Of the session in the store, what it calls itself.
    pub own_id: Option<String>,
    pub title: Option<String>,
    /// The tool that made it, or the name of its format.
    pub client: String,
    /// The folder it was recorded in.
    pub folder: Option<String>,
    /// Epoch milliseconds of the last event, or of the last change of its file.
    pub last_ms: Option<i64>,
    pub place: KnownPlace,
    /// The session that this one works for.
    pub parent: Option<String>,
    /// Its id in a file that may hold several.
    pub within: Option<String>,
    /// What it is read from; absent where that is the store.
    file: Option<PathBuf>,
    /// What its client or the gateway writes it to.
    written_to: Option<PathBuf>,
}

/// Whether anything of a session has changed: its file, or its row in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionsKept {
    stamp: Option<Stamp>,
    last_ms: Option<i64>,
}

/// What is known of files by their beginnings.
#[derive(Debug, Clone, Default)]
struct Beginning {
    own_id: Option<String>,
    title: Option<String>,
    folder: Option<String>,
    parent: Option<String>,
}

/// All sessions that are known.
pub struct KnownSessions {
    database: Option<PathBuf>,
    beginnings: Mutex<HashMap<PathBuf, (u64, Beginning)>>,
}

impl KnownSessions {
    /// Of a store, that of the data folder where none is named, and of the files on this computer.
    pub fn new(database: Option<PathBuf>) -> Self {
        Self { database, beginnings: Mutex::default() }
    }

    /// The store, if it is there by now.
    fn database(&self) -> Option<PathBuf> {
        self.database.clone().or_else(existing_database).filter(|path| path.exists())
    }

    /// The newest first. Nothing is read but names, times, and the rows of the store.
    pub fn all(&self) -> Result<Vec<KnownSession>, AppError> {
        let mut files = client_files();
        let database = self.database();
        let captures = database.as_deref().map(logs_of).unwrap_or_default();
        let captures = captures.into_iter().map(|path| (path, "Capture".to_owned(), KnownPlace::Capture));
        for (path, client, place) in captures {
            files.insert(path.clone(), of_file(path, client, place));
        }
        let mut sessions = database.as_deref().map(stored).transpose()?.unwrap_or_default();
        let mut are_stored: HashSet<PathBuf> = HashSet::new();
        for stored in &mut sessions {
            let Some(path) = &stored.written_to else { continue };
            let Some(file) = files.get(path) else { continue };
            are_stored.insert(path.clone());
            let has_grown = file.last_ms > stored.last_ms;
            stored.last_ms = stored.last_ms.max(file.last_ms);
            if file.place == KnownPlace::Capture {
                // Its log is followed into the store.
                stored.place = KnownPlace::Capture;
            } else if has_grown {
                // What its client goes on with is read from there.
                stored.place = KnownPlace::Client;
                stored.within.clone_from(&stored.own_id);
                stored.file = Some(path.clone());
            }
        }
        sessions.extend(
            files
                .into_values()
                .filter(|file| file.written_to.as_ref().is_none_or(|path| !are_stored.contains(path))),
        );
        sessions.sort_by(|a, b| b.last_ms.cmp(&a.last_ms).then_with(|| a.id.cmp(&b.id)));
        Ok(sessions)
    }

    /// With what the beginning of its file tells: its title, its folder, what it calls itself, whom it works for.
    pub fn told(&self, session: KnownSession) -> KnownSession {
        let Some(file) = session.file.as_ref().filter(|_| session.title.is_none()) else { return session };
        let size = file.metadata().map_or(0, |metadata| metadata.len()).min(HEAD_BYTES);
        let mut known = self.beginnings.lock().unwrap_or_else(PoisonError::into_inner);
        let beginning = match known.get(file) {
            Some((looked_at, beginning)) if *looked_at == size => beginning.clone(),
            _ => {
                let beginning = beginning(file);
                known.insert(file.clone(), (size, beginning.clone()));
                beginning
            }
        };
        KnownSession {
            title: beginning.title,
            own_id: beginning.own_id.or(session.own_id),
            folder: beginning.folder.or_else(|| session.folder.clone()),
            parent: session.parent.clone().or(beginning.parent),
            ..session
        }
    }

    /// The sessions that work for one which calls itself `own_id` and began at `since_ms` (epoch milliseconds), the newest
    /// first. Of files that changed since then whose place does not tell, the beginnings are read.
    pub fn working_for(
        &self,
        session: &KnownSession,
        own_id: &str,
        since_ms: i64,
    ) -> Result<Vec<KnownSession>, AppError> {
        let mut all = self.all()?;
        all.retain(|one| one.id != session.id || one.written_to != session.written_to);
        let with_parents = all.into_iter().map(|one| {
            let may_say = one.parent.is_none() && one.place == KnownPlace::Client;
            if may_say && one.last_ms.is_some_and(|ms| ms >= since_ms) { self.told(one) } else { one }
        });
        let is_of_this = |one: &KnownSession| {
            one.parent.as_deref().is_some_and(|parent| parent == own_id || session.is_called(parent))
        };
        Ok(with_parents.filter(is_of_this).collect())
    }

    /// What the documents of a session are made from. Nothing is stored for it.
    pub fn source(&self, session: &KnownSession) -> Source {
        match &session.file {
            Some(file) => Source { name: file.display().to_string(), ..Source::default() },
            None => Source { name: session.id.clone(), database: self.database(), ..Source::default() },
        }
    }
}

impl KnownSession {
    /// What tells later whether it has changed.
    pub fn kept(&self) -> SessionsKept {
        SessionsKept { stamp: self.file.as_deref().map(Stamp::of), last_ms: self.last_ms }
    }

    /// Whether it is called so: by its id, by what it calls itself, or by the name of its file.
    pub fn is_called(&self, name: &str) -> bool {
        let stem = self.file.as_ref().and_then(|file| file.file_stem()).map(|stem| stem.to_string_lossy());
        self.id == name || self.own_id.as_deref() == Some(name) || stem.as_deref() == Some(name)
    }

    /// Whether what it is written to ends in text with these words in it, and was written since then.
    pub fn was_told(&self, words: &str, newer_than_ms: i64) -> bool {
        let is_running = self.last_ms.is_some_and(|ms| ms >= newer_than_ms);
        let file = self.written_to.as_deref().filter(|_| is_running);
        file.is_some_and(|file| ends_with(file, words).unwrap_or(false))
    }
}

/// Those of a store. One that an older version wrote would be changed by being opened: nothing of it is known.
fn stored(database: &Path) -> Result<Vec<KnownSession>, AppError> {
    if matches!(Store::open_read_only(database), Err(StoreError::Older { .. })) {
        return Ok(Vec::new());
    }
    let listed = list("", Some(database))?.sessions.into_iter().map(|listed| {
        let source = listed.session.source;
        let is_sample = source == sample::NAME;
        KnownSession {
            id: listed.session.id,
            own_id: Some(listed.own_id).filter(|id| !id.is_empty()),
            title: Some(listed.session.title),
            client: listed.session.format_name,
            folder: listed.folder,
            // A file that was changed since it was read is read again.
            last_ms: if is_sample { listed.last_event_ms } else { Some(listed.imported_ms) },
            place: KnownPlace::Store,
            parent: listed.parent.or_else(|| parent_by_place(Path::new(&source))),
            within: None,
            file: None,
            written_to: (!is_sample).then(|| PathBuf::from(source)),
        }
    });
    Ok(listed.collect())
}

/// The files of all places where agents leave sessions, by path.
fn client_files() -> BTreeMap<PathBuf, KnownSession> {
    let mut files = BTreeMap::new();
    for place in recording_places(&Environment::present()) {
        let tool = place.tool_name();
        for file in SessionFiles::at(&place.path, place.is_session).files {
            let path = file.path().to_owned();
            files.entry(path.clone()).or_insert_with(|| of_file(path, tool.to_owned(), KnownPlace::Client));
        }
    }
    files
}

fn of_file(path: PathBuf, client: String, place: KnownPlace) -> KnownSession {
    let name = |path: &Path| path.file_stem().map(|name| name.to_string_lossy().into_owned());
    KnownSession {
        id: name(&path).unwrap_or_default(),
        own_id: None,
        title: None,
        client,
        folder: project_root(&path),
        last_ms: Stamp::of(&path).modified_ms,
        place,
        parent: parent_by_place(&path),
        within: None,
        written_to: Some(path.clone()),
        file: Some(path),
    }
}

/// The session whose sub-agent is kept at a place that says so: Claude Code's `<session>/subagents/agent-….jsonl`, Gemini
/// CLI's `chats/<session>/….jsonl`.
fn parent_by_place(path: &Path) -> Option<String> {
    let is_called = |path: &&Path, name: &str| path.file_name().is_some_and(|own| own == name);
    let folder = path.parent()?;
    let above = folder.parent()?;
    let session = if is_called(&folder, "subagents") {
        above
    } else {
        Some(folder).filter(|_| is_called(&above, "chats"))?
    };
    Some(session.file_name()?.to_string_lossy().into_owned())
}

/// Gemini CLI names the folder in a file beside its chats.
fn project_root(path: &Path) -> Option<String> {
    let chats = path.ancestors().skip(1).take(2);
    let chats = chats.into_iter().find(|folder| folder.file_name().is_some_and(|name| name == "chats"))?;
    let root = std::fs::read_to_string(chats.with_file_name(".project_root")).ok()?;
    Some(root.trim().to_owned()).filter(|root| !root.is_empty())
}

fn beginning(path: &Path) -> Beginning {
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(HEAD_BYTES).read_to_end(&mut bytes));
    if read.is_err() {
        return Beginning::default();
    }
    // A line that is cut off would be told of as a problem of the file.
    if bytes.len() as u64 == HEAD_BYTES
        && let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n')
    {
        bytes.truncate(end + 1);
    }
    let imported = import(&bytes).sessions;
    let [session] = &imported[..] else { return Beginning::default() };
    let is_named = session.title != *session.session.id;
    Beginning {
        own_id: Some(session.session.id.to_string()).filter(|id| !id.is_empty()),
        title: is_named.then(|| session.title.clone()),
        folder: folder_of(session),
        parent: session.parent.as_ref().map(|parent| parent.session_id.to_string()),
    }
}

/// Whether the last bytes of a file have these words in them.
fn ends_with(path: &Path, words: &str) -> std::io::Result<bool> {
    use std::io::{Seek as _, SeekFrom};
    let mut file = std::fs::File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(16 * HEAD_BYTES)))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(bytes.windows(words.len().max(1)).any(|piece| piece == words.as_bytes()))
}
