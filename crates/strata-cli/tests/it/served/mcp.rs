//! The Model Context Protocol.

use serde_json::{Value, json};

use super::server::Server;

#[test]
fn each_agent_is_a_tool() {
    let server = Server::echo();
    let tools = server.connect().tools();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, ["front", "booker"]);
    assert_eq!(tools[0]["description"], "Answers at the desk.");
    let properties = tools[0]["inputSchema"]["properties"].as_object().unwrap();
    assert!(
        ["message", "context_id", "contextId", "task_id", "context"]
            .iter()
            .all(|key| properties.contains_key(*key))
    );
}

#[test]
fn a_call_without_an_id_begins_a_context_and_one_with_it_goes_on() {
    let server = Server::echo();
    let first = server.mcp("front", &json!({"message": "hello", "context_id": null}));
    let id = first["structuredContent"]["context_id"].clone();
    assert_eq!(first["structuredContent"]["contextId"], id);
    let text: Value = serde_json::from_str(first["content"][1]["text"].as_str().unwrap()).unwrap();
    assert_eq!(text["context_id"], id, "who reads texts alone finds it, too");
    assert_eq!(
        (&text["task_id"], &text["status"]),
        (&first["structuredContent"]["task_id"], &json!("completed"))
    );
    let next = server.mcp("front", &json!({"message": "on", "context_id": id}));
    assert_eq!(next["structuredContent"]["context_id"], id);
    assert_ne!(server.mcp("front", &json!({"message": "hello"}))["structuredContent"]["context_id"], id);
}

