//! Sessions and traces of a server of ADK, asked for again and again while they grow. Only `GET` is sent, and no `Origin`, which
//! the server would refuse.
//!
//! Each session becomes two files, in the shape the server gave it: the session, and its trace where the server keeps one.

mod files;
mod server;

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use strata_model::{Json, json};
use tokio_util::sync::CancellationToken;

use files::Files;
pub use server::AdkError;
use server::{Answer, Server};

/// How often sessions are listed.
const POLL: Duration = Duration::from_secs(1);

/// Spans of a call end after its event: a session is asked for on until nothing of it changed for so long.
const SETTLES: Duration = Duration::from_secs(5);

/// What to ask, and where to write it.
#[derive(Debug, Clone)]
pub struct AdkOptions {
    /// Where the server is: `http://127.0.0.1:8000`.
    pub url: String,
    /// Hosts besides this computer that may be asked.
    pub hosts: Vec<String>,
    /// Whose sessions: a server does not list its users.
    pub users: Vec<String>,
    /// A folder that is there.
    pub folder: PathBuf,
}

/// Something that was found out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdkUpdate {
    /// A session has grown, and is written.
    Grown { app: String, user: String, session: String, n_events: usize, n_spans: usize },
    /// What cannot be had just now; it is tried again.
    Problem(String),
    /// The server answers again.
    Back,
    /// The server has no traces: requests cannot be seen.
    NoTraces,
}

/// A session as it was had last.
#[derive(Debug)]
struct Known {
    number: usize,
    /// When the server says it was changed.
    updated: String,
    n_events: usize,
    /// Spans by their ids: a server that was started anew has forgotten those of before.
    spans: Vec<Json>,
    changed: Instant,
}

/// Asks until `stop`.
pub async fn attach(
    options: &AdkOptions,
    stop: &CancellationToken,
    mut tell: impl FnMut(AdkUpdate),
) -> Result<(), AdkError> {
    let mut attached = Attached {
        server: Server::new(&options.url, &options.hosts)?,
        users: &options.users,
        files: Files { folder: options.folder.clone() },
        known: BTreeMap::new(),
        problem: None,
        is_told_of_traces: false,
    };
    loop {
        tokio::select! {
            () = stop.cancelled() => return Ok(()),
            () = attached.look(&mut tell) => {}
        }
        tokio::select! {
            () = stop.cancelled() => return Ok(()),
            () = tokio::time::sleep(POLL) => {}
        }
    }
}

struct Attached<'o> {
    server: Server,
    users: &'o [String],
    files: Files,
    /// By app, user and id.
    known: BTreeMap<[String; 3], Known>,
    /// What was told last, and still is so.
    problem: Option<String>,
    is_told_of_traces: bool,
}

impl Attached<'_> {
    async fn look(&mut self, tell: &mut impl FnMut(AdkUpdate)) {
        match self.sessions(tell).await {
            Ok(()) => {
                if self.problem.take().is_some() {
                    tell(AdkUpdate::Back);
                }
            }
            Err(problem) => {
                if self.problem.as_ref() != Some(&problem) {
                    self.problem = Some(problem.clone());
                    tell(AdkUpdate::Problem(problem));
                }
            }
        }
    }

    async fn sessions(&mut self, tell: &mut impl FnMut(AdkUpdate)) -> Result<(), String> {
        let apps = self.server.list("/list-apps").await?;
        for app in apps.iter().filter_map(Json::as_str) {
            for user in self.users {
                let listed =
                    self.server.list(&format!("/apps/{}/users/{}/sessions", path(app), path(user))).await?;
                for session in &listed {
                    let Some(id) = session.get("id").and_then(Json::as_str) else { continue };
                    let updated = session.get("lastUpdateTime").or_else(|| session.get("last_update_time"));
                    let updated = updated.map(json::to_compact).unwrap_or_default();
                    let key = [app.to_owned(), user.clone(), id.to_owned()];
                    if self.is_due(&key, &updated) {
                        self.read(key, updated, tell).await?;
                    }
                }
            }
        }
        Ok(())
    }

    fn is_due(&self, key: &[String; 3], updated: &str) -> bool {
        self.known.get(key).is_none_or(|known| known.updated != updated || known.changed.elapsed() < SETTLES)
    }

    /// Reads a session and its trace, and writes what is new.
    async fn read(
        &mut self,
        key: [String; 3],
        updated: String,
        tell: &mut impl FnMut(AdkUpdate),
    ) -> Result<(), String> {
        let [app, user, id] = &key;
        let place = format!("/apps/{}/users/{}/sessions/{}", path(app), path(user), path(id));
        // It may have been deleted since it was listed.
        let Answer::Json(session) = self.server.get(&place).await? else { return Ok(()) };
        let trace = self.server.trace(&path(app), &path(id)).await?;
        if trace.is_none() && !std::mem::replace(&mut self.is_told_of_traces, true) {
            tell(AdkUpdate::NoTraces);
        }
        let n_events = session.get("events").and_then(Json::as_array).map_or(0, <[Json]>::len);
        let number = self.known.len() + 1;
        let known = self.known.entry(key.clone()).or_insert_with(|| Known {
            number,
            updated: String::new(),
            n_events: 0,
            spans: Vec::new(),
            changed: Instant::now(),
        });
        let n_spans = known.spans.len();
        add(&mut known.spans, trace.unwrap_or_default());
        let has_spans = known.spans.len() > n_spans;
        let is_changed = known.updated != updated || known.n_events != n_events;
        let unwritten = |error: io::Error| format!("A session could not be written: {error}");
        if is_changed {
            self.files.write(known.number, id, "session", session).map_err(unwritten)?;
        }
        if has_spans {
            self.files
                .write(known.number, id, "trace", Json::Array(known.spans.clone()))
                .map_err(unwritten)?;
        }
        if is_changed || has_spans {
            (known.updated, known.n_events, known.changed) = (updated, n_events, Instant::now());
            let [app, user, session] = key;
            tell(AdkUpdate::Grown { app, user, session, n_events, n_spans: known.spans.len() });
        }
        Ok(())
    }
}

/// Adds the spans that are not there yet.
fn add(spans: &mut Vec<Json>, trace: Vec<Json>) {
    let id = |span: &Json| {
        ["trace_id", "span_id"].map(|key| span.get(key).map(json::to_compact).unwrap_or_default())
    };
    let known: HashSet<_> = spans.iter().map(id).collect();
    spans.extend(trace.into_iter().filter(|span| !known.contains(&id(span))));
}

/// One part of a path.
fn path(name: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    name.bytes().fold(String::new(), |path, byte| {
        if is_plain(byte) { path + &char::from(byte).to_string() } else { path + &format!("%{byte:02X}") }
    })
}
