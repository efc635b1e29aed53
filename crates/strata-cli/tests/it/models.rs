//! Servers set up, tested and forgotten from the command line.

use serde_json::json;
use strata_testkit::model_server::{ModelServer, Play, chat_stream};

use crate::strata::{Computer, Run};

fn run(computer: &Computer, arguments: &str) -> Run {
    let mut command = computer.command(arguments);
    // No test opens the key store of whoever runs it.
    command.env_remove("DBUS_SESSION_BUS_ADDRESS");
    Run::from(command.output().unwrap())
}

#[test]
fn a_server_is_set_up_tested_changed_and_forgotten() {
    let computer = Computer::new();
    let database = computer.path("models.db");
    let of = |arguments: &str| run(&computer, &format!("models {arguments} --db {}", database.display()));
    let answer = || Play::Stream { body: chat_stream("ready", 9, 1), piece: 9 };
    let server = ModelServer::start(vec![answer(), answer()], None);
    let address = format!("{}/v1", server.url());

    let missing = of("add mine");
    assert_eq!(missing.code, 2);
    assert!(missing.stderr.contains("needs an address"), "{}", missing.stderr);
    let added =
        of(&format!("add mine --url {address} --context 4096 --slots 1 --cache-rule llama.cpp --json"))
            .json();
    assert_eq!(
        (&added["name"], &added["contextTokens"], &added["slots"]),
        (&json!("mine"), &json!(4096), &json!(1))
    );

    let tested = of("test mine");
    assert_eq!(tested.code, 0, "{tested:?}");
    assert!(tested.stdout.contains("mine answered with scripted-1"), "{}", tested.stdout);
    let asked = &server.received()[0];
    assert_eq!(
        asked.body.get("model").and_then(|model| model.as_str()),
        Some("scripted-1"),
        "the first it lists"
    );

    let changed = of("add mine --first-byte 900 --model scripted-2 --json").json();
    assert_eq!((&changed["firstByteS"], &changed["contextTokens"]), (&json!(900), &json!(4096)));
    let listed = of("--json").json();
    let mine =
        listed["endpoints"].as_array().unwrap().iter().find(|endpoint| endpoint["name"] == "mine").unwrap();
    assert_eq!(
        (&mine["model"], &mine["cacheRule"], &mine["slots"]),
        (&json!("scripted-2"), &json!("llama.cpp"), &json!(1))
    );
    assert_eq!(of("test mine").code, 0);
    let asked = &server.received()[1];
    assert_eq!(asked.body.get("model").and_then(|model| model.as_str()), Some("scripted-2"));

    let unknown = of("add mine --cache-rule house");
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("no cache rule called house"), "{}", unknown.stderr);
    assert_eq!(of("remove mine").code, 0);
    let again = of("remove mine");
    assert_eq!(again.code, 2);
    assert!(again.stderr.contains("No endpoint called mine was set up"), "{}", again.stderr);
    assert_eq!(server.problems(), [""; 0]);
}

#[test]
fn a_test_that_fails_says_why_and_exits_so() {
    let computer = Computer::new();
    let database = computer.path("models.db");
    let of = |arguments: &str| run(&computer, &format!("models {arguments} --db {}", database.display()));
    assert_eq!(of("add gone --url http://127.0.0.1:9/v1 --model m").code, 0);
    let tested = of("test gone");
    assert_eq!(tested.code, 1);
    assert!(tested.stdout.contains("nothing listens there"), "{}", tested.stdout);
}

#[test]
fn a_key_is_kept_in_the_key_store_or_nowhere() {
    let computer = Computer::new();
    let database = computer.path("models.db");
    let of = |arguments: &str| run(&computer, &format!("models {arguments} --db {}", database.display()));
    assert_eq!(of("add mine --url http://127.0.0.1:9/v1 --key-variable MY_KEY").code, 0);
    // The test's standard input is empty.
    let none = of("set-key mine");
    assert_eq!(none.code, 2);
    assert!(none.stderr.contains("No key came on standard input"), "{}", none.stderr);
    let unknown = of("set-key nobody --forget");
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("no endpoint called nobody"), "{}", unknown.stderr);
    assert_eq!(of("set-key mine --forget").code, 0);
}
