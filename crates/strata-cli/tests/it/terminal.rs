//! Pipes that close and people who press Ctrl-C.
#![cfg(unix)]

use std::fs;
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::strata::{Computer, Run, samples};

#[test]
fn a_reader_that_stops_reading_is_no_error() {
    let computer = Computer::new();
    for arguments in ["tokens sample --json", "compile sample --limit 0", "show sample"] {
        let mut command = computer.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        assert_eq!((child.wait().unwrap().code(), &*stderr), (Some(0), ""), "{arguments}");
    }
}

#[test]
fn nothing_is_coloured_outside_a_terminal() {
    let run = Computer::new().run("compile sample --stages");
    assert!(!run.stdout.contains('\x1b') && !run.stderr.contains('\x1b'));
}

/// A transcript whose words, tool, model and name are full of commands to a terminal.
fn hostile(computer: &Computer) -> String {
    let said = "\u{1b}]0;renamed\u{7}\u{1b}[2J\u{9b}31m red \u{202e}back";
    let answer = serde_json::json!([
        {"type": "text", "text": said},
        {"type": "tool_use", "id": "t1", "name": "Bash\u{1b}[1m", "input": {"command": said}},
    ]);
    let result = serde_json::json!([{"type": "tool_result", "tool_use_id": "t1", "content": said}]);
    let messages =
        [("user", said.into()), ("assistant", answer), ("user", result), ("assistant", said.into())];
    let line = |(at, (kind, content)): (usize, (&str, serde_json::Value))| {
        let mut message = serde_json::json!({"role": kind, "content": content});
        if kind == "assistant" {
            message["id"] = format!("m{at}").into();
            message["model"] = "claude-opus-4-5\u{1b}[7m".into();
            message["usage"] = serde_json::json!({"input_tokens": 10, "output_tokens": 5});
        }
        let parent = (at > 0).then(|| format!("u{}", at - 1));
        serde_json::json!({
            "parentUuid": parent, "uuid": format!("u{at}"), "sessionId": "s\u{1b}[5m", "type": kind, "cwd": said,
            "timestamp": "2026-01-27T23:13:36Z", "isSidechain": false, "message": message,
        })
        .to_string()
    };
    let lines: Vec<String> = messages.into_iter().enumerate().map(line).collect();
    let path = computer.path("hostile.jsonl");
    fs::write(&path, lines.join("\n")).unwrap();
    path.display().to_string()
}

#[test]
fn what_sessions_hold_commands_no_terminal() {
    let computer = Computer::new();
    let path = hostile(&computer);
    computer.run(&format!("import {path}"));
    let commands = [
        "show",
        "show --events",
        "compile --call 2",
        "compile --call 2 --stages",
        "tokens",
        "cache",
        "findings",
        "check --max-cost 0",
        "diff",
        "sweep",
        "compact --dry-run",
        "sessions",
        "search red",
        "import",
    ];
    let mut shown = String::new();
    for command in commands {
        let arguments = match command.split_once(' ') {
            _ if command == "sessions" || command.starts_with("search") => command.to_owned(),
            _ if command == "diff" => format!("diff {path} {path}"),
            Some((command, options)) => format!("{command} {path} {options}"),
            None => format!("{command} {path}"),
        };
        let run = computer.run(&arguments);
        let text = format!("{}{}", run.stdout, run.stderr);
        let commanded =
            text.chars().find(|it| (it.is_control() && !"\n\t".contains(*it)) || *it == '\u{202e}');
        assert_eq!(commanded, None, "{arguments}: {text}");
        shown += &text;
    }
    assert!(shown.contains("␛[2J␛[31m red \\u{202e}back"), "{shown}");
}

#[test]
fn ctrl_c_stops_an_import_and_keeps_what_is_stored() {
    const N_FILES: usize = 1_500;
    let computer = Computer::new();
    let folder = computer.path("many");
    fs::create_dir(&folder).unwrap();
    for at in 0..N_FILES {
        fs::copy(samples().join("weather.session.json"), folder.join(format!("{at:04}.json"))).unwrap();
    }
    let mut command = computer.command(&format!("import {}", folder.display()));
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();

    let stored = || {
        let listed = computer.run("sessions --json");
        // The store is refused while it is being made.
        if listed.code == 0 { listed.json()["sessions"].as_array().unwrap().len() } else { 0 }
    };
    let start = Instant::now();
    while stored() == 0 {
        assert!(start.elapsed() < Duration::from_mins(1));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());

    let run = Run::from(child.wait_with_output().unwrap());
    assert_eq!(run.code, 130);
    assert!(run.stdout.contains("before that stay."), "{}", run.stdout);
    assert!((1..N_FILES).contains(&stored()));
}
