//! The session of whoever asks.

use serde_json::{Value, json};

use super::client::{Client, left_by_claude};
use super::transcript::Transcript;
use crate::strata::Computer;

fn session(id: &'static str, folder: &'static str) -> Transcript {
    Transcript::new(id, folder).user("Where am I?").model("Here.", 500)
}

/// Three running sessions, the last one the newest.
fn three() -> Computer {
    let computer = Computer::new();
    let asks = session("one", "/home/ada/one").user("Why?").calls(
        "toolu_0one",
        "mcp__strata__why_long",
        &json!({}),
        600,
    );
    left_by_claude(&computer, "one", &asks.text());
    left_by_claude(&computer, "two", &session("two", "/home/ada/two").text());
    let rollout =
        ".codex/sessions/2026/11/22/rollout-2026-11-22T09-34-50-01a2029b-bdab-7541-bcad-9df6826a1989.jsonl";
    let file = computer.path(rollout);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(&file, codex()).unwrap();
    computer
}

fn codex() -> String {
    let at = "2026-11-22T09:34:50.000Z";
    let said = |role: &str, kind: &str, text: &str| json!({"timestamp": at, "type": "response_item", "payload": {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}});
    let usage = json!({"input_tokens": 700, "cached_input_tokens": 0, "output_tokens": 9, "reasoning_output_tokens": 0, "total_tokens": 709});
    let lines = [
        json!({"timestamp": at, "type": "session_meta", "payload": {"id": "01a2029b-bdab-7541-bcad-9df6826a1989", "timestamp": at, "cwd": "/home/ada/three", "originator": "codex_exec", "cli_version": "0.169.0", "instructions": null}}),
        said("user", "input_text", "Which one is this?"),
        said("assistant", "output_text", "The third."),
        json!({"timestamp": at, "type": "event_msg", "payload": {"type": "token_count", "info": {"total_token_usage": usage, "last_token_usage": usage, "model_context_window": 272_000}}}),
    ];
    lines.map(|line| line.to_string()).join("\n") + "\n"
}

#[track_caller]
fn chosen(client: &mut Client, meta: &Value) -> (String, String) {
    let result = client.ask("tools/call", &json!({"name": "budget", "arguments": {}, "_meta": meta}));
    assert_eq!(result["isError"], false, "{result}");
    let session = &result["structuredContent"]["session"];
    let text = |name: &str| session[name].as_str().unwrap().to_owned();
    assert!(result["content"][0]["text"].as_str().unwrap().contains(&text("chosen")), "{result}");
    (text("id"), text("chosen"))
}

#[test]
fn the_id_of_a_tool_call_finds_its_session() {
    let computer = three();
    let mut client = Client::ready(&computer, &computer.path(""));
    let (id, rule) = chosen(&mut client, &json!({"claudecode/toolUseId": "toolu_0one", "progressToken": 4}));
    assert_eq!((&*id, &*rule), ("one", "it holds the id of this very tool call"));
}

#[test]
fn the_id_of_a_thread_finds_its_session() {
    let computer = three();
    let mut client = Client::ready(&computer, &computer.path(""));
    let thread = "01a2029b-bdab-7541-bcad-9df6826a1989";
    let (id, rule) =
        chosen(&mut client, &json!({"threadId": thread, "sessionId": thread, "progressToken": 1}));
    assert!(id.ends_with(thread), "{id}");
    assert_eq!(rule, format!("it has the id {thread}, which you sent along"));
}

#[test]
fn the_folders_of_a_client_find_its_newest_session() {
    let computer = three();
    let mut client = Client::started(&computer, &computer.path(""));
    client.roots = vec!["file:///home/ada/two".to_owned()];
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {"roots": {"listChanged": true}}, "clientInfo": {"name": "gemini-cli-mcp-client", "version": "0.61.0"}});
    client.ask("initialize", &hello);
    client.tell(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let (id, rule) = chosen(&mut client, &json!({"progressToken": "e43a"}));
    assert_eq!(id, "two");
    assert_eq!(rule, "it is the newest one that was recorded in a folder of this client, /home/ada/two");
}

#[test]
fn the_folder_of_the_server_is_the_last_resort() {
    let computer = three();
    let folder = computer.path("work").canonicalize().unwrap_or_else(|_| {
        std::fs::create_dir_all(computer.path("work")).unwrap();
        computer.path("work").canonicalize().unwrap()
    });
    let here: &'static str = Box::leak(folder.display().to_string().into_boxed_str());
    left_by_claude(&computer, "four", &session("four", here).text());
    let mut client = Client::ready(&computer, &folder);
    let (id, rule) = chosen(&mut client, &json!({}));
    assert_eq!(id, "four");
    assert!(rule.contains("the folder this server was started in"), "{rule}");
    let mut elsewhere = Client::ready(&computer, &computer.path(""));
    assert!(elsewhere.refused("budget", &json!({})).starts_with("Your own session was not found"));
}
