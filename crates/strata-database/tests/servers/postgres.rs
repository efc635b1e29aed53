//! PostgreSQL.

use strata_import::{KeyedTables as _, TableSource as _};
use strata_testkit::database_server::{DATABASE, DatabaseServer, PASSWORD, POSTGRES_V0, POSTGRES_V1, USER};

use crate::sessions::{check_weather, connect, refused, sessions, told};

#[test]
fn sessions_are_read_and_nothing_is_written() {
    let Some(server) = DatabaseServer::postgres(&["log_statement=all", "log_min_duration_statement=-1"])
    else {
        return;
    };
    server.run(POSTGRES_V1);
    let before = server.run("SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables");
    let logged = server.log().len();
    check_weather(&mut connect(&server.address()).unwrap(), true);
    check_weather(&mut connect(&server.socket_address()).unwrap(), true);
    let log = server.log()[logged..].to_owned();
    let asked = |word: &str| log.contains(&format!("{word} "));
    assert!(asked("SELECT") && log.contains("REPEATABLE READ, READ ONLY"), "{log}");
    for word in ["INSERT", "UPDATE", "DELETE", "CREATE", "DROP", "ALTER", "LOCK"] {
        assert!(!asked(word), "{word}: {log}");
    }
    assert_eq!(server.run("SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables"), before);
}

#[test]
fn pickled_actions_are_read_as_data() {
    let Some(server) = DatabaseServer::postgres(&[]) else { return };
    server.run(POSTGRES_V0);
    check_weather(&mut connect(&server.address()).unwrap(), false);
}

#[test]
fn a_connection_cannot_write() {
    let Some(server) = DatabaseServer::postgres(&[]) else { return };
    server.run(POSTGRES_V1);
    server.run("CREATE FUNCTION wipe() RETURNS text LANGUAGE plpgsql AS $$ BEGIN DELETE FROM events; RETURN 'x'; END $$");
    // What would write while it is read, as a view may that somebody else made.
    server.run("CREATE VIEW trap AS SELECT wipe() AS id");
    let mut connection = connect(&server.address()).unwrap();
    let error = connection.rows("trap", &["id"], &[], &mut |_| ()).unwrap_err();
    assert!(error.to_string().contains("read-only transaction"), "{error}");
    assert_eq!(server.run("SELECT count(*) FROM events").trim(), "8");
}

#[test]
fn what_is_read_is_of_one_moment() {
    let Some(server) = DatabaseServer::postgres(&[]) else { return };
    server.run(POSTGRES_V1);
    let mut connection = connect(&server.address()).unwrap();
    let (before, _) = sessions(&mut connection);
    server.run("DELETE FROM events WHERE session_id = 's-ann'; DELETE FROM sessions WHERE id = 's-bob'");
    let (still, n_listed) = sessions(&mut connection);
    assert_eq!(n_listed, 3);
    assert_eq!(told(&still["s-ann"].session), told(&before["s-ann"].session));
    let (now, n_listed) = sessions(&mut connect(&server.address()).unwrap());
    assert_eq!((n_listed, now["s-ann"].session.events.len()), (2, 0));
}

#[test]
fn events_come_in_pages_and_in_order() {
    let Some(server) = DatabaseServer::postgres(&[]) else { return };
    server.run(POSTGRES_V1);
    // Two at each time, so that only their ids tell them apart.
    server.run(
        "INSERT INTO sessions VALUES ('weather', 'long', 's-long', '{}', now(), now());
         INSERT INTO events SELECT 'e' || lpad(n::text, 5, '0'), 'weather', 'long', 's-long', 'i', \
         timestamp '2025-01-01' + (n / 2) * interval '1 second', jsonb_build_object('author', 'user', 'content', \
         jsonb_build_object('role', 'user', 'parts', jsonb_build_array(jsonb_build_object('text', 'T' || n)))) \
         FROM generate_series(0, 2499) n",
    );
    let mut connection = connect(&server.address()).unwrap();
    let mut ids = Vec::new();
    let before = connection.n_statements();
    let only = [("app_name", "weather"), ("user_id", "long"), ("session_id", "s-long")];
    let order = ["app_name", "user_id", "session_id", "timestamp", "id"];
    connection
        .rows_of("events", &["id"], &only, &order, &mut |row| ids.push(format!("{:?}", row[0])))
        .unwrap();
    assert_eq!(connection.n_statements() - before, 6, "five pages, and the one that is empty");
    let expected: Vec<String> = (0..2500).map(|n| format!("Text(\"e{n:05}\")")).collect();
    assert_eq!(ids, expected);
    let (sessions, _) = sessions(&mut connection);
    assert_eq!(sessions["s-long"].session.events.len(), 2500);
}

