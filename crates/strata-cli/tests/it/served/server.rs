//! An app that is served, and a client that says nothing by itself.

use std::fs;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::sync::Mutex;

use serde_json::{Value, json};

use crate::strata::Computer;

/// What an agent can ask: a person approves, and answers when they like.
const TOOLS: &str = "export function approve(args) {}\n\
    export function remember(args, context) { context.state[args.key] = args.value; return {kept: true} }\n";

pub(super) struct Server {
    child: Mutex<Child>,
    pub computer: Computer,
    pub told: Value,
}

/// What came back.
#[derive(Debug)]
pub(super) struct Got {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Got {
    #[track_caller]
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The documents of a stream, in order.
    pub(super) fn events(&self) -> Vec<Value> {
        let lines = self.body.lines().filter_map(|line| line.strip_prefix("data: "));
        lines.filter(|data| !data.is_empty()).map(|data| serde_json::from_str(data).unwrap()).collect()
    }

    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

fn app() -> Value {
    let text = json!({"type": "object", "properties": {"key": {"type": "string"}, "value": {}}});
    let function = |kind: &str, name: &str| json!({"type": kind, "declaration": {"name": name, "description": name, "parametersJsonSchema": text}});
    json!({"name": "desk", "rootAgent": {
        "type": "llm", "name": "front", "model": "test-model", "description": "Answers at the desk.",
        "instruction": "Last: {last_answer?}", "outputKey": "last_answer",
        "tools": [function("long_running_function", "approve"), function("function", "remember")],
        "subAgents": [{"type": "llm", "name": "booker", "model": "test-model", "description": "Books.",
            "instruction": "You book."}],
    }})
}

impl Server {
    /// With answers of a file, for two principals.
    pub(super) fn scripted(answers: &Value) -> Self {
        Self::start(Some(answers))
    }

    /// Says back what it is told.
    pub(super) fn echo() -> Self {
        Self::start(None)
    }

    fn start(answers: Option<&Value>) -> Self {
        let computer = Computer::new();
        fs::write(computer.path("app.json"), app().to_string()).unwrap();
        fs::write(computer.path("tools.js"), TOOLS).unwrap();
        let model = match answers {
            Some(answers) => {
                fs::write(computer.path("script.json"), answers.to_string()).unwrap();
                format!("scripted:{}", computer.path("script.json").display())
            }
            None => "echo".to_owned(),
        };
        let line = format!(
            "serve {} --db {} --tools {} --model {model} --principal ana --principal bob --json",
            computer.path("app.json").display(),
            computer.path("x.db").display(),
            computer.path("tools.js").display(),
        );
        let mut child = computer
            .command(&line)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
        let told = serde_json::from_str(&said.next().unwrap().unwrap()).unwrap();
        Self { child: Mutex::new(child), computer, told }
    }

    pub(super) fn address(&self) -> &str {
        self.told["http"].as_str().unwrap().strip_prefix("http://").unwrap().strip_suffix("/run").unwrap()
    }

    fn token(&self, principal: &str) -> &str {
        let principals = self.told["principals"].as_array().unwrap();
        let found = principals.iter().find(|row| row["principal"] == principal);
        found.unwrap_or_else(|| panic!("{principal} has no token"))["token"].as_str().unwrap()
    }

    /// A request of Ana's; a header that is given takes the place of a usual one, and an empty one leaves it out.
    pub(super) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Got {
        self.try_send(method, path, headers, body).unwrap()
    }

