//! `strata import --follow`, beside an agent that writes.
#![cfg(unix)]

use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::strata::Computer;

#[test]
fn what_an_agent_adds_is_told_until_ctrl_c() {
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("../strata-import/samples/claude-code.jsonl");
    let sample = fs::read_to_string(sample).unwrap();
    let lines: Vec<&str> = sample.split_inclusive('\n').collect();
    let computer = Computer::new();
    // A folder, in which another session begins later.
    let folder = computer.path("projects");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("one.jsonl"), lines[..8].concat()).unwrap();

    let mut command = computer.command(&format!("import --follow --json {}", folder.display()));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let first: Vec<String> = out.by_ref().take_while(|line| line != "}").collect();
    let first: Value = serde_json::from_str(&(first.join("\n") + "}")).unwrap();
    let events = first["sessions"][0]["sessionEvents"].as_u64().unwrap();

    let mut file = OpenOptions::new().append(true).open(folder.join("one.jsonl")).unwrap();
    file.write_all(lines[8..].concat().as_bytes()).unwrap();
    let change: Value = serde_json::from_str(&out.next().unwrap()).unwrap();
    assert_eq!((&change["version"], &change["sessionEventsBefore"]), (&1.into(), &events.into()));
    assert!(change["session"]["sessionEvents"].as_u64().unwrap() > events, "{change}");
    assert_eq!(change["session"]["id"], first["sessions"][0]["id"]);

    fs::write(folder.join("two.jsonl"), sample.replace("5f0c0de0", "5f0c0de1")).unwrap();
    let begun: Value = serde_json::from_str(&out.next().unwrap()).unwrap();
    assert_eq!(begun["sessionEventsBefore"], Value::Null);
    assert_ne!(begun["session"]["id"], change["session"]["id"]);
    assert_eq!(begun["session"]["sessionEvents"], change["session"]["sessionEvents"]);

    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(out.next(), None);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert!(told.starts_with("Following. Ctrl-C ends it; what is stored stays.\n"), "{told}");
}