#[test]
fn refusals_say_what_to_do_and_keep_the_password() {
    let Some(server) = DatabaseServer::postgres(&[]) else { return };
    let wrong = "Wr0ng-word";
    let nobody_there = server.address().replace(&format!(":{}/", port(&server.address())), ":1/");
    for (address, expected) in [
        (server.address_of(USER, wrong, DATABASE), "lets nobody in with this user and password"),
        (server.address_of("nobody", PASSWORD, DATABASE), "lets nobody in with this user and password"),
        (server.address_of(USER, PASSWORD, "elsewhere"), "there is no such database"),
        (nobody_there, "no server answers there"),
        (format!("{}?sslmode=require", server.address()), "no connection with TLS could be made"),
    ] {
        let said = refused(&address);
        assert!(said.contains(expected), "{said}");
        assert!(!said.contains(PASSWORD) && !said.contains(wrong), "{said}");
    }
}

fn port(address: &str) -> &str {
    address.rsplit_once(':').and_then(|(_, rest)| rest.split('/').next()).unwrap()
}

#[test]
fn tables_that_may_not_be_read_are_named() {
    let Some(server) = DatabaseServer::postgres(&[]) else { return };
    server.run(POSTGRES_V1);
    server.run("CREATE USER guest PASSWORD 's3cret-word'; GRANT SELECT ON adk_internal_metadata TO guest");
    let mut connection = connect(&server.address_of("guest", PASSWORD, DATABASE)).unwrap();
    let error = connection.rows("sessions", &["id"], &["id"], &mut |_| ()).unwrap_err();
    assert!(error.to_string().contains("permission denied for table sessions"), "{error}");
    assert!(error.to_string().contains("takes SELECT on sessions"), "{error}");
}

#[test]
fn tls_is_used_as_the_address_asks() {
    let key = rcgen::generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    let files = tempfile::tempdir().unwrap();
    let (certificate, secret) = (files.path().join("server.crt"), files.path().join("server.key"));
    std::fs::write(&certificate, key.cert.pem()).unwrap();
    std::fs::write(&secret, key.signing_key.serialize_pem()).unwrap();
    let Some(server) = DatabaseServer::postgres_with_tls(&certificate, &secret) else { return };
    server.run(POSTGRES_V1);
    let encrypted = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE ssl AND application_name = 'strata'";
    for (asked, n_encrypted) in [
        ("sslmode=disable", "0"),
        ("ssl=require", "1"),
        (&format!("sslmode=verify-full&sslrootcert={}", certificate.display()), "1"),
        (&format!("sslrootcert={}", certificate.display()), "1"),
    ] {
        let connection = connect(&format!("{}?{asked}", server.address())).unwrap();
        assert_eq!(server.run(encrypted).trim(), n_encrypted, "{asked}");
        drop(connection);
        server.run(
            "DO $$ BEGIN WHILE EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'strata') LOOP \
                    PERFORM pg_sleep(0.01); PERFORM pg_stat_clear_snapshot(); END LOOP; END $$",
        );
    }
    let said = refused(&format!("{}?sslmode=verify-full", server.address()));
    assert!(said.contains("certificate"), "{said}");
}
