//! A client of the server: one message a line.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::strata::Computer;

/// A server that was started, and whoever talks to it.
pub(super) struct Client {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    next: u64,
    pub roots: Vec<String>,
}

impl Client {
    /// Starts the server in a folder, without a word.
    pub(super) fn started(computer: &Computer, folder: &Path) -> Self {
        let mut command = computer.command("mcp");
        command.current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (to, from) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, to, from, next: 0, roots: Vec::new() }
    }

    /// The same, after the handshake.
    pub(super) fn ready(computer: &Computer, folder: &Path) -> Self {
        let mut client = Self::started(computer, folder);
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a client", "version": "1"}});
        client.ask("initialize", &hello);
        client.tell(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    pub(super) fn tell(&mut self, message: &Value) {
        writeln!(self.to.as_mut().unwrap(), "{message}").unwrap();
    }

    /// The next message of the server that is no request to the client.
    pub(super) fn hear(&mut self) -> Value {
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).unwrap() > 0, "the server said nothing more");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["method"] == "roots/list" {
                let roots: Vec<Value> = self.roots.iter().map(|uri| json!({"uri": uri})).collect();
                self.tell(&json!({"jsonrpc": "2.0", "id": message["id"], "result": {"roots": roots}}));
                continue;
            }
            return message;
        }
    }

    /// The result of a request.
    #[track_caller]
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.next += 1;
        self.tell(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        let answer = self.hear();
        assert_eq!(answer["id"], self.next);
        assert_eq!(answer["error"], Value::Null);
        answer["result"].clone()
    }

    /// What comes of a call of a tool.
    #[track_caller]
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// The structured answer of a call that succeeds.
    #[track_caller]
    pub(super) fn told(&mut self, tool: &str, arguments: &Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{result}");
        result["structuredContent"].clone()
    }

    /// The words of a call that is refused.
    #[track_caller]
    pub(super) fn refused(&mut self, tool: &str, arguments: &Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        result["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// The exit code, once the client has left.
    pub(super) fn left(mut self) -> i32 {
        drop(self.to.take());
        self.child.wait().unwrap().code().unwrap()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.to.take());
        let _ = self.child.wait();
    }
}

/// A transcript as Claude Code leaves it.
pub(super) fn left_by_claude(computer: &Computer, session: &str, lines: &str) -> PathBuf {
    let file = computer.path(&format!(".claude/projects/-home-ada-work/{session}.jsonl"));
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, lines).unwrap();
    file
}

/// The session that Claude Code left in the samples of the repository.
pub(super) fn garden() -> String {
    fs::read_to_string(strata_testkit::samples::own().join("claude-code/garden.jsonl")).unwrap()
}
