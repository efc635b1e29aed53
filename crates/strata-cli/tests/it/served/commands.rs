//! `strata contexts`: what people read, and what is refused.

use serde_json::json;

use super::server::Server;
use crate::strata::{Computer, Run};

fn strata(server: &Server, command: &str) -> Run {
    server.computer.run(&format!("{command} --db {}", server.computer.path("x.db").display()))
}

#[test]
fn contexts_are_listed_shown_and_ended_in_words() {
    let server = Server::echo();
    let got =
        server.run(&[], &json!({"message": "Show me video products", "state": {"topic": "video"}})).json();
    let id = got["context_id"].as_str().unwrap();

    let list = strata(&server, "contexts list").stdout;
    assert!(
        list.contains(id)
            && list.contains("ana")
            && list.contains("http (1)")
            && list.contains("1 context in"),
        "{list}"
    );

    let shown = strata(&server, &format!("contexts show {id}")).stdout;
    for line in ["active, interactive", "all 2 kept", "topic", "\"video\"", "Show me video products"] {
        assert!(shown.contains(line), "{line}: {shown}");
    }
    assert!(shown.contains("front  completed: inherited topic; changed last_answer"), "{shown}");

    assert!(strata(&server, "contexts cleanup").stdout.starts_with("0 contexts changed in"));
    let ended = strata(&server, &format!("contexts expire {id}")).stdout;
    assert!(ended.starts_with(&format!("{id}: archived, then deleted, expired 20")), "{ended}");
    let list = strata(&server, "contexts list").stdout;
    assert!(list.contains("0 contexts in") && list.contains("Expired") && list.contains(id), "{list}");

    let again = strata(&server, &format!("contexts expire {id}"));
    assert_eq!((again.code, &*again.stdout), (2, ""));
    assert!(
        again.stderr.starts_with(&format!("Context {id} has expired already, at 20")),
        "{}",
        again.stderr
    );
    let unknown = strata(&server, "contexts expire ctx-front-none").stderr;
    assert_eq!(unknown, "There is no context ctx-front-none. `strata contexts list` lists them.\n");
}

#[test]
fn without_a_store_or_with_no_id_it_says_what_to_do() {
    let computer = Computer::new();
    let list = computer.run("contexts list");
    assert_eq!(list.code, 2);
    assert!(list.stderr.contains("`strata serve APP` has clients begin contexts in it."), "{}", list.stderr);
    let server = Server::echo();
    let shown = strata(&server, "contexts show a/b");
    assert_eq!(shown.code, 2);
    assert!(shown.stderr.starts_with("`a/b` is no context: an id has 1 to 128 letters"), "{}", shown.stderr);
}
