//! The store through its public interface. Each file has one subject.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says where")]

mod concurrency;
mod configs;
mod contexts;
mod damage;
mod experiments;
mod formats;
mod growing;
mod importing;
mod opening;
mod property;
mod reading;
mod remembering;
mod requests;
mod round_trip;
mod runs;
mod search;
mod secrets;
mod services;
mod sizes;
mod versions;

use std::path::{Path, PathBuf};

use strata_model::{Decoder, Fingerprint, Json, Session, json};
use strata_store::{
    ImportWriter, ImportedSession, Listing, NewEvent, RawRecord, RecordPlace, SessionId, Source, Store,
};
use tempfile::TempDir;

/// A folder of its own with the path of a database in it.
struct Place {
    folder: TempDir,
    path: PathBuf,
}

impl Place {
    /// In memory where the system has such a place: what is tested does not depend on waiting for a disk.
    fn new() -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let path = folder.path().join("strata.db");
        Self { folder, path }
    }

    fn open(&self) -> Store {
        Store::open(&self.path).unwrap()
    }

    /// The database without the store in between, to look behind it.
    fn bare(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(&self.path).unwrap()
    }

    /// Puts other texts in the place of all packed events.
    fn replace_packs(&self, texts: &[&str]) {
        let all = self.bare();
        all.execute("DELETE FROM event_packs WHERE rowid > 1", []).unwrap();
        let length: usize = texts.iter().map(|text| text.len() + 4).sum();
        let (n, length, packed) = (texts.len() as i64, length as i64, packed(texts));
        all.execute(
            "UPDATE event_packs SET last = ?1, count = ?2, length = ?3, packed = ?4",
            (n - 1, n, length, packed),
        )
        .unwrap();
    }

    /// What each table holds of recordings, and how many recordings there are.
    fn stored_rows(&self) -> [i64; 8] {
        let connection = self.bare();
        let tables = [
            ("count(*)", "recordings"),
            ("count(*)", "events"),
            ("coalesce(sum(count), 0)", "event_packs"),
            ("coalesce(sum(count), 0)", "source_packs"),
            ("count(*)", "states"),
            ("count(*)", "requests"),
            ("coalesce(sum(count), 0)", "request_packs"),
            ("count(*)", "search"),
        ];
        tables.map(|(n, table)| {
            connection.query_row(&format!("SELECT {n} FROM {table}"), [], |row| row.get(0)).unwrap()
        })
    }
}

/// Texts as they are packed together.
fn packed(texts: &[&str]) -> Vec<u8> {
    let lengths = texts.iter().flat_map(|text| (text.len() as u32).to_le_bytes());
    let pack: Vec<u8> = lengths.chain(texts.concat().into_bytes()).collect();
    let mut packer = zstd::bulk::Compressor::new(1).unwrap();
    packer.include_checksum(true).unwrap();
    packer.compress(&pack).unwrap()
}

fn source(location: &str) -> Source {
    Source {
        location: location.into(),
        format: "ADK session".into(),
        size_bytes: 1_000,
        modified_ms: Some(1_700_000_000_000),
        content: Some(Fingerprint::of(location.as_bytes())),
        imported_at_ms: 1_700_000_100_000,
    }
}

fn listing(title: &str) -> Listing {
    Listing { title: title.into(), format: "ADK session".into(), summary: Json::Null, app_config: None }
}

fn session_from(text: &str) -> Session {
    let value = json::parse(text.as_bytes()).unwrap();
    Session::from_json(value, &mut Decoder::new())
}

/// A session whose events say these texts, which are written as in JSON.
fn session_of(texts: impl IntoIterator<Item = String>) -> Session {
    let mut session = session("s", 0, "");
    let mut decoder = Decoder::new();
    for (at, text) in texts.into_iter().enumerate() {
        let event = format!(
            r#"{{"id":"e{at}","invocationId":"i{}","author":"user","content":{{"parts":[{{"text":"{text}"}}],"role":"user"}},"timestamp":{at}.25}}"#,
            at / 4
        );
        session.push_event(at, json::parse(event.as_bytes()).unwrap(), &mut decoder);
    }
    session
}

/// A session with this many events, and a text that tells it from others.
fn session(adk_id: &str, n_events: usize, text: &str) -> Session {
    let mut session = session_from(&format!(
        r#"{{"id":"{adk_id}","appName":"app","userId":"ada","state":{{"n":{n_events},"user:name":"Ada","app:hits":1}},"lastUpdateTime":1700000000.5,"later":[1]}}"#
    ));
    let mut decoder = Decoder::new();
    for at in 0..n_events {
        let event = format!(
            r#"{{"id":"{adk_id}-{at}","invocationId":"i{}","author":"{}","content":{{"parts":[{{"text":"{text} {at}"}}],"role":"user"}},"timestamp":{at}.25}}"#,
            at / 4,
            if at % 4 == 0 { "user" } else { "planner" },
        );
        session.push_event(at, json::parse(event.as_bytes()).unwrap(), &mut decoder);
    }
    assert_eq!(decoder.take_diagnostics(), []);
    session
}

/// The events of a session, read from nowhere.
fn events(session: &Session) -> Vec<NewEvent<'_>> {
    session.events.iter().map(|event| NewEvent { event, records: Vec::new() }).collect()
}

fn span(from: u64, to: u64, bytes: Option<&[u8]>) -> RawRecord<'_> {
    RawRecord { place: RecordPlace::Bytes(from..to), bytes }
}

fn stage(import: &mut ImportWriter<'_>, session: &Session, listing: Listing) {
    import.add_session(session, &events(session), listing).unwrap();
}

fn import(store: &mut Store, source: Source, sessions: &[Session]) -> Vec<ImportedSession> {
    let mut import = store.begin_import(source).unwrap();
    for session in sessions {
        stage(&mut import, session, listing(&format!("Session {}", session.id)));
    }
    import.commit(&[]).unwrap()
}

fn import_one(store: &mut Store, location: &str, session: &Session) -> SessionId {
    import(store, source(location), std::slice::from_ref(session)).remove(0).id
}

fn titles(store: &Store, filter: &str) -> Vec<String> {
    let list = store.sessions(filter, 0..u32::MAX).unwrap();
    assert_eq!(list.total as usize, list.entries.len());
    list.entries.into_iter().map(|entry| entry.title).collect()
}

fn text(session: &Session) -> String {
    json::to_compact(&session.to_json())
}

fn is_running_as_root(folder: &Path) -> bool {
    std::fs::write(folder.join("probe"), "").is_ok()
}
