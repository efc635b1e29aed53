//! The session of whoever asks.
//!
//! 1. Claude Code sends the id of the very tool call: the session in whose log or transcript it stands is the one.
//! 2. Codex sends the ids of its thread and session, which are those of its file.
//! 3. Else it is the newest session that was recorded in a folder of the client, as it names them, or in the folder that
//!    this server was started in.

use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use strata_app::report::{KnownPlace, KnownSession, KnownSessions, session_with_call};

use crate::answer::Refusal;
use crate::asked::{Caller, Stop};

/// Sessions that were written to longer ago than this are not running.
const RUNNING_MS: i64 = 15 * 60 * 1000;
/// Files whose ends are looked at for an id.
const LOOKED_AT: usize = 40;
/// Files whose folders are looked at.
const FOLDERS_OF: usize = 200;
/// How often it is looked, with which pause: a client may write a call down after it has made it, and what is caught of it
/// is stored a little later.
const TRIES: u32 = 8;
const PAUSE: Duration = Duration::from_millis(200);
/// A client is being caught while its log grows: it was written to within this time.
const CAUGHT_MS: i64 = 30 * 1000;

/// A session with how it was chosen.
pub(crate) struct Chosen {
    pub session: KnownSession,
    /// The session of a file with several.
    pub within: Option<String>,
    pub rule: String,
}

/// Finds the session of whoever asks.
pub(crate) fn own(knows: &KnownSessions, caller: &Caller, stop: &Stop) -> Result<Chosen, Refusal> {
    let chosen = match &caller.tool_use {
        Some(id) => of_tool_use(knows, id, stop)?,
        None => None,
    };
    let sessions = knows.all()?;
    chosen
        .or_else(|| of_ids(&sessions, &caller.sessions))
        .or_else(|| of_folders(knows, &sessions, &caller.folders, "a folder of this client"))
        .or_else(|| of_folders(knows, &sessions, &working_folder(), "the folder this server was started in"))
        .ok_or_else(|| {
            Refusal(
                "Your own session was not found: no id that you sent is known, and no session was recorded in your \
                 folder. Call `sessions` and name one with `session`."
                    .to_owned(),
            )
        })
}

fn of_tool_use(knows: &KnownSessions, id: &str, stop: &Stop) -> Result<Option<Chosen>, Refusal> {
    for attempt in 1..=TRIES {
        let now = now_ms();
        let since = now.saturating_sub(RUNNING_MS);
        let sessions = knows.all()?.into_iter().filter(|session| session.last_ms >= Some(since));
        let (captured, written): (Vec<KnownSession>, Vec<KnownSession>) =
            sessions.partition(|session| session.place == KnownPlace::Capture);
        // What was really sent says more than what its client wrote down of it.
        if let Some(found) = holding(knows, &captured, id, stop)? {
            return Ok(Some(found));
        }
        let is_caught = captured.iter().any(|log| log.last_ms >= Some(now.saturating_sub(CAUGHT_MS)));
        let found = holding(knows, &written, id, stop)?;
        if attempt == TRIES || (found.is_some() && !is_caught) {
            return Ok(found);
        }
        sleep(PAUSE);
    }
    Ok(None)
}

/// The session that a tool was called in by this id.
fn holding(
    knows: &KnownSessions,
    sessions: &[KnownSession],
    id: &str,
    stop: &Stop,
) -> Result<Option<Chosen>, Refusal> {
    let since = now_ms().saturating_sub(RUNNING_MS);
    for session in sessions.iter().take(LOOKED_AT) {
        if !session.was_told(id, since) {
            continue;
        }
        // The words may be quoted elsewhere, and the answer that made the call may not be whole yet.
        if let Some(within) = session_with_call(&knows.source(session), id, stop)? {
            return Ok(Some(Chosen {
                session: knows.told(session.clone()),
                within: Some(within),
                rule: "it holds the id of this very tool call".to_owned(),
            }));
        }
    }
    Ok(None)
}

fn of_ids(sessions: &[KnownSession], ids: &[String]) -> Option<Chosen> {
    let (id, session) = ids.iter().find_map(|id| {
        // Codex puts the id behind the time in the name of its file.
        let is_called =
            |session: &&KnownSession| session.is_called(id) || session.id.ends_with(&format!("-{id}"));
        Some((id, sessions.iter().find(is_called)?))
    })?;
    Some(Chosen {
        session: session.clone(),
        within: None,
        rule: format!("it has the id {id}, which you sent along"),
    })
}

fn of_folders(
    knows: &KnownSessions,
    sessions: &[KnownSession],
    folders: &[String],
    whose: &str,
) -> Option<Chosen> {
    if folders.is_empty() {
        return None;
    }
    let mains = sessions.iter().filter(|session| session.parent.is_none()).take(FOLDERS_OF);
    let mut told = mains.map(|session| knows.told(session.clone()));
    let is_there = |session: &KnownSession| {
        let recorded = session.folder.as_deref().map(|folder| folder.trim_end_matches('/'));
        folders.iter().any(|folder| recorded == Some(folder.trim_end_matches('/')))
    };
    let session = told.find(is_there)?;
    let folder = session.folder.clone().unwrap_or_default();
    let rule = format!("it is the newest one that was recorded in {whose}, {folder}");
    Some(Chosen { session, within: None, rule })
}

fn working_folder() -> Vec<String> {
    let folder = std::env::current_dir().ok().filter(|folder| folder.parent().is_some());
    folder.as_deref().map(Path::display).map(|folder| folder.to_string()).into_iter().collect()
}

pub(crate) fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
