//! What addresses say, and what they keep to themselves.

use strata_database::DatabaseAddress;

fn shown(text: &str) -> String {
    DatabaseAddress::parse(text).unwrap().shown().to_owned()
}

#[test]
fn all_spellings_of_a_server_are_one_address() {
    for text in [
        "postgresql://db.example/adk",
        "postgres://db.example/adk",
        "postgresql+asyncpg://db.example/adk",
        "postgresql+psycopg2://alice:s3cret-word@db.example:5432/adk?sslmode=require",
        "POSTGRESQL://db.example:5432/adk?application_name=x",
        "postgresql://?host=db.example&dbname=adk&user=alice&password=s3cret-word",
    ] {
        assert_eq!(shown(text), "postgresql://db.example/adk", "{text}");
    }
    for text in [
        "mysql://db.example/adk",
        "mysql+aiomysql://alice:s3cret-word@db.example:3306/adk?charset=utf8mb4",
        "mysql+pymysql://db.example/adk?ssl_ca=/etc/ca.pem",
        "mariadb+mariadbconnector://db.example/adk",
    ] {
        assert_eq!(shown(text), "mysql://db.example/adk", "{text}");
    }
    assert_eq!(shown("postgresql://alice@db.example:6432/adk"), "postgresql://db.example:6432/adk");
    assert_eq!(shown("postgresql://alice:w@/adk?host=/run/pg"), "postgresql://%2Frun%2Fpg/adk");
    assert_eq!(shown("mysql://root@/adk?unix_socket=/run/m.sock"), "mysql://%2Frun%2Fm.sock/adk");
}

#[test]
fn passwords_are_in_no_text() {
    for text in [
        "postgresql://alice:s3cret-word@db.example/adk",
        "postgresql+asyncpg://alice:s3cret-word@db.example/adk",
        "postgresql://db.example/adk?user=alice&password=s3cret-word",
        "mysql://alice:s3cret-word@db.example/adk",
    ] {
        let address = DatabaseAddress::parse(text).unwrap();
        for said in [format!("{address}"), format!("{address:?}"), address.shown().to_owned()] {
            assert!(!said.contains("s3cret-word") && !said.contains("alice"), "{said}");
        }
    }
    // What cannot be read is not repeated, either.
    for text in [
        "postgresql://alice:s3cret-word@db.example:port/adk",
        "postgresql://alice:s3cret-word@db.example",
        "postgresql://alice:s3cret-word#more@db.example/adk",
        "postgresql://alice:s3cret-word@db.example/adk?sslmode=s3cret-word",
        "mysql://alice:s3cret-word@[::1/adk",
    ] {
        let error = DatabaseAddress::parse(text).unwrap_err();
        for said in [format!("{error}"), format!("{error:?}")] {
            assert!(!said.contains("s3cret-word") && !said.contains("alice"), "{said}");
        }
        assert!(DatabaseAddress::is_meant(text), "{text}");
    }
}

#[test]
fn other_texts_are_no_addresses() {
    for text in ["sessions.db", "/tmp/postgres", "https://db.example/adk", "sqlite:///x.db", "postgres"] {
        assert!(!DatabaseAddress::is_meant(text), "{text}");
    }
}
