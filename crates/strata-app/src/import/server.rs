//! Databases of google-adk on servers, session by session.

use std::path::Path;

use strata_database::{ConnectError, DatabaseAddress, Server};
use strata_import::{AdkSessions, ListedSession};

use super::read::ReadFile;
use super::stamp::Stamp;
use crate::show::words::counted;
use crate::watch::{Step, Watch};

/// Tables that a message names at most.
const MAX_NAMED: usize = 8;

/// What came of reading a database.
pub(super) enum ServerEnd {
    Whole {
        n_sessions: usize,
        /// Those in which nothing was said yet.
        n_empty: usize,
    },
    Stopped,
    /// Why not all of it was read, in words.
    Failed(String),
}

/// A session of a database on a server.
pub(super) struct ServerSession {
    /// Of the session, in the database: what it is known by.
    pub location: String,
    /// When it was written to last, as far as its database says: epoch milliseconds.
    pub modified_ms: Option<i64>,
}

/// What is to be done about a session.
pub(super) enum Wanted {
    Read,
    /// It is stored as it is.
    Known,
    Stop,
}

/// Reads the sessions of a database one after the other: the list of all, then each that `wanted` asks for, which `take`
/// is given. One session is in memory at a time.
pub(super) fn read_server<T>(
    address: &DatabaseAddress,
    state: &mut T,
    wanted: impl Fn(&mut T, &ServerSession) -> Wanted,
    take: impl Fn(&mut T, &ServerSession, ReadFile),
    watch: &dyn Watch,
) -> ServerEnd {
    watch.begins(Step::Reading(Path::new(address.shown())));
    let mut server = match Server::connect(address, watch.stop()) {
        Ok(server) => server,
        Err(ConnectError::Stopped) => return ServerEnd::Stopped,
        Err(ConnectError::Refused(why)) => return ServerEnd::Failed(why),
    };
    let names: Vec<String> = server.table_names().map(str::to_owned).collect();
    let mut sessions = match AdkSessions::of(&mut server) {
        Ok(Some(sessions)) => sessions,
        Ok(None) => return ServerEnd::Failed(no_tables(&names)),
        Err(error) => return failed(error.to_string(), watch),
    };
    let listed = match sessions.list() {
        Ok(listed) => listed,
        Err(error) => return failed(error.to_string(), watch),
    };
    let mut n_empty = 0;
    for (at, one) in listed.iter().enumerate() {
        watch.progress(at as u64, listed.len() as u64);
        let session = ServerSession {
            location: location(address, one),
            modified_ms: one.update_time.map(|seconds| (seconds * 1000.0) as i64),
        };
        match wanted(state, &session) {
            Wanted::Stop => return ServerEnd::Stopped,
            Wanted::Known => continue,
            Wanted::Read => {}
        }
        let rows = sessions.read(one);
        if !rows.is_whole {
            let why = rows.import.diagnostics.into_iter().map(|found| found.message).next_back();
            return failed(why.unwrap_or_default(), watch);
        }
        if rows.import.sessions.iter().all(|read| read.session.events.is_empty()) {
            n_empty += 1;
            continue;
        }
        let stamp = Stamp { size_bytes: rows.size_bytes, modified_ms: session.modified_ms };
        let (import, content) = (rows.import, rows.content);
        take(state, &session, ReadFile { file: None, import, stamp, content, is_cut_off: false });
        watch.begins(Step::Reading(Path::new(address.shown())));
    }
    watch.progress(listed.len() as u64, listed.len() as u64);
    ServerEnd::Whole { n_sessions: listed.len(), n_empty }
}

fn failed(why: String, watch: &dyn Watch) -> ServerEnd {
    if watch.is_cancelled() { ServerEnd::Stopped } else { ServerEnd::Failed(why) }
}

/// Where a session is: the database, and what identifies a session in it.
fn location(address: &DatabaseAddress, session: &ListedSession) -> String {
    let encoded = |text: &str| text.replace('%', "%25").replace('/', "%2F");
    let key = [&session.app_name, &session.user_id, &session.id].map(|part| encoded(part));
    format!("{}/{}", address.shown(), key.join("/"))
}

fn no_tables(names: &[String]) -> String {
    let has = match names {
        [] => "it has no tables that this user can see".to_owned(),
        names => {
            let named = names.iter().take(MAX_NAMED).map(|name| &**name).collect::<Vec<_>>().join(", ");
            let more = if names.len() > MAX_NAMED { ", …" } else { "" };
            format!("it has {} ({named}{more})", counted(names.len(), "table"))
        }
    };
    format!(
        "in this database are no tables of google-adk's DatabaseSessionService; {has}. Look at the name of the database \
         and at its schema, which the address can name by ?options=-csearch_path%3DNAME"
    )
}
