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
/// How often, and after which pause, it is looked again: a client may write a call down after it has made it.
const TRIES: u32 = 4;
const PAUSE: Duration = Duration::from_millis(150);

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
    for attempt in 0..TRIES {
        if attempt > 0 {
            sleep(PAUSE);
        }
        let since = now_ms().saturating_sub(RUNNING_MS);
        let running: Vec<KnownSession> =
            knows.all()?.into_iter().filter(|session| session.last_ms >= Some(since)).collect();
        // What was really sent says more than what its client wrote down of it.
        let captured = running.iter().filter(|session| session.place == KnownPlace::Capture);
        let written = running.iter().filter(|session| session.place == KnownPlace::Client);
        for session in captured.chain(written).take(LOOKED_AT) {
            if !session.was_told(id, since) {
                continue;
            }
            let found = session_with_call(&knows.source(session), id, stop)?;
            if found.is_none() && session.place == KnownPlace::Capture {
                // The log has several sessions, or the answer that made the call is not whole yet.
                continue;
            }
            return Ok(Some(Chosen {
                session: knows.told(session.clone()),
                within: found,
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
