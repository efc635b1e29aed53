//! `strata places`, on computers with a home of their own.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::strata::{Computer, samples};

fn write(path: &Path, bytes: &[u8]) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Tool, number of files and path below home of each place, by tool.
fn told(computer: &Computer, document: &Value) -> Vec<String> {
    let home = computer.path("").display().to_string();
    let tell = |place: &Value| {
        let path = place["path"].as_str().unwrap().replace(&home, "~/");
        format!("{} {} {path}", place["tool"].as_str().unwrap(), place["files"])
    };
    let mut told: Vec<_> = document["places"].as_array().unwrap().iter().map(tell).collect();
    told.sort();
    told
}

#[test]
fn tools_are_found_where_they_keep_their_sessions() {
    let computer = Computer::new();
    assert_eq!(told(&computer, &computer.run("places --json").json()), [""; 0]);
    for file in [
        ".claude/projects/-home-ada-work/0a.jsonl",
        ".claude/projects/-home-ada-work/0b.jsonl",
        ".claude/projects/-home-ada-work/memo.md",
        ".codex/sessions/2026/01/02/rollout-1.jsonl",
        ".codex/history.jsonl",
        ".gemini/tmp/work/chats/session-1.json",
        ".gemini/tmp/work/logs.json",
        ".copilot/session-state/1/events.jsonl",
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1/api_conversation_history.json",
        ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1/ui_messages.json",
        "opencode/opencode.db",
        "goose/sessions/sessions.db",
    ] {
        write(&computer.path(file), b"not read");
    }
    insta::assert_json_snapshot!("places", told(&computer, &computer.run("places --json").json()));
}

#[test]
fn editors_and_their_agents_are_found() {
    let computer = Computer::new();
    for file in [
        ".qwen/projects/-home-ada-work/chats/0a.jsonl",
        ".qwen/projects/-home-ada-work/memory.jsonl",
        ".pi/agent/sessions/--home-ada-work--/1_0a.jsonl",
        ".continue/sessions/0a.json",
        ".continue/sessions/sessions.json",
        ".factory/sessions/-home-ada-work/0a.jsonl",
        ".factory/sessions/-home-ada-work/0a.settings.json",
        ".windsurf/transcripts/0a.jsonl",
        "amp/threads/T-0a.json",
        "zed/threads/threads.db",
        "kiro-cli/data.sqlite3",
        ".cursor/projects/home-ada-work/agent-transcripts/0a/0a.jsonl",
        ".cursor/projects/home-ada-work/mcp.json",
        ".config/claude/projects/-home-ada-work/0a.jsonl",
        ".config/Cursor/User/globalStorage/state.vscdb",
        ".config/Code/User/workspaceStorage/0a/chatSessions/0b.jsonl",
        ".config/Code/User/workspaceStorage/0a/workspace.json",
        ".config/Code/User/globalStorage/emptyWindowChatSessions/0c.json",
    ] {
        write(&computer.path(file), b"not read");
    }
    insta::assert_json_snapshot!("editors", told(&computer, &computer.run("places --json").json()));
}

#[test]
fn variables_say_where_else_to_look() {
    let computer = Computer::new();
    write(&computer.path("elsewhere/projects/p/1.jsonl"), b"");
    write(&computer.path("codex/sessions/rollout-1.jsonl"), b"");
    let mut command = computer.command("places --json");
    command.env("CLAUDE_CONFIG_DIR", computer.path("elsewhere")).env("CODEX_HOME", computer.path("codex"));
    let run: crate::strata::Run = command.output().unwrap().into();
    let found = told(&computer, &run.json());
    assert_eq!(found, ["Claude Code 1 ~/elsewhere/projects", "Codex CLI 1 ~/codex/sessions"]);
}

#[test]
fn stores_of_adk_are_found_below_the_present_folder() {
    let computer = Computer::new();
    let here = computer.path("project");
    let store = |path: &str, tables: &str| {
        fs::create_dir_all(here.join(path).parent().unwrap()).unwrap();
        rusqlite::Connection::open(here.join(path)).unwrap().execute_batch(tables).unwrap();
    };
    let adk = "CREATE TABLE app_states (a); CREATE TABLE user_states (a); CREATE TABLE sessions (a);";
    store("agents/weather/.adk/session.db", adk);
    store("sessions.db", adk);
    store("other.db", "CREATE TABLE sessions (a)");
    store("node_modules/x/sessions.db", adk);
    fs::write(here.join("notes.db"), "app_states user_states").unwrap();
    let mut command = computer.command("places --json");
    let run: crate::strata::Run = command.current_dir(&here).output().unwrap().into();
    let found = told(&computer, &run.json());
    assert_eq!(
        found,
        ["ADK store 1 ~/project/agents/weather/.adk/session.db", "ADK store 1 ~/project/sessions.db"]
    );
}

#[test]
fn a_place_is_imported_by_its_path() {
    let computer = Computer::new();
    let sample = samples().join("broken-line.jsonl");
    write(&computer.path(".claude/projects/p/1.jsonl"), &fs::read(sample).unwrap());
    let places = computer.run("places --json").json();
    let path = places["places"][0]["path"].as_str().unwrap();
    let imported = computer.run(&format!("import {path} --json")).document();
    assert_eq!(imported["files"]["imported"], 1, "{imported}");
}

#[test]
fn what_home_may_read_is_remembered() {
    let computer = Computer::new();
    write(&computer.path(".claude/projects/p/1.jsonl"), b"not read");
    write(&computer.path(".codex/sessions/rollout-1.jsonl"), b"not read");
    write(&computer.path("mine/1.jsonl"), b"not read");
    let choices = |document: &Value| {
        let choice = |place: &Value| {
            let path = place["path"].as_str().unwrap().rsplit('/').next().unwrap();
            format!("{path} {}", place["choice"].as_str().unwrap())
        };
        let mut told: Vec<_> = document["places"].as_array().unwrap().iter().map(choice).collect();
        told.sort();
        told
    };
    let nothing_said = computer.run("places --json").json();
    assert_eq!(choices(&nothing_said), ["projects open", "sessions open"]);
    let (allowed, forbidden) = (computer.path(".claude/projects"), computer.path(".codex/sessions"));
    let mine = computer.path("mine");
    let said = format!(
        "places --allow {} --allow {} --forbid {} --json",
        allowed.display(),
        mine.display(),
        forbidden.display()
    );
    let expected = ["mine read", "projects read", "sessions leave"];
    assert_eq!(choices(&computer.run(&said).json()), expected);
    assert_eq!(choices(&computer.run("places --json").json()), expected);
    let asked = format!("places --ask {} --ask {} --json", forbidden.display(), mine.display());
    assert_eq!(choices(&computer.run(&asked).json()), ["projects read", "sessions open"]);
}
