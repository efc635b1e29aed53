//! `strata capture`: what goes wrong around it is never its clients' trouble.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread;

use serde_json::{Value, json};

use crate::strata::Computer;

/// A provider that answers every request alike, from a thread that nobody stops. Returns where it listens.
fn provider() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || {
                while read_message(&mut stream).is_some() && stream.write_all(answer().as_bytes()).is_ok() {}
            });
        }
    });
    address
}

fn answer() -> String {
    let body = json!({
        "id": "chatcmpl-1", "object": "chat.completion", "model": "gpt-5",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Fine."}}],
        "usage": {"prompt_tokens": 20, "completion_tokens": 2, "total_tokens": 22},
    })
    .to_string();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// A head with the body that it announces.
fn read_message(stream: &mut TcpStream) -> Option<String> {
    let (mut bytes, mut chunk) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.to_ascii_lowercase();
            let length = length.split("content-length: ").nth(1)?.lines().next()?.parse().ok()?;
            if body.len() >= length {
                return Some(text);
            }
        }
        match stream.read(&mut chunk) {
            Ok(n) if n > 0 => bytes.extend_from_slice(&chunk[..n]),
            _ => return None,
        }
    }
}

/// A gateway that listens.
struct Listening {
    child: Child,
    said: BufReader<ChildStderr>,
    host: String,
    path: String,
}

impl Listening {
    fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        while !line.starts_with("  http://") {
            line.clear();
            assert_ne!(said.read_line(&mut line).unwrap(), 0, "it does not listen");
        }
        let (host, path) = line.trim().strip_prefix("http://").unwrap().split_once('/').unwrap();
        Self { child, said, host: host.to_owned(), path: format!("/{path}") }
    }

    /// A conversation of so many calls, over one connection. Every answer is the provider's.
    fn talk(&self, n_calls: usize, words: usize) {
        let mut stream = TcpStream::connect(&self.host).unwrap();
        let mut messages = vec![json!({"role": "system", "content": "You are terse."})];
        for n in 0..n_calls {
            messages
                .push(json!({"role": "user", "content": format!("question {n} {}", "word ".repeat(words))}));
            let body = json!({"model": "gpt-5", "messages": messages}).to_string();
            let (host, path, length) = (&self.host, &self.path, body.len());
            write!(
                stream,
                "POST {path}/v1/chat/completions HTTP/1.1\r\nHost: {host}\r\nContent-Length: {length}\r\n\r\n{body}"
            )
            .unwrap();
            assert_eq!(read_message(&mut stream).as_deref(), Some(&*answer()), "call {n}");
            messages.push(json!({"role": "assistant", "content": "Fine."}));
        }
    }

    /// Ctrl-C, and what it said until its end.
    fn end(mut self) -> String {
        let killed = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status();
        assert!(killed.unwrap().success());
        let mut said = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        self.said.read_to_string(&mut said).unwrap();
        assert!(!said.contains("panicked"), "{said}");
        self.child.wait().unwrap();
        said
    }
}

fn sessions(computer: &Computer, log: &Path) -> Value {
    let other = computer.path("other.db");
    computer.run(&format!("import --json --db {} {}", other.display(), log.display())).document()
}

#[test]
fn a_client_is_started_pointed_at_the_gateway_and_ends_it() {
    let computer = Computer::new();
    let mut command = computer.command("capture --upstream openai=http://127.0.0.1:9 --");
    let told = computer.path("told");
    command.args([
        "sh",
        "-c",
        &format!("echo $OPENAI_BASE_URL $ANTHROPIC_BASE_URL > {}; exit 3", told.display()),
    ]);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("sh sent nothing through Strata."), "{said}");
    let told = fs::read_to_string(told).unwrap();
    let (openai, anthropic) = told.trim().split_once(' ').unwrap();
    assert!(
        openai.starts_with("http://127.0.0.1:") && openai.contains("/t/") && openai.ends_with("/v1"),
        "{told}"
    );
    assert_eq!(openai.strip_suffix("/v1"), Some(anthropic));
}

#[test]
fn a_client_that_only_its_own_settings_point_here_is_not_started() {
    let run = Computer::new().run("capture -- pi -p hello");
    assert_eq!(run.code, 2);
    assert!(run.stderr.contains("pi takes an address from its own settings alone"), "{}", run.stderr);
    assert!(run.stderr.contains("strata capture --proxy"), "{}", run.stderr);
}

#[test]
fn a_session_that_passes_its_budget_is_told_while_it_goes_on_and_at_the_end() {
    let (computer, provider) = (Computer::new(), provider());
    let log = computer.path("budget.jsonl");
    let arguments = format!(
        "capture --budget-tokens 100 --budget 5 --upstream openai=http://{provider} --log {}",
        log.display()
    );
    let mut listening = Listening::start(computer.command(&arguments));
    listening.talk(6, 10);
    let (mut said, told) = (String::new(), "has passed its budget of 100 tokens");
    while !said.contains(told) {
        said.clear();
        assert_ne!(listening.said.read_line(&mut said).unwrap(), 0, "it ended without a word");
    }
    let end = listening.end();
    assert_eq!(end.matches(told).count(), 1, "once more at the end: {end}");
    assert!(end.contains("tokens: 132 so far."), "{end}");
    let refused = computer.run("capture --budget lots");
    assert!(refused.stderr.contains("`lots` is no amount"), "{}", refused.stderr);
}

