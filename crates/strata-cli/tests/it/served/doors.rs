//! One conversation through three doors is one context and one session.

use serde_json::{Value, json};

use super::server::{Server, message};

#[test]
fn a_conversation_goes_from_mcp_over_a2a_to_http() {
    let server = Server::scripted(&json!([
        {"calls": [{"name": "remember", "args": {"key": "current_products", "value": ["p1", "p2", "p3"]}}]},
        "Found 3 products.",
        "Booked the first one.",
        "You spent 10.",
    ]));
    let first = server.mcp("front", &json!({"message": "Show me video products"}));
    let id = first["structuredContent"]["context_id"].as_str().unwrap().to_owned();
    assert!(id.starts_with("ctx-front-"), "{id}");
    assert_eq!(first["content"][0]["text"], "Found 3 products.");

    let second = server.a2a("SendMessage", &message("Book the first one", &json!({"contextId": id}))).json();
    let task = &second["result"]["task"];
    assert_eq!((&task["contextId"], &task["status"]["state"]), (&json!(id), &json!("TASK_STATE_COMPLETED")));
    assert_eq!(task["artifacts"][0]["parts"][0]["text"], "Booked the first one.");

    let third = server.run(&[("X-Context-ID", &id)], &json!({"message": "What did I spend?"}));
    assert_eq!((third.status, &third.json()["message"]), (200, &json!("You spent 10.")), "{third:?}");
    assert_eq!(third.header("x-context-id"), Some(&*id));

    // One context, with three doors, what the agents remembered, and all that was said.
    let list = server.strata("contexts list");
    assert_eq!(list["contexts"].as_array().unwrap().len(), 1);
    let row = &list["contexts"][0];
    let doors: Vec<_> = row["doors"].as_array().unwrap().iter().map(|door| door["door"].clone()).collect();
    assert_eq!(doors, ["mcp", "a2a", "http"]);
    let shown = server.strata(&format!("contexts show {id}"));
    assert_eq!(shown["workingState"]["current_products"], json!(["p1", "p2", "p3"]));
    assert_eq!(shown["workingState"]["last_answer"], "You spent 10.");
    let said: Vec<_> =
        shown["messages"].as_array().unwrap().iter().map(|row| row["content"].clone()).collect();
    assert_eq!(said.len(), 6, "{said:?}");
    assert_eq!((&said[2], &said[5]), (&json!("Book the first one"), &json!("You spent 10.")));
    assert_eq!(shown["context"]["completedTasks"], 3);
    // The second task began with what the first had left.
    assert_eq!(shown["tasks"][1]["inherited"], json!(["current_products", "last_answer"]));

    // One session, whose events say through which door they came.
    let sessions = server.strata("sessions");
    let sessions = sessions["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 1);
    assert_eq!(sessions[0]["id"], row["session"]);
    let events = events(&server, row["session"].as_str().unwrap());
    let doors: Vec<&str> =
        events.iter().map(|event| event["customMetadata"]["door"].as_str().unwrap()).collect();
    assert_eq!(doors, ["mcp", "mcp", "mcp", "mcp", "a2a", "a2a", "http", "http"]);
    assert!(events.iter().all(|event| event["customMetadata"]["context_id"] == *id));
}

fn events(server: &Server, session: &str) -> Vec<Value> {
    let line = format!("export {session} --as session --db {}", server.computer.path("x.db").display());
    let run = server.computer.run(&line);
    assert_eq!(run.code, 0, "{}", run.seen());
    let exported: Value = serde_json::from_str(&run.stdout).unwrap();
    exported["events"].as_array().unwrap().clone()
}

#[test]
fn the_agents_remember_over_a_new_start_of_the_server() {
    let server = Server::echo();
    let first = server.run(&[], &json!({"message": "hello", "state": {"n": 7}})).json();
    let id = first["context_id"].as_str().unwrap();
    let again =
        server.run(&[("Cookie", &format!("a=b; adcp_context={id}"))], &json!({"message": "again"})).json();
    assert_eq!(again["context_id"], *id);
    let shown = server.send("GET", &format!("/context?context_id={id}"), &[], "").json();
    assert_eq!(shown["working_state"], json!({"n": 7, "last_answer": "again"}));
    assert_eq!(shown["state"], "active");
}

#[test]
fn contexts_of_two_principals_never_meet() {
    let server = Server::echo();
    let bob = server.bearer("bob");
    let ana = server.run(&[], &json!({"message": "mine", "state": {"secret": "ana's"}})).json();
    let id = ana["context_id"].as_str().unwrap();
    let foreign = server.run(&[("Authorization", &bob), ("X-Context-ID", id)], &json!({"message": "give"}));
    let unknown =
        server.run(&[("Authorization", &bob), ("X-Context-ID", "ctx-none")], &json!({"message": "give"}));
    assert_eq!((foreign.status, unknown.status), (410, 410));
    let masked = |got: &str, id: &str| got.replace(id, "ID");
    assert_eq!(masked(&foreign.body, id), masked(&unknown.body, "ctx-none"), "they cannot be told apart");
    let shown = server.send("GET", "/context", &[("Authorization", &bob), ("X-Context-ID", id)], "");
    assert_eq!(shown.status, 410);
    let task = ana["task_id"].as_str().unwrap();
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": task}}).to_string();
    let got = server.send("POST", "/a2a", &[("Authorization", &bob)], &call).json();
    assert_eq!(got["error"]["code"], -32001, "{got}");
    let own = server.send("POST", "/a2a", &[], &call).json();
    assert_eq!(own["result"]["status"]["state"], "TASK_STATE_COMPLETED", "{own}");
}

#[test]
fn many_clients_at_once_get_their_own_answers() {
    let server = Server::echo();
    std::thread::scope(|scope| {
        for client in 0..8 {
            let server = &server;
            scope.spawn(move || {
                let mut id = String::new();
                for turn in 0..3 {
                    let text = format!("client {client} turn {turn}");
                    let got = server.run(&[("X-Context-ID", &id)], &json!({"message": text})).json();
                    assert_eq!(got["message"], text);
                    let context = got["context_id"].as_str().unwrap();
                    assert!(id.is_empty() || id == context);
                    context.clone_into(&mut id);
                }
            });
        }
    });
    assert_eq!(server.strata("contexts list")["contexts"].as_array().unwrap().len(), 8);
}
