//! MySQL and MariaDB.

use strata_import::{KeyedTables as _, TableSource as _};
use strata_testkit::database_server::{DATABASE, DatabaseServer, MYSQL_V0, MYSQL_V1, PASSWORD, USER};

use crate::sessions::{check_weather, connect, refused};

#[test]
fn sessions_of_both_schemas_are_read() {
    let Some(server) = DatabaseServer::mysql() else { return };
    server.run(MYSQL_V1);
    check_weather(&mut connect(&server.address()).unwrap(), true);
    check_weather(&mut connect(&server.socket_address()).unwrap(), true);
    server.run(&format!("DROP DATABASE {DATABASE}; CREATE DATABASE {DATABASE} CHARACTER SET utf8mb4"));
    server.run(MYSQL_V0);
    check_weather(&mut connect(&server.address()).unwrap(), false);
}

#[test]
fn a_connection_cannot_write() {
    let Some(server) = DatabaseServer::mysql() else { return };
    server.run(MYSQL_V1);
    let transactions = "SELECT trx_is_read_only, trx_isolation_level FROM information_schema.innodb_trx";
    let mut connection = connect(&server.address()).unwrap();
    connection.rows("events", &["id"], &["id"], &mut |_| ()).unwrap();
    // The server keeps that table for a tenth of a second as it was.
    let told = (0..100).map(|_| server.run(transactions)).find(|told| !told.is_empty());
    assert_eq!(told.as_deref(), Some("1\tREPEATABLE READ\n"));
    // And it is of one moment.
    server.run("DELETE FROM events");
    let mut n_events = 0;
    connection.rows("events", &["id"], &["id"], &mut |_| n_events += 1).unwrap();
    assert_eq!(n_events, 8);
}

#[test]
fn large_texts_come_whole() {
    let Some(server) = DatabaseServer::mysql() else { return };
    server.run(MYSQL_V1);
    // Larger than what a server casts in one piece, by its own default.
    server.run("SET GLOBAL max_allowed_packet = 67108864");
    server.run("UPDATE sessions SET state = CONCAT('{\"long\": \"', REPEAT('x', 20000000), '\"}') WHERE id = 's-ann'");
    let mut connection = connect(&server.address()).unwrap();
    let mut length = 0;
    let only = [("id", "s-ann")];
    connection
        .rows_of("sessions", &["state"], &only, &["app_name"], &mut |row| {
            length = format!("{:?}", row[0]).len();
        })
        .unwrap();
    assert!(length > 20_000_000, "{length}");
}

#[test]
fn refusals_say_what_to_do_and_keep_the_password() {
    let Some(server) = DatabaseServer::mysql() else { return };
    let wrong = "Wr0ng-word";
    for (address, expected) in [
        (server.address_of(USER, wrong, DATABASE), "lets nobody in with this user and password"),
        (server.address_of(USER, PASSWORD, "elsewhere"), "there is no such database"),
        (format!("{}?ssl_mode=REQUIRED", server.address()), "no connection with TLS could be made"),
    ] {
        let said = refused(&address);
        assert!(said.contains(expected), "{said}");
        assert!(!said.contains(PASSWORD) && !said.contains(wrong), "{said}");
    }
}