#[test]
fn a_batch_of_telemetry_is_a_line_of_json() {
    let computer = Computer::new();
    let log = computer.path("telemetry.jsonl");
    let command = computer.command(&format!("capture --json --otlp=alone --log {}", log.display()));
    let listening = Listening::start(command);
    let record = |text: &str| json!({"timeUnixNano": "1795600006000000000", "body": {"stringValue": text}});
    let records = json!({"resourceLogs": [{"scopeLogs": [{"logRecords": [record("one"), record("two")]}]}]});
    let (body, Listening { host, path, .. }) = (records.to_string(), &listening);
    let mut stream = TcpStream::connect(host).unwrap();
    write!(
        stream,
        "POST {path}/v1/logs HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    let answer = read_message(&mut stream).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let said = listening.end();
    let batch: Value = serde_json::from_str(said.lines().next().unwrap()).unwrap();
    let wanted = json!({"signal": "logs", "nKept": 2, "nRejected": 0, "bytes": body.len(), "problem": null});
    assert_eq!(batch, wanted, "{said}");
}

#[test]
fn what_had_ended_survives_when_the_gateway_is_killed() {
    let (computer, provider) = (Computer::new(), provider());
    let log = computer.path("killed.jsonl");
    let arguments = format!("capture --upstream openai=http://{provider} --log {}", log.display());
    let mut listening = Listening::start(computer.command(&arguments));
    listening.talk(6, 10);
    // A call is told when it is written.
    let mut lines = BufReader::new(listening.child.stdout.take().unwrap()).lines();
    assert_eq!(lines.by_ref().take(6).map(Result::unwrap).count(), 6);
    listening.child.kill().unwrap();
    listening.child.wait().unwrap();
    let imported = sessions(&computer, &log);
    assert_eq!(imported["sessions"][0]["calls"], 6, "{imported:#}");
    assert_eq!(imported["sessions"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_disk_that_is_full_is_no_trouble_of_clients() {
    let (computer, provider) = (Computer::new(), provider());
    let log = computer.path("full.jsonl");
    let strata = computer.command("capture");
    let mut command = computer.command("");
    let script = format!(
        "trap '' XFSZ; ulimit -f 60; exec {} capture --upstream openai=http://{provider} --log {}",
        strata.get_program().to_string_lossy(),
        log.display()
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]);
    for (name, value) in command.envs([("RUST_BACKTRACE", "0")]).get_envs() {
        shell.env(name, value.unwrap_or_default());
    }
    let listening = Listening::start(shell);
    listening.talk(40, 300);
    let said = listening.end();
    assert!(said.contains("could not be written"), "{said}");
    let imported = sessions(&computer, &log);
    assert!(imported["sessions"][0]["calls"].as_u64().unwrap() >= 1, "{imported:#}");
}

#[test]
fn a_store_that_is_locked_is_no_trouble_of_clients() {
    let (computer, provider) = (Computer::new(), provider());
    let (log, store) = (computer.path("locked.jsonl"), computer.path("locked.db"));
    computer.run(&format!("sessions --db {}", store.display()));
    let lock = rusqlite::Connection::open(&store).unwrap();
    lock.execute_batch("PRAGMA locking_mode = NORMAL; BEGIN EXCLUSIVE").unwrap();
    let arguments = format!(
        "capture --upstream openai=http://{provider} --db {} --log {}",
        store.display(),
        log.display()
    );
    let listening = Listening::start(computer.command(&arguments));
    listening.talk(6, 10);
    lock.execute_batch("COMMIT").unwrap();
    let said = listening.end();
    assert!(said.contains("6 requests caught"), "{said}");
    let imported = sessions(&computer, &log);
    assert_eq!(imported["sessions"][0]["calls"], 6, "{imported:#}");
}

#[test]
fn held_requests_go_out_when_somebody_at_the_terminal_says_so() {
    let (computer, provider) = (Computer::new(), provider());
    let log = computer.path("held.jsonl");
    let arguments =
        format!("capture --hold tokens=30 --upstream openai=http://{provider} --log {}", log.display());
    let mut command = computer.command(&arguments);
    let mut listening = Listening::start({
        command.stdin(Stdio::piped());
        command
    });
    let mut typed = listening.child.stdin.take().unwrap();
    // The first is smaller than what is held. Of the next two one is looked at, and both are sent.
    writeln!(typed, "s\ny\nno such answer\ny").unwrap();
    listening.talk(3, 8);
    // With the end of the input nobody is there to be asked.
    drop(typed);
    listening.talk(3, 8);
    let said = listening.end();
    assert!(said.contains("Held: a call of"), "{said}");
    assert!(said.contains("tokens, more than 30."), "{said}");
    assert!(said.contains("\"content\":\"question 1 "), "it is shown: {said}");
    assert!(said.contains("6 requests caught"), "{said}");
}
