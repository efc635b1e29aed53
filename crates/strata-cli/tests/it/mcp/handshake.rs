//! How clients begin, as three of them were recorded.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};

use super::client::{Client, garden, left_by_claude};
use crate::strata::Computer;

const TOOLS: [&str; 10] = [
    "why_long",
    "what_broke_cache",
    "find",
    "plan_compaction",
    "what_was_lost",
    "cost",
    "compare_calls",
    "sub_agents",
    "budget",
    "sessions",
];

/// The fields that a recorded answer has, and ours must have.
fn fields(value: &Value) -> BTreeSet<String> {
    value.as_object().map(|object| object.keys().cloned().collect()).unwrap_or_default()
}

#[test]
fn tools_say_what_they_take_and_that_they_only_read() {
    let computer = Computer::new();
    let mut client = Client::ready(&computer, &computer.path(""));
    let tools = client.ask("tools/list", &json!({}))["tools"].as_array().unwrap().clone();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, TOOLS);
    for tool in &tools {
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
        assert_eq!(tool["annotations"]["openWorldHint"], false);
        assert_eq!(tool["inputSchema"]["additionalProperties"], false);
        let is_first = tool["name"] == "why_long";
        assert_eq!(tool["_meta"]["anthropic/alwaysLoad"], if is_first { json!(true) } else { Value::Null });
    }
    assert_eq!(
        tools[0]["inputSchema"]["properties"]["call"],
        json!({"type": "string", "pattern": "^C[0-9]+$", "description": "The call, as C7; the last one if left out"})
    );
    assert_eq!(client.left(), 0);
}

#[test]
fn the_newest_protocol_is_discovered_and_needs_no_handshake() {
    let computer = Computer::new();
    left_by_claude(&computer, "garden", &garden());
    let mut client = Client::started(&computer, &computer.path(""));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "a client", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let found = client.ask("server/discover", &json!({"_meta": meta}));
    let versions = found["supportedVersions"].as_array().unwrap();
    for version in ["2025-06-18", "2025-11-25", "2026-07-28"] {
        assert!(versions.contains(&json!(version)), "{found}");
    }
    let asked = json!({"name": "budget", "arguments": {"session": "garden"}, "_meta": meta});
    let result = client.ask("tools/call", &asked);
    assert_eq!(result["isError"], false, "{result}");
    assert_eq!(result["resultType"], "complete");
}

#[test]
fn recorded_handshakes_get_answers_of_the_recorded_shape() {
    let Some(recorded) = strata_testkit::samples::captured() else { return };
    for client in ["claude-code", "codex", "gemini-cli"] {
        let lines = fs::read_to_string(recorded.join(format!("mcp/{client}.stdio.jsonl"))).unwrap();
        let messages: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let computer = Computer::new();
        // The sessions of these clients are not there: one of the server's folder stands in for them.
        let folder = computer.path("").canonicalize().unwrap();
        let here = garden().replace("/home/ada/garden", &folder.display().to_string());
        left_by_claude(&computer, "garden", &here);
        let mut server = Client::started(&computer, &folder);
        let asked = messages.iter().filter(|it| it["dir"] == "in").map(|it| &it["msg"]);
        let mut n_answers = 0;
        for message in asked {
            server.tell(message);
            let Some(id) = message.get("id") else { continue };
            let answer = server.hear();
            assert_eq!(answer["id"], *id);
            let wanted = messages.iter().find(|it| it["dir"] == "out" && it["msg"]["id"] == *id).unwrap();
            if message["method"] == "server/discover" {
                // The recorded server did not know it.
                assert!(answer["result"]["supportedVersions"].is_array(), "{answer}");
                continue;
            }
            let wanted = &wanted["msg"]["result"];
            let missing: Vec<String> =
                fields(wanted).difference(&fields(&answer["result"])).cloned().collect();
            assert_eq!(missing, [""; 0], "{client} {} {answer}", message["method"]);
            if message["method"] == "initialize" {
                assert_eq!(answer["result"]["protocolVersion"], wanted["protocolVersion"]);
            }
            n_answers += 1;
        }
        assert!(n_answers >= 3, "{client}: {n_answers}");
        assert_eq!(server.left(), 0);
    }
}

#[test]
fn a_client_that_leaves_at_once_is_no_fault() {
    let computer = Computer::new();
    assert_eq!(Client::started(&computer, &computer.path("")).left(), 0);
}