    /// An error where the server went before it had answered.
    pub(super) fn try_send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> io::Result<Got> {
        let bearer = format!("Bearer {}", self.token("ana"));
        let usual = [
            ("Host", self.address()),
            ("Authorization", &bearer),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        let is_given = |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        let all = usual.iter().filter(|(name, _)| !is_given(name)).chain(headers);
        let mut lines = String::new();
        for (name, value) in all.filter(|(_, value)| !value.is_empty()) {
            lines += &format!(
                "{name}: {value}
"
            );
        }
        let request = format!(
            "{method} {path} HTTP/1.1\r\n{lines}Connection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(self.address())?;
        stream.write_all(request.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").ok_or(io::ErrorKind::UnexpectedEof)?;
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        let got = Got { status, head: head.to_owned(), body: unchunked(head, body) };
        match got.header("content-length").map(str::parse) {
            Some(Ok(length)) if got.body.len() < length => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(got),
        }
    }

    /// At once, without a word to it.
    pub(super) fn kill(&self) {
        self.child.lock().unwrap().kill().unwrap();
    }

    pub(super) fn bearer(&self, principal: &str) -> String {
        format!("Bearer {}", self.token(principal))
    }

    /// A message over plain HTTP.
    pub(super) fn run(&self, headers: &[(&str, &str)], body: &Value) -> Got {
        self.send("POST", "/run", headers, &body.to_string())
    }

    /// A call over A2A.
    pub(super) fn a2a(&self, method: &str, params: &Value) -> Got {
        let call = json!({"jsonrpc": "2.0", "id": "1", "method": method, "params": params});
        self.send("POST", "/a2a", &[], &call.to_string())
    }

    /// A call of a tool over MCP, in a connection of its own.
    pub(super) fn mcp(&self, tool: &str, arguments: &Value) -> Value {
        let mut connection = self.connect();
        connection.call(tool, arguments)
    }

    pub(super) fn connect(&self) -> Connection<'_> {
        self.connect_as("ana")
    }

    pub(super) fn connect_as(&self, principal: &str) -> Connection<'_> {
        let bearer = self.bearer(principal);
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "a client", "version": "1"}});
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let got = self.send("POST", "/mcp", &[("Authorization", &bearer)], &hello.to_string());
        let session = got.header("mcp-session-id").unwrap_or_else(|| panic!("{got:?}")).to_owned();
        let connection = Connection { server: self, bearer, session, n_calls: 0 };
        connection.post(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        connection
    }

    /// The command line, on the same store.
    pub(super) fn strata(&self, command: &str) -> Value {
        let line = format!("{command} --db {} --json", self.computer.path("x.db").display());
        self.computer.run(&line).json()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Ok(child) = self.child.get_mut() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A connection over MCP.
pub(super) struct Connection<'s> {
    server: &'s Server,
    bearer: String,
    session: String,
    n_calls: u32,
}

impl Connection<'_> {
    pub(super) fn session(&self) -> &str {
        &self.session
    }

    fn post(&self, message: &Value) -> Got {
        let headers = [
            ("Authorization", self.bearer.as_str()),
            ("Mcp-Session-Id", self.session.as_str()),
            ("MCP-Protocol-Version", "2025-06-18"),
        ];
        self.server.send("POST", "/mcp", &headers, &message.to_string())
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.n_calls += 1;
        let got =
            self.post(&json!({"jsonrpc": "2.0", "id": self.n_calls, "method": method, "params": params}));
        let mut events = got.events();
        let answer = events.pop().unwrap_or_else(|| got.json());
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// The result of a call.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    pub(super) fn tools(&mut self) -> Vec<Value> {
        self.ask("tools/list", &json!({}))["tools"].as_array().unwrap().clone()
    }
}

/// A body as it was before it was cut into chunks.
fn unchunked(head: &str, body: &str) -> String {
    if !head.to_lowercase().contains("transfer-encoding: chunked") {
        return body.to_owned();
    }
    let (mut whole, mut rest) = (String::new(), body);
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap();
        if size == 0 {
            break;
        }
        whole += &after[..size];
        rest = after[size..].trim_start_matches("\r\n");
    }
    whole
}

/// A message of A2A 1.0.
pub(super) fn message(text: &str, more: &Value) -> Value {
    let mut message = json!({"messageId": "m1", "role": "ROLE_USER", "parts": [{"text": text}]});
    for (key, value) in more.as_object().unwrap() {
        message[key] = value.clone();
    }
    json!({"message": message})
}
