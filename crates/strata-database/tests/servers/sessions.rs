//! What is in the database of a server, as it is read from there.

use std::collections::BTreeMap;

use strata_database::{ConnectError, DatabaseAddress, Server};
use strata_import::{AdkSessions, ImportedSession, ListedSession};
use strata_model::{FromJson as _, Session, json};
use tokio_util::sync::CancellationToken;

pub(crate) fn connect(address: &str) -> Result<Server, ConnectError> {
    Server::connect(&DatabaseAddress::parse(address).unwrap(), &CancellationToken::new())
}

/// Why there is no connection.
pub(crate) fn refused(address: &str) -> String {
    connect(address).err().map(|error| error.to_string()).expect("it is refused")
}

/// Sessions by their ids, and how many there are.
pub(crate) fn sessions(server: &mut Server) -> (BTreeMap<String, ImportedSession>, usize) {
    let mut database = AdkSessions::of(server).unwrap().expect("tables of google-adk");
    let listed: Vec<ListedSession> = database.list().unwrap();
    let mut sessions = BTreeMap::new();
    for one in &listed {
        let rows = database.read(one);
        assert!(rows.is_whole);
        for session in rows.import.sessions {
            assert_eq!(session.session.id, one.id);
            sessions.insert(one.id.to_string(), session);
        }
    }
    (sessions, listed.len())
}

/// Everything of a session but how its service wrote it down.
pub(crate) fn told(session: &Session) -> String {
    json::to_pretty(&session.to_json())
}

/// The sessions that the files of tables hold.
#[track_caller]
pub(crate) fn check_weather(server: &mut Server, has_model: bool) {
    let (sessions, n_listed) = sessions(server);
    assert_eq!(n_listed, 3);
    let events: Vec<(&str, usize)> =
        sessions.iter().map(|(id, session)| (&**id, session.session.events.len())).collect();
    assert_eq!(events, [("s-ann", 4), ("s-bob", 4), ("s-empty", 0)]);
    let ann = &sessions["s-ann"];
    assert_eq!(ann.title, "Weather in Oslo? æøå 🌦");
    let session = &ann.session;
    assert_eq!((&*session.app_name, &*session.user_id), ("weather", "ann"));
    let state: Vec<(&str, String)> =
        session.state.iter().map(|(key, value)| (&**key, json::to_compact(value))).collect();
    let expected =
        [("app:unit", "\"C\""), ("user:home", "\"Oslo\""), ("user:last", "\"Oslo\""), ("turn", "1")];
    for (key, value) in expected {
        assert!(state.contains(&(key, value.to_owned())), "{state:?}");
    }
    assert_eq!(
        session.events.iter().map(|event| &*event.id).collect::<Vec<_>>(),
        ["ann-e1", "ann-e2", "ann-e3", "ann-e4"]
    );
    let times: Vec<f64> = session.events.iter().map(|event| event.timestamp).collect();
    assert_eq!(times, [1_764_000_001.25, 1_764_000_002.25, 1_764_000_003.25, 1_764_000_004.25]);
    assert_eq!(session.last_update_time.to_bits(), 1_764_000_004.25_f64.to_bits());
    let call = json::to_compact(&session.events[1].to_json());
    assert!(call.contains("\"cachedContentTokenCount\":64") && call.contains("\"city\":\"Oslo\""), "{call}");
    let delta = json::to_compact(&session.events[2].actions.to_json());
    assert!(delta.contains("\"turn\":1") && delta.contains("\"user:last\":\"Oslo\""), "{delta}");
    assert_eq!(session.events[1].model_version.is_some(), has_model);
}
