//! What the killed process does, and what that makes of the file.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::str::FromStr;

use strata_model::{Decoder, Event, Fingerprint, Json, Session, json};
use strata_store::{
    Growth, ImportWriter, Listing, NewEvent, RawRecord, RecordPlace, SessionEntry, Source, Store,
};
use strata_testkit::Seeded;

/// Events of one transaction, small to have many moments between them.
const BATCH: usize = 8;

/// What sources are said to hold: it is not compared with anything here.
const CONTENT: Fingerprint = Fingerprint(7);

/// Source and place in it to revision and number of events.
pub(crate) type Contents = BTreeMap<(u64, u64), (u64, u64)>;

#[derive(Debug, Clone)]
pub(crate) enum Step {
    Import {
        from: u64,
        revision: u64,
        n_sessions: u64,
        n_events: u64,
    },
    Cancel {
        from: u64,
        n_events: u64,
    },
    /// The first session of a source goes on.
    Grow {
        from: u64,
        more: u64,
    },
    Delete {
        from: u64,
        nth: u64,
    },
    Reopen,
}

impl Step {
    pub(crate) fn random(random: &mut Seeded) -> Self {
        let (kind, from, n_events) = (random.next_u64() % 14, random.next_u64() % 4, random.next_u64() % 90);
        match kind {
            0..6 => Self::Import {
                from,
                revision: random.next_u64() % 1_000,
                n_sessions: 1 + random.next_u64() % 3,
                n_events,
            },
            6 => Self::Cancel { from, n_events },
            7..11 => Self::Grow { from, more: 1 + n_events },
            11 | 12 => Self::Delete { from, nth: random.next_u64() % 3 },
            _ => Self::Reopen,
        }
    }

    pub(crate) fn take(&self, store: &mut Store) {
        match *self {
            Self::Import { from, revision, n_sessions, n_events } => {
                let mut import = store.begin_import(source(from)).unwrap();
                for nth in 0..n_sessions {
                    add_session(&mut import, from, revision, nth, n_events);
                }
                import.commit(&[]).unwrap();
            }
            Self::Cancel { from, n_events } => {
                let mut import = store.begin_import(source(from)).unwrap();
                add_session(&mut import, from, 9_999, 0, n_events);
                import.cancel().unwrap();
            }
            Self::Grow { from, more } => {
                if let Some(entry) = entry(store, from, 0) {
                    grow(store, &entry, from, more);
                }
            }
            Self::Delete { from, nth } => {
                if let Some(entry) = entry(store, from, nth) {
                    assert!(store.delete_session(&entry.id).unwrap());
                }
            }
            Self::Reopen => {
                let path = store.path().unwrap().to_owned();
                *store = Store::open(&path).unwrap();
            }
        }
    }

    /// What the step makes of the contents.
    pub(crate) fn apply(&self, contents: &mut Contents) {
        match *self {
            Self::Import { from, revision, n_sessions, n_events } => {
                for nth in 0..n_sessions {
                    contents.insert((from, nth), (revision, n_events));
                }
            }
            Self::Grow { from, more } => {
                if let Some((_, n_events)) = contents.get_mut(&(from, 0)) {
                    *n_events += more;
                }
            }
            Self::Delete { from, nth } => {
                contents.remove(&(from, nth));
            }
            Self::Cancel { .. } | Self::Reopen => {}
        }
    }
}

impl FromStr for Step {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        let mut words = text.split(' ');
        let kind = words.next().unwrap();
        let mut number = || words.next().unwrap().parse().unwrap();
        Ok(match kind {
            "import" => {
                Self::Import { from: number(), revision: number(), n_sessions: number(), n_events: number() }
            }
            "cancel" => Self::Cancel { from: number(), n_events: number() },
            "grow" => Self::Grow { from: number(), more: number() },
            "delete" => Self::Delete { from: number(), nth: number() },
            _ => Self::Reopen,
        })
    }
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Import { from, revision, n_sessions, n_events } => {
                write!(f, "import {from} {revision} {n_sessions} {n_events}")
            }
            Self::Cancel { from, n_events } => write!(f, "cancel {from} {n_events}"),
            Self::Grow { from, more } => write!(f, "grow {from} {more}"),
            Self::Delete { from, nth } => write!(f, "delete {from} {nth}"),
            Self::Reopen => write!(f, "reopen"),
        }
    }
}

pub(crate) fn key(entry: &SessionEntry) -> (u64, u64) {
    (entry.location.parse().unwrap(), entry.adk_id.parse().unwrap())
}

fn entry(store: &Store, from: u64, nth: u64) -> Option<SessionEntry> {
    let entries = store.sessions("", 0..u32::MAX).unwrap().entries;
    entries.into_iter().find(|entry| key(entry) == (from, nth))
}

/// Writes so many events behind those of a session; all of it once more where it cannot go on, since another session of
/// its source was deleted.
fn grow(store: &mut Store, entry: &SessionEntry, from: u64, more: u64) {
    let (revision, kept) = (entry.title.parse().unwrap(), u64::from(entry.n_events));
    let session = session(from, revision, 0, kept + more);
    let growth = Growth {
        id: entry.id.clone(),
        kept: entry.n_events,
        events: session.events[kept as usize..].iter().map(|event| new_event(event)).collect(),
        kept_requests: 0,
        requests: Vec::new(),
        session: &session,
        keeps_state: false,
        listing: listing(revision),
    };
    if !store.append(&source(from), CONTENT, &[growth], &[]).unwrap() {
        let mut import = store.begin_import(source(from)).unwrap();
        add_session(&mut import, from, revision, 0, kept + more);
        import.commit(&[]).unwrap();
    }
}

fn new_event(event: &Event) -> NewEvent<'_> {
    let bytes = Some(&b"a record that all events were read from"[..]);
    NewEvent { event, records: vec![RawRecord { place: RecordPlace::Bytes(0..39), bytes }] }
}

fn listing(revision: u64) -> Listing {
    Listing { title: revision.to_string(), format: "x".into(), summary: Json::Null, app_config: None }
}

fn add_session(import: &mut ImportWriter<'_>, from: u64, revision: u64, nth: u64, n_events: u64) {
    let session = session(from, revision, nth, n_events);
    let mut recording = import.open_recording().unwrap();
    for batch in session.events.chunks(BATCH) {
        let batch: Vec<_> = batch.iter().map(|event| new_event(event)).collect();
        import.append(&mut recording, &batch).unwrap();
    }
    import.close_recording(recording, &session, listing(revision)).unwrap();
}

/// The one session with this revision and so many events, the same in both processes.
pub(crate) fn session(from: u64, revision: u64, nth: u64, n_events: u64) -> Session {
    let mut decoder = Decoder::new();
    let head = format!(r#"{{"id":"{nth}","state":{{"revision":{revision}}}}}"#);
    let mut session = Session::from_json(json::parse(head.as_bytes()).unwrap(), &mut decoder);
    for at in 0..n_events {
        let filler = "words and ".repeat((at % 50) as usize);
        let event = format!(
            r#"{{"id":"{at}","author":"user","content":{{"parts":[{{"text":"{filler} {from} {revision}"}}]}}}}"#
        );
        session.push_event(at as usize, json::parse(event.as_bytes()).unwrap(), &mut decoder);
    }
    session
}

fn source(from: u64) -> Source {
    Source {
        location: from.to_string(),
        format: "x".into(),
        size_bytes: 0,
        modified_ms: None,
        content: Some(CONTENT),
        imported_at_ms: 0,
    }
}
