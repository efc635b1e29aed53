//! Sessions of databases on servers, from their address to the store.

use std::fs;
use std::path::{Path, PathBuf};

use strata_app::report::{ImportReport, Source, import, show};
use strata_app::{AppError, ErrorCode};
use strata_testkit::database_server::{
    DATABASE, DatabaseServer, MYSQL_V1, PASSWORD, POSTGRES_V0, POSTGRES_V1, USER,
};

use crate::watch::Nobody;

fn imported(address: &str, store: &Path) -> Result<ImportReport, AppError> {
    import(&[PathBuf::from(address)], Some(store), false, &Nobody::new())
}

fn json(report: &ImportReport) -> String {
    serde_json::to_string(report).unwrap()
}

/// Whether any file below a folder holds a text, as it is.
fn holds(folder: &Path, text: &str) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let bytes = fs::read(entry.unwrap().path()).unwrap();
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    })
}

/// The same sessions, whatever keeps them: written to, read again, and told without a password.
#[track_caller]
fn check(server: &DatabaseServer) {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("strata.db");
    let first = imported(&server.address(), &store).unwrap();
    let told: Vec<(&str, u64, u64)> =
        first.sessions.iter().map(|it| (&*it.title, it.events, it.calls)).collect();
    assert_eq!(told, [("Weather in Oslo? æøå 🌦", 4, 2); 2]);
    assert_eq!(first.sessions[0].source, format!("{}/weather/ann/s-ann", server.shown()));
    assert_eq!((first.unchanged, first.paths_without_session), (0, 0));
    let codes: Vec<_> = first.diagnostics.iter().map(|found| (&*found.code, &*found.message)).collect();
    assert_eq!(codes, [("empty-sessions", "1 of its 3 sessions hold no word yet and were left out.")]);
    // Nothing was written since.
    let second = imported(&server.address(), &store).unwrap();
    assert_eq!((second.sessions.len(), second.unchanged), (2, 2));
    // One session goes on.
    server.run(
        "UPDATE sessions SET update_time = '2025-11-24 17:00:00' WHERE id = 's-bob'; \
         DELETE FROM events WHERE id = 'bob-e4'",
    );
    let third = imported(&server.address(), &store).unwrap();
    let events: Vec<(u64, &str)> = third.sessions.iter().map(|it| (it.events, &*it.source)).collect();
    assert_eq!((third.unchanged, events[1].0), (1, 3), "{events:?}");
    // By another user and way in, it is the same database.
    for report in [&first, &second, &third] {
        assert!(!json(report).contains(PASSWORD));
    }
    let id = &third.sessions[0].id;
    let source = Source { name: id.clone(), database: Some(store), ..Source::default() };
    let shown = serde_json::to_string(&show(&source, &Nobody::new()).unwrap()).unwrap();
    assert!(shown.contains("weather/ann/s-ann") && !shown.contains(PASSWORD), "{shown}");
    assert!(!holds(folder.path(), PASSWORD));
}

#[test]
fn postgresql_is_imported_by_its_address() {
    let Some(server) = DatabaseServer::postgres(&[]) else { return };
    server.run(POSTGRES_V1);
    check(&server);
}

#[test]
fn mysql_is_imported_by_its_address() {
    let Some(server) = DatabaseServer::mysql() else { return };
    server.run(MYSQL_V1);
    check(&server);
}

#[test]
fn pickles_are_imported_by_their_address() {
    let Some(server) = DatabaseServer::postgres(&[]) else { return };
    server.run(POSTGRES_V0);
    check(&server);
}

#[test]
fn what_cannot_be_read_is_said_without_the_password() {
    let Some(server) = DatabaseServer::postgres(&[]) else { return };
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("strata.db");
    let wrong = "Wr0ng-word";
    for (address, expected) in [
        (server.address_of(USER, wrong, DATABASE), "lets nobody in with this user and password"),
        (server.address_of(USER, PASSWORD, "elsewhere"), "no such database on this server"),
        (server.address(), "no tables of google-adk's DatabaseSessionService; it has no tables"),
    ] {
        let report = imported(&address, &store).unwrap();
        let said = json(&report);
        assert!(said.contains(expected), "{said}");
        assert!(!said.contains(PASSWORD) && !said.contains(wrong), "{said}");
        assert_eq!(report.paths_without_session, 1);
    }
    server.run("CREATE TABLE orders (id int)");
    let said = json(&imported(&server.address(), &store).unwrap());
    assert!(said.contains("it has 1 table (orders)"), "{said}");
    assert!(!holds(folder.path(), PASSWORD) && !holds(folder.path(), wrong));
}

#[test]
fn an_address_is_refused_without_being_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("strata.db");
    let address = format!("postgresql://ann:{PASSWORD}@db.example");
    let error = imported(&address, &store).unwrap_err();
    assert_eq!(error.code, ErrorCode::BadInput);
    assert!(error.message.contains("it names no database") && !error.message.contains(PASSWORD));
    let address = format!("{address}/adk");
    // What is on a server is not followed, and no session to look at.
    let paths = [PathBuf::from(&address)];
    let error = import(&paths, Some(&store), true, &Nobody::new()).unwrap_err();
    assert!(error.message.starts_with("postgresql://db.example/adk is on a server"), "{}", error.message);
    let source = Source { name: address, ..Source::default() };
    let error = show(&source, &Nobody::new()).unwrap_err();
    assert!(error.message.starts_with("postgresql://db.example/adk is a database"), "{}", error.message);
    assert!(!store.exists());
}