#[test]
fn whoever_reads_texts_alone_answers_a_task_that_waits() {
    let server = Server::scripted(&json!([
        {"calls": [{"name": "approve", "args": {"key": "budget"}}]},
        "It was approved.",
    ]));
    let texts = |answer: &Value| {
        let told: Value = serde_json::from_str(answer["content"][1]["text"].as_str().unwrap()).unwrap();
        (answer["content"][0]["text"].as_str().unwrap().to_owned(), told)
    };
    let (said, told) = texts(&server.mcp("front", &json!({"message": "Spend it"})));
    assert_eq!((&*said, &told["status"]), ("approve waits for an answer.", &json!("input_required")));
    let answer = json!({"message": r#"{"approved": true}"#, "task_id": told["task_id"], "context_id": told["context_id"]});
    let (said, done) = texts(&server.mcp("front", &answer));
    assert_eq!((&*said, &done["status"]), ("It was approved.", &json!("completed")));
    assert_eq!((&done["task_id"], &done["context_id"]), (&told["task_id"], &told["context_id"]));
}

#[test]
fn a_connection_goes_on_with_its_last_context_until_that_expires() {
    let server = Server::echo();
    let mut connection = server.connect();
    let first =
        connection.call("front", &json!({"message": "hello"}))["structuredContent"]["context_id"].clone();
    let second =
        connection.call("front", &json!({"message": "on"}))["structuredContent"]["context_id"].clone();
    assert_eq!(first, second);
    server.strata(&format!("contexts expire {}", first.as_str().unwrap()));
    let third = connection.call("front", &json!({"message": "on"}));
    assert_ne!(third["structuredContent"]["context_id"], first);
    assert_eq!(third["content"][0]["text"], "on");
}

#[test]
fn an_error_says_what_happened_and_the_callers_context_comes_back() {
    let server = Server::echo();
    let echo = json!({"trace_id": "t-1", "deep": [1, {"x": null}]});
    let good = server.mcp("front", &json!({"message": "hello", "context": echo}));
    assert_eq!(good["structuredContent"]["context"], echo);
    let bad =
        server.mcp("front", &json!({"message": "hello", "context_id": "ctx-front-gone", "context": echo}));
    assert_eq!(bad["isError"], true);
    assert_eq!(bad["structuredContent"]["error"]["code"], "CONTEXT_EXPIRED");
    assert_eq!(bad["structuredContent"]["error"]["context_id"], "ctx-front-gone");
    assert_eq!(bad["structuredContent"]["context"], echo);
    let text = |answer: &Value| answer["content"][0]["text"].as_str().unwrap().to_owned();
    let told = text(&bad);
    assert!(told.starts_with("CONTEXT_EXPIRED: There is no context ctx-front-gone any more."), "{told}");
    assert!(told.contains("without an id") && !told.contains("expired at"), "{told}");

    // Its owner is told when a context expired, and nobody else.
    let id = good["structuredContent"]["context_id"].as_str().unwrap();
    server.strata(&format!("contexts expire {id}"));
    let asked = json!({"message": "on", "context_id": id});
    let told = server.mcp("front", &asked);
    let at = told["structuredContent"]["error"]["expired_at"].as_str().unwrap();
    assert!(text(&told).ends_with(&format!(" It expired at {at}.")), "{told}");
    let foreign = text(&server.connect_as("bob").call("front", &asked));
    assert!(foreign.starts_with("CONTEXT_EXPIRED: ") && !foreign.contains("expired at"), "{foreign}");
}

#[test]
fn arguments_that_are_no_message_are_said_as_they_are_and_json_is_answered_beside_the_text() {
    let server = Server::echo();
    let mut connection = server.connect();
    let asked = json!({"brief": "video", "n": 2, "context": {"trace": 1}});
    let answer = connection.call("front", &asked);
    assert_eq!(answer["content"][0]["text"], r#"{"brief":"video","n":2}"#, "{answer}");
    let told = &answer["structuredContent"];
    assert_eq!(
        (&told["brief"], &told["n"], &told["context"]),
        (&json!("video"), &json!(2), &json!({"trace": 1}))
    );
    // What is told of every answer stays what it is.
    let said = connection.call("front", &json!({"message": r#"{"status": "odd", "x": 1}"#}));
    let told = &said["structuredContent"];
    assert_eq!((&told["status"], &told["x"]), (&json!("completed"), &json!(1)), "{told}");
    assert_eq!(connection.call("front", &json!({}))["content"][0]["text"], "{}");
}

#[test]
fn a_connection_is_unknown_to_whoever_did_not_open_it() {
    let server = Server::echo();
    let mut connection = server.connect();
    connection.call("front", &json!({"message": "hello"}));
    let bob = server.bearer("bob");
    let headers = [
        ("Authorization", bob.as_str()),
        ("Mcp-Session-Id", connection.session()),
        ("MCP-Protocol-Version", "2025-06-18"),
    ];
    let list = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list"}).to_string();
    for (method, body) in [("POST", list.as_str()), ("GET", ""), ("DELETE", "")] {
        assert_eq!(server.send(method, "/mcp", &headers, body).status, 404, "{method}");
    }
    let nothing = [("Mcp-Session-Id", "no-such-connection"), ("MCP-Protocol-Version", "2025-06-18")];
    let (unknown, foreign) =
        (server.send("POST", "/mcp", &nothing, &list), server.send("POST", "/mcp", &headers, &list));
    assert_eq!((unknown.status, &unknown.body), (404, &foreign.body));
    assert_eq!(connection.call("front", &json!({"message": "on"}))["content"][0]["text"], "on");
}

#[test]
fn bad_arguments_are_told() {
    let server = Server::echo();
    let mut connection = server.connect();
    for (arguments, says) in [
        (json!({"task_id": null}), "`message` is missing"),
        (json!({"message": null, "brief": "video"}), "There is no argument `brief`."),
        (json!({"message": 7}), "`message` is a number, not a text."),
        (json!({"message": "  "}), "The message is empty."),
        (json!({"message": "x", "context_id": 7}), "`context_id` is a number, not a text."),
        (json!({"message": "x", "context_id": "a b"}), "This is no id of a context"),
        (json!({"message": "x", "context_id": "a", "contextId": "b"}), "names two contexts"),
        (json!({"message": "x", "state": []}), "`state` is an array, not an object."),
        (json!({"message": "x", "agent": "booker"}), "There is no argument `agent`."),
    ] {
        let answer = connection.call("front", &arguments);
        assert_eq!(answer["isError"], true, "{answer}");
        let text = answer["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(says), "{arguments}: {text}");
    }
    assert!(server.strata("contexts list")["contexts"].as_array().unwrap().is_empty(), "nothing has begun");
}
